#!/bin/sh
# SPDX-License-Identifier: MIT
# The layer table of HACKING.md, from the include lines: who may include whom, and who alone may use which library.
set -u
cd "$top_srcdir/src" || exit 99

# folder: the folders that it may include besides itself
layers='
base:
conf: base
fcgi: base
json: base
db: base
http: base json
core: base json
store: base db core
commit: base core store
limit: base core
api: base http json core store limit
deliver: base core store
admin: base conf core json store limit
prog: base conf fcgi json db http core store commit limit api deliver admin
'

# header (a shell pattern): the folder that may include it
libraries='
ini.h: conf
fcgi*.h: fcgi
yajl/*: json
mysql*: db
mysql/*: db
mariadb/*: db
curl/*: deliver
idn2.h: core
openssl/*: core
phonenumbers/*: core
unicase.h: core
unictype.h: core
uninorm.h: core
unistr.h: core
'

failures=$(mktemp)
trap 'rm -f "$failures"' EXIT

allowed_folders()
{
	echo "$layers" | sed -n "s/^$1://p"
}

check_own()
{
	case " $2 $(allowed_folders "$2") " in
	*" ${3%%/*} "*) ;;
	*) echo "$1 includes \"$3\": $2 may not use ${3%%/*}" >>"$failures" ;;
	esac
}

check_library()
{
	echo "$libraries" | while IFS=': ' read -r pattern owner; do
		# shellcheck disable=SC2254  # a pattern it is
		case $3 in
		$pattern) [ "$2" = "$owner" ] || echo "$1 includes <$3>: only $owner may" >>"$failures" ;;
		esac
	done
}

folders=$(echo "$layers" | sed -n 's/:.*//p')
echo "1..3"
for folder in $folders; do
	find "$folder" -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' | while read -r file; do
		sed -n 's/^[ 	]*#[ 	]*include[ 	]*\([<"][^>"]*\).*/\1/p' "$file" | while read -r header; do
			case $header in
			'"'*) check_own "$file" "$folder" "${header#?}" ;;
			'<'*) check_library "$file" "$folder" "${header#?}" ;;
			esac
		done
	done
done

result=ok
[ -s "$failures" ] && result='not ok'
echo "$result 1 - every include is allowed by the layer table"
sed 's/^/# /' "$failures"

result=ok
for folder in */; do
	case " $(echo $folders) " in
	*" ${folder%/} "*) ;;
	*) result='not ok'; echo "# src/$folder is not in the layer table" ;;
	esac
done
echo "$result 2 - every folder is in the layer table"

# The web server's protocol stays below: nothing but fcgiapp.h of libfcgi.
result=ok
grep -rn '#include <fcgi' . | grep -v '<fcgiapp.h>' | sed 's/^/# /' >"$failures"
[ -s "$failures" ] && result='not ok'
echo "$result 3 - only fcgiapp.h of libfcgi is used"
cat "$failures"
