#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/requirements.md quotes the users' interface word for word and names, for each requirement, tests that exist, one of them with a
# campaign without any setting.
# docs/compatibility.md names tests that exist, in each row. Each document and each folder of tests belongs to a capability with a source.
set -u
cd "$top_srcdir" || exit 99

document=docs/requirements.md
compatibility=docs/compatibility.md
# The digest of the quoted text, as `quoted` prints it. It changes only when the users change the interface.
digest=eb15bf86adf50101643b191b8abc9d697f497c8578af754a39db4f7dfb92118e
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# report NUMBER RULE: fails when $found has lines, and shows them
report()
{
	if [ -s "$found" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sed 's/^/# /' "$found"
}

any='[a-z_/]+[.](py|c)::[a-z0-9_]+'
walk='system/interface/test_interface_[a-z]+[.]py::[a-z0-9_]+'

# quoted [FILE TESTS]: the requirements, one per line: quotes with their lines joined, rows of tables without the column of tests. With
# TESTS only those that name none of these. A quote that ends with ":" introduces the next one.
quoted()
{
	awk -v missing="${2-}" -v tests="\`${2-$any}\`" '
		function show(text) { print text }
		function close_quote() { if (quote != "" && missing != "" && quote !~ /:$/) show(quote); quote = "" }
		/^## Where each capability comes from/ { exit }
		/^> / { if (quote == "") quote = substr($0, 3); else quote = quote " " substr($0, 3); open = 1; next }
		open && missing == "" { show(quote); quote = "" }
		{ open = 0 }
		/^[|#>]/ { naming = 0 }
		/^(Tests:|\*Specified in\*)/ { naming = 1 }
		(naming && $0 ~ tests) || /^No test: / { quote = "" }
		/^[|#>]/ { close_quote() }
		/^\|---/ { row = ""; next }
		row != "" { show(row); row = "" }
		/^\|/ {
			row = $0
			if (missing != "") { if (row ~ tests) row = ""; next }
			sub(/[^|]*\|$/, "", row)
		}
		END { if (row != "") show(row); close_quote() }
	' "${1-$document}"
}

echo "1..4"

# `folder/file::name`: a function of that name, in pytest's or cmocka's way
grep -ohE '`[a-z_/]+\.(py|c)::[a-z0-9_]+`' "$document" "$compatibility" | tr -d '`' | sort -u | while IFS= read -r test; do
	file=tests/${test%%::*} name=${test##*::}
	grep -qE "^(def )?$name\\(" "$file" 2>/dev/null || echo "$test"
done >"$found"
report 1 "each test that is named exists"

{
	quoted "$document" "$walk"
	quoted "$compatibility" "$any"
} >"$found"
grep -q '::' "$document" || echo "$document names no tests" >>"$found"
report 2 "each requirement names a test with a campaign without any setting, each client a test"

quoted | sha256sum | cut -c -64 >"$found"
if [ "$(cat "$found")" = "$digest" ]; then : >"$found"; fi
report 3 "the quoted interface is unchanged (else its digest is shown)"

# | capability | source | why | documents | tests |
sed -n '/^## Where each capability comes from/,$p' "$document" | grep '^| ' >"$found.rows"
sed -nE 's/^\| ([a-z ]+) \| [^|]+ \|$/\1/p' "$found.rows" >"$found.sources"
awk -F ' [|] ' 'NF == 5 && $1 != "| Capability"' "$found.rows" >"$found.capabilities"
while IFS= read -r row; do
	source=$(echo "$row" | awk -F ' [|] ' '{ print $2 }')
	grep -qxF -e "$source" "$found.sources" || echo "\"$source\" is no source: $row"
	echo "$row" | awk -F ' [|] ' '{ print $5 }' | grep -oE '`[^`]+`' | tr -d '`' | while IFS= read -r test; do
		[ -e "tests/$test" ] || echo "tests/$test does not exist"
	done
done <"$found.capabilities" >"$found"
for folder in tests/system/*/ tests/cluster/ tests/package/; do
	folder=${folder#tests/} folder=${folder%/}
	[ "$folder" = system/helpers ] || [ "$folder" = system/__pycache__ ] || grep -qF "\`$folder\`" "$found.capabilities" ||
		echo "tests/$folder belongs to no capability"
done >>"$found"
for file in docs/*.md; do
	[ "$file" = "$document" ] || grep -qF "](${file#docs/}" "$found.capabilities" || echo "$file belongs to no capability"
done >>"$found"
rm -f "$found.rows" "$found.sources" "$found.capabilities"
report 4 "each document and each folder of tests belongs to a capability with a source"
