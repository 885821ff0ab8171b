#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of layers in HACKING.md, checked against the include lines (which folder includes which, and which library) and against
# the symbols of the built objects: a function of another folder is used only where the table allows that folder, whichever header
# declares it.
set -u
cd "$top_srcdir/src" || exit 99

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# lines "folder:uses" and "folder:patterns of headers", from the rows | `folder` | uses | name: `pattern` … |
sed -n '/^## Layers/,/^## /p' ../HACKING.md | grep '^| `' >"$work/table"
sed -E 's/^\| `([^`]*)` \| ([^|]*) \|.*/\1:\2/; s/–//' "$work/table" >"$work/uses"
sed -E 's/^\| `([^`]*)` \| [^|]* \| ([^|]*) \|$/\1:\2/; s/:[^`]*:/:/; s/[`–]//g' "$work/table" >"$work/headers"
folders=$(cut -d: -f1 "$work/uses")
: >"$work/failures"

uses()
{
	sed -n "s|^$1:||p" "$work/uses"
}

# Whether one of the patterns in the rest of the arguments matches the header.
matches()
{
	header=$1
	shift
	for pattern; do
		# shellcheck disable=SC2254  # a pattern is intended
		case $header in
		$pattern) return 0 ;;
		esac
	done
	return 1
}

check_own()
{
	case " $2 $(uses "$2") " in
	*" ${3%/*} "*) ;;
	*) echo "$1 includes \"$3\": $2 may not use ${3%/*}" >>"$work/failures" ;;
	esac
}

# Only folders for which the table lists a header of a library may include it.
check_library()
{
	set -f
	# shellcheck disable=SC2046  # words are intended
	if matches "$3" $(cut -d: -f2 "$work/headers") && ! matches "$3" $(sed -n "s|^$2:||p" "$work/headers"); then
		echo "$1 includes <$3>: the table of layers does not have it for $2" >>"$work/failures"
	fi
	set +f
}

report()
{
	if [ -s "$work/failures" ]; then echo "not ok $1 - $2"; else echo "ok $1 - $2"; fi
	sort -u "$work/failures" | sed 's/^/# /'
	: >"$work/failures"
}

echo "1..3"
for folder in $folders; do
	find "$folder" -maxdepth 1 \( -name "*.[ch]" -o -name "*.cc" \) | while read -r file; do
		sed -n 's/^[ 	]*#[ 	]*include[ 	]*\([<"][^>"]*\).*/\1/p' "$file" | while read -r header; do
			case $header in
			'"'*) check_own "$file" "$folder" "${header#?}" ;;
			'<'*) check_library "$file" "$folder" "${header#?}" ;;
			esac
		done
	done
done
report 1 "every include is allowed by the table of layers"

# "folder symbol kind", of the objects of the folder
for folder in $folders; do
	find "$folder" -maxdepth 1 \( -name '*.c' -o -name '*.cc' \) | sed "s|^|$top_builddir/src/|; s|\.[c]*$|.o|" | xargs -r nm 2>"$work/errors" |
		awk -v folder="$folder" 'NF == 2 && $1 == "U" { print folder, $2, "U" } NF == 3 && $2 ~ /[A-TV-Z]/ { print folder, $3, "D" }'
done >"$work/symbols"
awk '
	FILENAME == ARGV[1] { split($0, row, ":"); uses[row[1]] = " " row[2] " "; next }
	$3 == "D" { home[$2] = $1; next }
	{ used[$1 " " $2] = 1 }
	END {
		for (use in used) {
			split(use, part, " ")
			folder = home[part[2]]
			if (folder != "" && folder != part[1] && index(uses[part[1]], " " folder " ") == 0)
				print part[1] " uses " part[2] " of " folder
		}
	}' "$work/uses" "$work/symbols" >"$work/failures"
cat "$work/errors" >>"$work/failures"
report 2 "every use of a function is allowed by the table of layers"

for folder in $(find . -name '*.[ch]' -o -name '*.cc' | sed 's|^\./||; s|/[^/]*$||' | sort -u); do
	echo "$folders" | grep -qxF "$folder" || echo "src/$folder is not in the table of layers" >>"$work/failures"
done
report 3 "every folder is in the table of layers"
