#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/requirements.md names, for each requirement, tests that exist.
set -u
cd "$top_srcdir" || exit 99

document=docs/requirements.md
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# report NUMBER RULE: fails when $found has lines, and shows them
report()
{
	if [ -s "$found" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sed 's/^/# /' "$found"
}

echo "1..2"

# `folder/file::name`: a function of that name, in pytest's or cmocka's way
grep -oE '`[a-z_/]+\.(py|c)::[a-z0-9_]+`' "$document" | tr -d '`' | sort -u | while IFS= read -r test; do
	file=tests/${test%%::*} name=${test##*::}
	grep -qE "^(def )?$name\\(" "$file" 2>/dev/null || echo "$test"
done >"$found"
report 1 "each test that is named exists"

# of a table, all rows but its head
grep '^|' "$document" | grep -vE '^\|(---|[^|]*\| Held by)' | grep -vE '::[a-z0-9_]+`' >"$found"
grep -q '::' "$document" || echo "$document names no tests" >>"$found"
report 2 "each requirement names a test"
