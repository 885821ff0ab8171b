#!/bin/sh
# SPDX-License-Identifier: MIT
# No file uses a word of retired_words.txt. With arguments: only these files and folders, and what it finds.
set -u
cd "$top_srcdir" || exit 99

found=$(mktemp)
trap 'rm -f "$found"' EXIT
[ $# -gt 0 ] && places=$* || places='README.md HACKING.md SECURITY.md NEWS.md bench conf-examples docs man schema scripts src tests'

# docs/requirements.md quotes its users. schema/0001-initial.sql is released and does not change.
# shellcheck disable=SC2086 # a list of places
find $places -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.in' -o -name '*.sql' \
	-o -name '*.conf' -o -path 'scripts/*' -o -path 'conf-examples/*' -o -path 'bench/*' \) \
	! -path docs/requirements.md ! -path schema/0001-initial.sql ! -path 'tests/fuzz/*seeds*' ! -name '*.bin' -print0 | xargs -0 perl -ne '
	BEGIN {
		open my $list, "<", "tests/checks/retired_words.txt" or die;
		while (<$list>) { next if /^#/; chomp; my ($word, $instead) = split /\t/; push @retired, [qr/(?<![a-z])(?:$word)(?![a-z])/i, $instead]; }
	}
	for my $word (@retired) { print "$ARGV:$.: \"$&\" ($word->[1])\n" if $_ =~ $word->[0]; }
	close ARGV if eof;
' >"$found"

echo "1..1"
if [ -s "$found" ]; then echo "not ok 1 - no retired word is used"; else echo "ok 1 - no retired word is used"; fi
sed 's/^/# /' "$found"
