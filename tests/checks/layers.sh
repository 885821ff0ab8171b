#!/bin/sh
# SPDX-License-Identifier: MIT
# The layer table of HACKING.md, checked against the include lines: which folder includes which, and which library.
set -u
cd "$top_srcdir/src" || exit 99

# folder: the folders that it may include besides itself
layers='
base:
conf: base
text: base
fcgi: base
json: base
db: base
http: base json
crypto: base
identity: base crypto
webhook: base json crypto identity
bots: base json crypto
engine: base json crypto identity webhook
engine/decide: base json crypto identity webhook engine
mail: base identity text engine
page: base json crypto identity engine text
dashboard: base http page
store: base db crypto identity webhook engine
store/hooks: base db crypto webhook engine store
store/codes: base crypto db engine store
store/texts: base db store
store/messages: base db engine store store/codes
store/queue: base db webhook engine store store/messages store/users
store/removal: base db identity webhook engine store store/queue
store/users: base db crypto identity engine store
store/operator: base db crypto webhook engine store store/queue
compose: base json crypto identity webhook engine text mail store store/codes store/messages store/texts
commit: base crypto engine store
limit: base crypto identity
login: base crypto identity store store/users limit
watch: base store limit
api: base http json crypto identity webhook bots engine text page store store/texts limit
api/handlers: base http json crypto identity webhook bots engine text page dashboard store store/codes store/texts limit watch api
deliver/send: base crypto identity webhook store store/queue
deliver/process: base
deliver/mail: base crypto identity webhook engine mail store store/messages deliver/process compose
deliver/texts: base json crypto identity engine text store store/codes store/messages deliver/send deliver/process deliver/mail
jobs: base json webhook engine store store/messages store/queue store/operator
deliver: base crypto identity webhook engine store store/queue store/removal deliver/send jobs
transfer: base http json identity engine
admin: base conf json bots identity webhook engine store store/codes store/messages store/queue store/operator store/texts store/users limit watch text page jobs
manage: base conf crypto http json identity limit store store/operator store/users login admin
admin/doctor: base conf json crypto identity engine store store/messages store/operator store/queue admin
admin/texts: base conf engine text page mail compose store store/operator store/texts admin
admin/data: base conf json crypto identity engine store store/operator store/removal transfer admin
admin/inbound: base identity webhook engine store admin
prog: base conf text mail fcgi json db http identity webhook engine store store/messages store/queue store/operator compose commit limit api deliver deliver/process deliver/mail deliver/texts deliver/send admin login manage jobs
'

# header (a shell pattern): the folders that may include it
libraries='
ini.h: conf
fcgi*.h: fcgi
yajl/*: json
zlib.h: http
mysql*: db
mysql/*: db
mariadb/*: db
curl/*: deliver/send deliver/mail
argon2.h: crypto
idn2.h: identity
openssl/*: crypto
phonenumbers/*: identity
unicase.h: engine identity
unictype.h: engine identity
uninorm.h: engine identity
unistr.h: base engine
'

failures=$(mktemp)
trap 'rm -f "$failures"' EXIT

allowed_folders()
{
	echo "$layers" | sed -n "s|^$1:||p"
}

check_own()
{
	case " $2 $(allowed_folders "$2") " in
	*" ${3%/*} "*) ;;
	*) echo "$1 includes \"$3\": $2 may not use ${3%/*}" >>"$failures" ;;
	esac
}

check_library()
{
	echo "$libraries" | while IFS=': ' read -r pattern owner; do
		# shellcheck disable=SC2254  # a pattern it is
		case $3 in
		$pattern)
			case " $owner " in
			*" $2 "*) ;;
			*) echo "$1 includes <$3>: only $owner may" >>"$failures" ;;
			esac
			;;
		esac
	done
}

folders=$(echo "$layers" | sed -n 's/:.*//p')
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

result=ok
[ -s "$failures" ] && result='not ok'
echo "$result 1 - every include is allowed by the layer table"
sed 's/^/# /' "$failures"

result=ok
for folder in $(find . -name '*.[ch]' -o -name '*.cc' | sed 's|^\./||; s|[^/]*$||' | sort -u); do
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
