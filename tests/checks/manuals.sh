#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are correct mdoc, and leadhook(1) has every command and campaign setting of the tables.
set -u

echo "1..5"
missing=$(sed -n 's/^	{ "\([a-z ]*\)", .*/\1/p' "$top_srcdir/src/admin/commands.c" | while read -r words; do
	grep -q "Cm $words\( \|\$\)" "$top_srcdir/man/leadhook.1.in" || echo "$words"
done
sed -n 's/^	{ "\([a-z_]*\)", read_.*/\1/p' "$top_srcdir/src/admin/campaigns.c" | while read -r setting; do
	grep -q "^\.It Ic .*\b$setting\b" "$top_srcdir/man/leadhook.1.in" || echo "$setting"
done)
if [ -z "$missing" ]; then echo "ok 1 - every command and every setting of a campaign is in leadhook(1)"; else echo "not ok 1 - missing: $missing"; fi

number=1
for page in leadhook.1 leadhook.conf.5 leadhook-dispatch.8 leadhook-fcgi.8; do
	number=$((number + 1))
	if ! command -v mandoc >/dev/null; then
		echo "ok $number - $page # SKIP mandoc is not installed"
		continue
	fi
	# Whether the pages that it refers to are installed, is a matter of the machine.
	found=$(mandoc -T lint "$top_srcdir/man/$page.in" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')
	if [ -z "$found" ]; then echo "ok $number - $page"; else echo "not ok $number - $page"; echo "$found" | sed 's/^/# /'; fi
done
