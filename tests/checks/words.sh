#!/bin/sh
# SPDX-License-Identifier: MIT
# No file uses a word of retired_words.txt, and no struct is named for an activity (`struct reading`). With arguments: only
# these files and folders.
set -u
cd "$top_srcdir" || exit 99

found=$(mktemp)
trap 'rm -f "$found" "$found".*' EXIT
[ $# -gt 0 ] || set -- README.md HACKING.md SECURITY.md NEWS.md bench conf-examples docs man schema scripts src tests

# docs/requirements.md quotes its users. The first schema has the former names of columns. src/dashboard/lib has other projects' libraries.
find "$@" -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.in' -o -name '*.sql' \
	-o -name '*.conf' -o -name '*.mk' -o -name '*.js' -o -path '*scripts/*' -o -path '*conf-examples/*' -o -path '*bench/*' \) \
	! -path '*docs/requirements.md' ! -path '*schema/0001-*' ! -path '*src/dashboard/lib/*' ! -path '*tests/fuzz/*seeds*' ! -name '*.bin' ! -name '*.pyc' ! -name disposable-domains.txt \
	-print0 >"$found.files" || exit 99

xargs -0 perl -ne '
	sub whole { return qr/(?<![a-z])(?:$_[0])(?![a-z])/i }
	sub instead {
		my ($word) = @_;
		return $instead{lc $word} //= (map { $_->[1] } grep { $word =~ $_->[0] } @words, [qr/^/, ""])[0];
	}
	sub report {
		my ($place, $text) = @_;
		return unless grep { instead($_) } $text =~ /[a-z]+/gi;
		$text =~ s/$allowed/-/g;
		print map { "$place: \"$_\" (write: " . instead($_) . ")\n" } grep { instead($_) } $text =~ /[a-z]+/gi;
	}
	BEGIN {
		open my $list, "<", "tests/checks/retired_words.txt" or die;
		my ($section, @allowed, @nouns) = "";
		while (<$list>) {
			chomp;
			if (/^#|^$/) { next }
			elsif (/^\[(.*)\]$/) { $section = $1 }
			elsif ($section eq "words") { my ($word, $instead) = split /\t/; push @words, [whole($word), $instead] }
			elsif ($section eq "allowed") { push @allowed, $_ }
			elsif ($section eq "nouns") { push @nouns, $_ }
			else { die "a line outside the sections" }
		}
		$allowed = whole(join "|", @allowed);
		$noun = whole(join "|", @nouns);
	}
	report($ARGV, $ARGV) if $. == 1;
	report("$ARGV:$.", $_);
	print "$ARGV:$.: \"struct $1\" (write: what it is, not what it does)\n" if /\bstruct (\w*ing) \{/ && $1 !~ /$noun$/;
	close ARGV if eof;
' <"$found.files" >"$found" || exit 99

# report NUMBER RULE: fails when $found has lines, and shows them
report()
{
	if [ -s "$found" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sed 's/^/# /' "$found"
}

echo "1..2"
mv "$found" "$found.all"
grep -v '"struct ' "$found.all" >"$found"
report 1 "no retired word is used"
grep '"struct ' "$found.all" >"$found"
report 2 "no struct is named for an activity"
