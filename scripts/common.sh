# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154
# Shared by the scripts: steps that show their log when they fail, the Debian packages, the build. To be sourced; POSIX sh.
# The caller sets `top`, the folder of the sources, and `logs`, a folder that exists.

packages_build="autoconf automake gcc g++ libc6-dev make pkg-config libargon2-dev libcurl4-openssl-dev libidn2-dev libinih-dev \
libmariadb-dev libphonenumber-dev libssl-dev libunistring-dev libyajl-dev zlib1g-dev"
# The libraries of the dashboard are npm packages. A tarball contains their files. An npm from elsewhere is not replaced with Debian's.
packages_dashboard=
[ -f "$top/src/dashboard/lib/licences.txt" ] || command -v npm >/dev/null || packages_dashboard=npm
# The -core and -bin packages have no system service; lighttpd, nginx-light and php8.2-fpm do, see install_packages.
packages_run="curl python3 python3-aiosmtpd mariadb-server-core mariadb-client-core"
packages_lighttpd="lighttpd"
packages_apache="apache2-bin libapache2-mod-fcgid"
packages_nginx="nginx-light"
packages_check="iproute2 libcmocka-dev mandoc mariadb-backup mariadb-client openssl python3-html5lib python3-pymysql \
python3-pytest python3-pytest-xdist systemd"
# Changes the clock of a database.
packages_clock="libfaketime"
# For the tests that compare the service with docs/openapi.yaml.
packages_openapi="python3-hypothesis python3-jsonschema python3-yaml"
# For the examples for operators; the service of Prometheus stays off.
packages_watch="logrotate prometheus"
packages_browsers="chromium chromium-headless-shell firefox-esr"
# A mail server for the tests, which start their own; its service stays off.
packages_mail="libsasl2-modules postfix sasl2-bin"
packages_signatures="nodejs npm php8.2-cli"
packages_fuzz="clang"
packages_long="$packages_fuzz shellcheck valgrind"
# A cluster of database nodes; only mariadb-server has the scripts that copy the data of one node to another.
packages_cluster="galera-4 haproxy mariadb-server rsync socat"
# The Debian package, and a container to test it in.
packages_package="build-essential debhelper lintian mmdebstrap po-debconf systemd-container"
# For the baselines that bench/run --quick leaves out; the service of PostgreSQL stays off.
packages_node="nodejs npm"
packages_postgresql="postgresql"
packages_bench="libfcgi-dev php8.2-cli php8.2-curl php8.2-fpm php8.2-mysql wrk"

policy=/usr/sbin/policy-rc.d
policy_is_ours=

fail() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

# step NAME COMMAND...: prints the name and runs the command; its output goes to a log, whose end is shown when it fails.
step() {
	step_name=$1
	shift
	printf '%s ...\n' "$step_name"
	step_log=$logs/$(printf '%s' "$step_name" | tr -c '[:alnum:]\n' '-').log
	if ! "$@" >"$step_log" 2>&1; then
		tail -n 25 "$step_log" >&2
		fail "$step_name failed; the lines above are the end of $step_log"
	fi
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || printf '%s ' "$package"
	done
}

# Packages must not start system services; with this file, invoke-rc.d refuses to. An existing file is not changed.
forbid_services() {
	[ -e "$policy" ] && return 0
	policy_is_ours=yes
	printf '#!/bin/sh\nexit 101\n' | as_root sh -c "cat >$policy && chmod 755 $policy"
}

allow_services() {
	[ -z "$policy_is_ours" ] || as_root rm -f "$policy"
	policy_is_ours=
}

apt_install() {
	as_root apt-get update -q &&
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# install_packages NAME...: installs missing packages with apt, as root or with sudo.
install_packages() {
	command -v dpkg-query >/dev/null || fail "this is not a Debian system; install the contents of these Debian packages: $*"
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		fail "not root and no sudo; as root: apt-get install --no-install-recommends $missing"
	fi
	printf 'Packages to install: %s\n' "$missing"
	trap allow_services EXIT
	trap 'exit 1' HUP INT TERM
	forbid_services
	# shellcheck disable=SC2086 # a list of words
	step "Installing packages" apt_install $missing
	allow_services
	# The services must not start at the next boot either.
	for package in haproxy lighttpd mariadb-server nginx-light php8.2-fpm postfix postgresql prometheus rsync; do
		service=${package%-server}
		case " $missing" in *" $package "*) as_root update-rc.d "${service%-light}" disable >/dev/null 2>&1 || true ;; esac
	done
}

# configure_in FOLDER SOURCE [configure options]: does nothing if the folder is already configured.
configure_in() {
	build=$1
	source=$2
	shift 2
	mkdir -p "$build"
	[ -x "$source/configure" ] || step "Preparing configure" sh -c "cd '$source' && autoreconf -i"
	# shellcheck disable=SC2016 # for the inner shell
	[ -f "$build/Makefile" ] || step "Configuring" sh -c 'cd "$1" && shift && exec "$@"' sh "$build" "$source/configure" -q "$@"
}

# has_dashboard BUILD: whether the libraries of the dashboard exist and are new enough for make.
has_dashboard() {
	for lib in "$top/src/dashboard/lib" "$1/src/dashboard/lib"; do
		[ ! -f "$lib/licences.txt" ] || [ "$top/src/dashboard/package-lock.json" -nt "$lib/licences.txt" ] ||
			[ "$top/scripts/dashboard-libraries" -nt "$lib/licences.txt" ] || return 0
	done
	return 1
}

# fetch_dashboard BUILD: fetches the libraries within a few minutes. If npm or its registry cannot be reached, it sets no_dashboard
# to the reason.
dashboard_seconds=180
fetch_dashboard() {
	no_dashboard=
	! has_dashboard "$1" || return 0
	# shellcheck disable=SC2086 # a list of words
	if [ -n "$packages_dashboard" ] && ! (install_packages $packages_dashboard); then
		no_dashboard="npm cannot be installed"
		return 0
	fi
	printf 'Fetching the libraries of the dashboard ...\n'
	npm_config_fetch_retries=0 npm_config_fetch_timeout=30000 timeout -k 5 "$dashboard_seconds" \
		sh "$top/scripts/dashboard-libraries" "$top/src/dashboard" "$1/src/dashboard/lib" >"$logs/dashboard-libraries.log" 2>&1 ||
		no_dashboard="npm cannot fetch its libraries, see $logs/dashboard-libraries.log"
}

# was_built_with_dashboard BUILD: whether it is configured with the dashboard.
was_built_with_dashboard() {
	grep -qsF 'S["WITH_DASHBOARD_TRUE"]=""' "$1/config.status"
}

# build_with_dashboard BUILD: builds $top, without the dashboard if its libraries cannot be fetched; a later call that can fetch them
# adds it.
build_with_dashboard() {
	fetch_dashboard "$1"
	without=${no_dashboard:+--without-dashboard}
	if was_built_with_dashboard "$1"; then before=; else before=--without-dashboard; fi
	[ "$before" = "$without" ] || rm -f "$1/Makefile"
	# shellcheck disable=SC2086 # nothing, or an option
	build_in "$1" "$top" $without
}

# build_in, with the same arguments: an out-of-tree build that rebuilds only what has changed.
build_in() {
	configure_in "$@"
	step "Building" make -C "$build" -s -j "$(nproc)"
}

# copy_sources FOLDER: copies the files that git tracks or would add, and the libraries of the dashboard if they exist; in the tree
# of a tarball, all files except those of a build in place.
copy_sources() {
	copy=$1
	mkdir -p "$copy"
	if git -C "$top" -c safe.directory="$top" rev-parse --git-dir >/dev/null 2>&1; then
		(cd "$top" && git -c safe.directory="$top" ls-files -co --exclude-standard -z &&
			{ [ ! -d src/dashboard/lib ] || find src/dashboard/lib -type f -print0; }) >"$copy.files"
	else
		(cd "$top" && find . ! -type d ! -path './var/*' \( ! -path './build*/*' -o -path './build-aux/*' \) ! -path '*/.deps/*' \
			! -name '*.[oa]' ! -path ./Makefile ! -path './config.[ls]*' ! -path './autom4te.cache/*' -print0) >"$copy.files"
	fi
	# Files that were deleted without git are ignored.
	(cd "$top" && tar --null --ignore-failed-read -T "$copy.files" -cf -) | tar -C "$copy" -xf -
}

# build_bench BUILD: builds what bench/run needs in addition to the programs.
build_bench() {
	[ -f "$1/Makefile" ] || fail "$1 is not a build folder"
	step "Building the benchmark programs" make -C "$1" -s -j "$(nproc)" bench-programs
}
