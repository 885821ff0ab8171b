#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are correct mdoc.
set -u

if ! command -v mandoc >/dev/null; then
	echo "1..0 # SKIP mandoc is not installed"
	exit 0
fi
echo "1..4"
number=0
for page in leadhook.1 leadhook.conf.5 leadhook-dispatch.8 leadhook-fcgi.8; do
	number=$((number + 1))
	# Whether the pages that it refers to are installed, is a matter of the machine.
	found=$(mandoc -T lint "$top_srcdir/man/$page.in" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')
	if [ -z "$found" ]; then echo "ok $number - $page"; else echo "not ok $number - $page"; echo "$found" | sed 's/^/# /'; fi
done
