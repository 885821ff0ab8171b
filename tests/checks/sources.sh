#!/bin/sh
# SPDX-License-Identifier: MIT
# Rules of style and architecture for every source file.
set -u
cd "$top_srcdir" || exit 99

found=$(mktemp)
trap 'rm -f "$found"' EXIT

# report NUMBER RULE: fails when $found has lines, and shows them
report()
{
	if [ -s "$found" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sed 's/^/# /' "$found"
}

echo "1..9"

# "CREATE TABLE", "DELETE FROM" and so on inside a string literal
statement='(SELECT|INSERT( IGNORE)? INTO|UPDATE|DELETE FROM|REPLACE INTO|CREATE TABLE|ALTER TABLE|DROP TABLE|TRUNCATE)'
find src -name '*.[ch]' ! -path 'src/store/*' -exec grep -nE "\"[^\"]*\\b$statement [^\"]*\"" {} + >"$found"
report 1 "SQL stands only in src/store and schema"

find src tests scripts -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.py' | while read -r file; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 600 ] || head -n 12 "$file" | grep -q 'lines, because' || echo "$file has $lines lines"
done >"$found"
report 2 "a file over 600 lines gives its reason in its banner (\"lines, because …\")"

find src tests -name '*.[ch]' | while read -r file; do
	head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
done >"$found"
report 3 "every source file begins with its licence"

grep -rnE '\babort\(\)' src --include='*.[ch]' | grep -v '^src/base/panic\.c:' >"$found"
report 4 "a process that must not go on says why: panic(), never abort()"

# The server can end a statement only between rows, not within a function that takes long for one text. LIKE is allowed for names of
# leads, in which each word begins after a space, names of texts, the word of a source, and the grants of an account.
grep -rnE '"[^"]*\b(REGEXP|RLIKE|REGEXP_[A-Z]+|SOUNDS LIKE|LIKE)\b[^"]*"' src/store |
	grep -vE '^src/store/(lead_pages\.c:.*" AND \(\? IS NULL OR " NAMES |texts/campaign_texts\.c:.*name LIKE |statements\.h:.*source LIKE .import|operator/installation_check\.c:.*DATABASE\(\) LIKE)' >"$found"
report 5 "no statement matches a pattern in what callers wrote"

# Finds renumbered steps: a step stores the oldest programs that can use its tables under its own number.
grep -HoE "'oldest_programs_[0-9]+'" schema/*.sql |
	sed -nE "s,^schema/0*([0-9]+)-(.*):'oldest_programs_([0-9]+)',\1 \3 \2,p" | awk '$1 != $2 { print $1 "-" $3 " names step " $2 }' >"$found"
report 6 "a step of the schema names its own number"

# A test that is not in the tarball is not run.
find tests/system -name '*.py' | while read -r file; do
	grep -qF "%D%/${file#tests/system/}" tests/system/local.mk || echo "$file"
done >"$found"
report 7 "each system test is in tests/system/local.mk"

# "Modules: deliver, os/notify." names files without their extension, or folders, below src.
find tests -name 'test_*.c' | sort | while read -r file; do
	mirrored=${file#tests/} mirrored=src/$(dirname "$mirrored")/$(basename "$mirrored" .c | sed 's/^test_//')
	[ ! -f "$mirrored.c" ] && [ ! -f "$mirrored.h" ] && [ ! -f "$mirrored.cc" ] || continue
	modules=$(sed -n '1,/\*\//s/.*Modules: \([a-z0-9_/, ]*\)\..*/\1/p' "$file")
	[ -n "$modules" ] || echo "$file"
	for module in $(echo "$modules" | tr -d ','); do
		[ -d "src/$module" ] || [ -f "src/$module.c" ] || [ -f "src/$module.h" ] || echo "$file: src/$module does not exist"
	done
done >"$found"
report 8 "a unit test has the name of a source of its folder, or its banner has the modules that it joins"

find src -name '*.[ch]' -o -name '*.cc' | sed 's,.*/,,' | sort | uniq -d >"$found"
report 9 "no two source files have the same name"
