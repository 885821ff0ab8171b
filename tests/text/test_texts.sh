#!/bin/sh
# SPDX-License-Identifier: MIT
# scripts/texts refuses an incomplete catalogue.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0

# texts EN DE: makes the catalogue from two files with these lines
texts()
{
	printf "$1" >"$folder/en.txt"
	printf "$2" >"$folder/de.txt"
	sh "$top_srcdir/scripts/texts" source "$folder/en.txt" "$folder/de.txt" >"$folder/out" 2>"$folder/err"
}

# accepts NAME EN DE TEXT: the output contains TEXT
accepts()
{
	cases=$((cases + 1))
	if texts "$2" "$3" && grep -qF "$4" "$folder/out"; then echo "ok $cases - $1"; else echo "not ok $cases - $1"; fi
	sed 's/^/# /' "$folder/err"
}

# refuses NAME EN DE MESSAGE: there is no output, and the error contains MESSAGE
refuses()
{
	cases=$((cases + 1))
	if ! texts "$2" "$3" && grep -qF "$4" "$folder/err" && [ ! -s "$folder/out" ]; then
		echo "ok $cases - $1"
	else
		echo "not ok $cases - $1"
		sed 's/^/# /' "$folder/err"
	fi
}

echo "1..15"
accepts "a text of one line" 'a: x\n' 'a: y\n' 'SLICE("x"),'
accepts "further lines, also blank ones" 'a: x\n\t\n\ty\n' 'a: z\n' 'SLICE("x\n\ny"),'
accepts "characters that C would read otherwise" 'a: "\\??=\n' 'a: y\n' 'SLICE("\"\\\?\?="),'
accepts "the same placeholders in another order, one twice" 'a: {x} {y}\n' 'a: {y} {x} {x}\n' 'SLICE("{x} {y}"),'
accepts "comments, blank lines and another order" '# c\n\na: x\nb: y\n' 'b: z\n#\na: w\n' 'SLICE("w"),'
refuses "a missing text" 'a: x\nb: y\n' 'a: x\n' 'the text of "b" is missing'
refuses "a key too many" 'a: x\n' 'a: x\nb: y\n' '"b" is no key of en.txt'
refuses "a missing placeholder" 'a: {x}\n' 'a: x\n' '"a" has other placeholders'
refuses "another placeholder" 'a: {x}\n' 'a: {y}\n' '"a" has other placeholders'
refuses "other sections of a template" 'a: {{#x}}{{/x}}\n' 'a: {{^x}}{{/x}}\n' '"a" has other placeholders'
refuses "a text twice" 'a: x\na: y\n' 'a: x\n' '"a" has a text above'
refuses "an empty text" 'a: x\n' 'a: \n' 'white space at the end'
refuses "a line without a key" 'A: x\n' 'a: x\n' 'neither "key: text"'
refuses "a continuation of nothing" '\tx\na: x\n' 'a: x\n' 'no text before this line'
refuses "no texts" '#\n' '#\n' 'there are no texts'
