#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages are correct mdoc, leadhook(1) has the commands and settings of the tables, and manuals,
# documents and examples agree about cron and paths.
set -u

# The words of every command: those of the table, and those that the page explains in ".It Cm" (or ".Cm" below ".It Xo").
commands_of_table()
{
	cat "$top_srcdir"/src/admin/*/*.c "$top_srcdir/src/shell/shell.c" |
		sed -nE 's/^(static )?OPERATION\([a-z_]+, "([^"]*)".*/\2/p' | sort
}

commands_of_page()
{
	awk '/^\.It Xo/ { opened = 1; next } /^\.It Cm / || (opened && /^\.Cm /) { print } { opened = 0 }' "$top_srcdir/man/leadhook.1.in" |
		sed 's/^\.\(It \)\{0,1\}Cm //; s/ \(Ar\|Op\|Fl\) .*//' | sort
}

# The options of the line for cron: those in the program's page, which relies on the default file, and --config.
cron_options_of_page()
{
	sed -n 's/^\* \* \* \* \* @sbindir@\/leadhook-dispatch/--config "$leadhook_config"/p' "$top_srcdir/man/leadhook-dispatch.8.in"
}

# report NUMBER RULE: fails when $found is not empty, and shows it
report()
{
	if [ -z "$found" ]; then echo "ok $1 - $2"; else echo "not ok $1 - $2"; echo "$found" | sed 's/^/# /'; fi
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
commands_of_table >"$folder/table"
commands_of_page >"$folder/page"

echo "1..10"
found=$(comm -23 "$folder/table" "$folder/page")
[ -s "$folder/table" ] || found="no operations were found in src/admin"
report 1 "every command is in leadhook(1)"
found=$(comm -13 "$folder/table" "$folder/page")
report 2 "leadhook(1) has no command that there is not"

# The settings of campaigns and webhooks have an item each; the others are mentioned in the text.
settings()
{
	awk -F'"' '/^};/ { rows = 0 } rows { print $2 } /_rows\[\] = \{$/ { rows = 1 }' "$top_srcdir/src/admin/$1_operations.c" | sort -u
}
found=$(
	for file in campaigns/campaign webhooks/webhook campaigns/definition; do
		[ -n "$(settings $file)" ] || echo "no settings were found in src/admin/${file}_operations.c"
	done
	(settings campaigns/campaign; settings webhooks/webhook) | while read -r setting; do
		grep -q "^\.It Ic .*\b$setting\b" "$top_srcdir/man/leadhook.1.in" || echo "$setting"
	done
	settings campaigns/definition | while read -r setting; do
		grep -q "^\.Ic .*\b$setting\b" "$top_srcdir/man/leadhook.1.in" || echo "$setting"
	done
)
report 3 "every setting of a campaign, a webhook, a tag, an action and a reward level is in leadhook(1)"

line="* * * * * \"\$leadhook_dispatch\" $(cron_options_of_page)"
found=$(for file in conf-examples/crontab docs/operating.md; do
	grep -qxF -e "$line" "$top_srcdir/$file" || echo "$file lacks: $line"
done)
report 4 "cron's line is the same in the example, docs/operating.md and leadhook-dispatch(8)"

prefix=$(sed -n 's/.* --prefix=\(\/home\/[^ ]*\)$/\1/p' "$top_srcdir/docs/operating.md")
found=$(while read -r file line; do
	grep -qxF -e "$line" "$top_srcdir/conf-examples/$file" || echo "$file lacks: $line"
done <<EOF
crontab leadhook_dispatch=$prefix/sbin/leadhook-dispatch
crontab leadhook_config=$prefix/etc/leadhook/leadhook.conf
leadhook.fcgi program="$prefix/sbin/leadhook-fcgi"
leadhook.fcgi config="$prefix/etc/leadhook/leadhook.conf"
EOF
)
report 5 "the examples have the paths that the prefix of docs/operating.md for shared hosting leads to"

# The findings of the doctor: those of its table, without those of the database, which are findings of check.
found=$(sed -n 's/^	{ "\([a-z_]*\)", DOCTOR_.*/\1/p' "$top_srcdir/src/admin/doctor/findings.c" | while read -r finding; do
	grep -q "^\.It Li .*\b$finding\b" "$top_srcdir/man/leadhook.1.in" || echo "$finding"
done)
report 6 "every finding of the doctor is in leadhook(1)"

number=6
for page in leadhook.1 leadhook.conf.5 leadhook-dispatch.8 leadhook-fcgi.8; do
	number=$((number + 1))
	if ! command -v mandoc >/dev/null; then
		echo "ok $number - $page # SKIP mandoc is not installed"
		continue
	fi
	# Whether the pages to which it refers are installed depends on the machine.
	found=$(mandoc -T lint "$top_srcdir/man/$page.in" 2>&1 | grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')
	report "$number" "$page"
done
