#!/bin/sh
# SPDX-License-Identifier: MIT
# Every document, section, anchor, file and function that a comment, a test or a document cites is in the tree.
set -u
cd "$top_srcdir" || exit 99
LC_ALL=C
export LC_ALL

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
found=$folder/found

# report NUMBER RULE: fails when $found has lines, and shows them
report()
{
	if [ -s "$found" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sort -u "$found" | sed 's/^/# /'
}

# All files, and what the build makes. All are read except this one, whose patterns look like citations, and files with seeds,
# names of hosts or packages.
{
	find src tests schema man docs bench scripts conf-examples ./*.md | sed 's,^\./,,'
	printf '%s\n' src/text/keys.h src/dashboard/lib src/dashboard/lib/licences.txt
} | sort >"$folder/files"
grep -vE '/(seeds|__pycache__|node_modules)/|^tests/checks/citations\.sh$|/package-lock\.json$|^conf-examples/disposable-domains\.txt$' "$folder/files" | while IFS= read -r file; do
	[ ! -f "$file" ] || printf '%s\0' "$file"
done >"$folder/texts"

# cited PATTERN: what matches in all texts, as file:match, each once
cited()
{
	xargs -0 grep -IoE -e "$1" /dev/null <"$folder/texts" | sort -u
}

# "docs/api.md 4.1.7" for each numbered heading
for document in docs/*.md; do
	sed -nE "s|^#+ ([0-9]+(\.[0-9]+)*) .*|$document \1|p" "$document"
done >"$folder/sections"

# Headers of the libraries and of the system, as the sources include them
cited '^#include <[^>]+>' | sed 's/.*<//; s/>//; s,.*/,,' | sort -u >"$folder/headers"

echo "1..7"

# A path from the top. Programs and tests are named without their extension, too; archives are made by the build.
cited '(^|[^A-Za-z0-9_./@~*$}-])(src|tests|docs|schema|scripts|bench|conf-examples)(/[A-Za-z0-9_.-]+)+[/<{*$]?' | awk '
	NR == FNR { there[$0] = 1; next }
	{
		file = path = $0
		sub(/:.*/, "", file)
		sub(/^[^:]*:[^a-z]*/, "", path)
		if (path ~ /([<{*$]|\.a)$/)
			next
		sub(/[.\/]+$/, "", path)
		if (!(path in there) && !((path ".c") in there) && !((path ".py") in there))
			print file " cites " path ", which does not exist"
	}' "$folder/files" - >"$found"
report 1 "each path that is cited exists"

# A name without a folder, or with the last of its folders: payload.c, engine/payload.c
cited '(^|[^A-Za-z0-9_./<*%$@}-])([a-z_]+/)*([a-z][a-z0-9_-][a-z0-9_-]+\.(c|h|py|sh|md)|[0-9]{4}-[a-z-]+\.sql)($|[^A-Za-z0-9_(-])' | awk '
	FILENAME ~ /headers$/ { there[$0] = 1; next }
	FILENAME ~ /files$/ { for (name = $0; sub(/^[^\/]*\//, "", name);) there[name] = 1; there[$0] = 1; next }
	{
		file = name = $0
		sub(/:.*/, "", file)
		sub(/^[^:]*:[^a-z0-9]*/, "", name)
		sub(/[^a-z]*$/, "", name)
		if (name ~ /^(mod_[a-z]+\.c|(yajl|openssl|curl|mysql|mariadb|sys|netinet|arpa|linux|phonenumbers)\/.*)$/)
			next
		if (!(name in there))
			print file " cites " name ", which does not exist"
	}' "$folder/headers" "$folder/files" - >"$found"
report 2 "each file that is named exists"

# "docs/api.md 4.1, 4.6 and 7". A number of a section has at most two digits per part; the status of an answer can follow it.
number='[0-9]{1,2}(\.[0-9]{1,2})*'
cited "(^|[^a-z])(api|architecture|deliveries|operating|requirements|users)\.md $number((,|;| and| to) $number($|[^0-9]))*" | awk '
	NR == FNR { there[$0] = 1; next }
	{
		file = rest = $0
		sub(/:.*/, "", file)
		sub(/^[^:]*:[^a-z]*/, "", rest)
		document = "docs/" rest
		sub(/\.md.*/, ".md", document)
		sub(/^[^ ]*/, "", rest)
		while (match(rest, /[0-9]+(\.[0-9]+)*/)) {
			section = document " " substr(rest, RSTART, RLENGTH)
			rest = substr(rest, RSTART + RLENGTH)
			if (!(section in there))
				print file " cites " section ", which does not exist"
		}
	}' "$folder/sections" - >"$found"
report 3 "each section that is cited exists"

# A citation names its document: "docs/api.md 4.1: …", not "4.1: …".
cited "^[[:blank:]]*(\"\"\"|/\* ?)$number([ ,:;]|\*/|\"\"\").*" | grep '^tests/' >"$found"
report 4 "a test cites a section with its document"

# [text](file#anchor): the anchor of a heading is its text in lower case, without punctuation, with - for blanks.
cited '\]\([^)]+\)' | grep '^[^:]*\.md:' | while IFS=: read -r file link; do
	link=$(echo "$link" | sed 's/^](//; s/)$//')
	case $link in http*) continue ;; esac
	target=${link%%#*}
	if [ -z "$target" ]; then target=$file; else target=$(dirname "$file")/$target; fi
	if [ ! -f "$target" ]; then
		echo "$file links to $link, which does not exist"
		continue
	fi
	case $link in *'#'*) ;; *) continue ;; esac
	sed -n 's/^##* //p' "$target" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g' | grep -qxF -e "${link#*#}" ||
		echo "$file links to $link, which is no heading"
done >"$found"
report 5 "each link has its file and its heading"

# The paths of a request and of a delivery: | step | `function`, `function` | `file` |
sed -nE 's/^\| [^|]+ \| (`[a-z_]+`(, `[a-z_]+`)*) \| `(src\/[a-z_\/.-]+)` \|$/\3 \1/p' docs/architecture.md | tr -d '`,' >"$folder/steps"
while read -r file functions; do
	for function in $functions; do
		grep -q "^$function(" "$file" || echo "docs/architecture.md: $function is not in $file"
	done
done <"$folder/steps" >"$found"
[ -s "$folder/steps" ] || echo "docs/architecture.md names no functions" >"$found"
# The statements of all steps of the schema, without comments, as if the first had used the names that later steps give. `former`
# has the names that no longer exist.
perl -0777 -ne '
	s/--.*//g;
	for (split /;\s*\n/) {
		while (s/RENAME TABLE (?:IF EXISTS )?\{prefix\}(\w+) TO \{prefix\}(\w+)//) {
			my ($from, $to) = ($1, $2);
			s/\{prefix\}$from\b/{prefix}$to/g for @statements;
			push @former, $from;
		}
		my ($table) = /ALTER TABLE (\{prefix\}\w+)/;
		while (s/CHANGE COLUMN (?:IF EXISTS )?(\w+) (\w+)/$2/) {
			my ($from, $to) = ($1, $2);
			/\Q$table\E\b/ and s/\b$from\b/$to/g for @statements;
			push @former, $from;
		}
		while (s/DROP (?:TABLE|COLUMN) (?:IF EXISTS )?(?:\{prefix\})?(\w+)//) {
			my $from = $1;
			/CREATE TABLE/ and (!$table || /\Q$table\E\b/) and s/\b$from\b//g for @statements;
			push @former, $from;
		}
		push @statements, $_;
	}
	END {
		my $schema = join "\n", @statements;
		print $schema;
		open my $out, ">", "'"$folder"'/former" or die;
		print $out map { "$_\n" } grep { $schema !~ /(?:\b|\})$_\b/ } @former;
	}' $(find schema -name '*.sql' | sort) >"$folder/schema" || exit 99
# All other names with an underscore: functions, columns, settings
find src -name '*.[ch]' -exec cat {} + | cat - "$folder/schema" | grep -oE '[a-z]+(_[a-z0-9]+)+' | sort -u >"$folder/words"
grep -oE '`[a-z]+(_[a-z0-9]+)+`' docs/architecture.md docs/deliveries.md | tr -d '`' | while IFS=: read -r document name; do
	grep -qxF -e "$name" "$folder/words" || echo "$document names $name, which does not exist"
done >>"$found"
former=$(paste -sd '|' "$folder/former")
[ -z "$former" ] || cited "\`($former)\`" | grep -E '^(src|docs)/|^[A-Z]+\.md' | sed 's/:/ names /; s/$/, which the schema has renamed or dropped/' >>"$found"
report 6 "each function of a step is in its file, and each name of the code exists"

# docs/api.md 4.1: "what it says", in any case and without marks
cited 'docs/[a-z]+\.md( [0-9.]+)?(, [A-Z][A-Za-z-]*)?:? "[^"]+"' | while IFS= read -r line; do
	file=${line%%:*} citation=${line#*:}
	document=${citation%% *} quote=$(echo "$citation" | sed 's/[^"]*"//; s/"$//; s/`//g')
	document=${document%%[,:]*}
	[ ! -f "$document" ] || tr -d '`' <"$document" | tr '\n' ' ' | grep -qiF -e "$quote" || echo "$file quotes \"$quote\", which is not in $document"
done >"$found"
report 7 "each text that is quoted stands in its document"
