#!/bin/sh
# SPDX-License-Identifier: MIT
# What comments, tests and documents cite is in the tree: the document, and the numbered section of it.
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

# Lines of all texts that match: file:text
cited()
{
	grep -rIoE "$1" src tests schema man docs bench scripts conf-examples ./*.md --exclude-dir=seeds --exclude-dir=__pycache__ \
		--exclude=citations.sh | sort -u
}

echo "1..3"

cited '(docs|bench)/[A-Za-z0-9_-]+\.md' | while IFS=: read -r file document; do
	[ -f "$document" ] || echo "$file cites $document, which does not exist"
done >"$found"
report 1 "each document that is cited exists"

cited 'docs/[a-z]+\.md [0-9]+(\.[0-9]+)*' | while IFS=: read -r file citation; do
	document=${citation%% *} section=${citation#* }
	grep -qE "^#+ $(echo "$section" | sed 's/\./\\./g') " "$document" 2>/dev/null || echo "$file cites $citation, which does not exist"
done >"$found"
report 2 "each section that is cited exists"

grep -rnIE '(^|[^/a-z-])(contract|delivery|operations|interface|architecture|style|house|second-look|performance)\.md' src tests schema man \
	docs bench scripts conf-examples ./*.md --exclude-dir=seeds --exclude=citations.sh | grep -vE '\((operating|architecture|deliveries|api)\.md' >"$found"
report 3 "no document that is not in the tree is cited"
