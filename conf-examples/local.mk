# SPDX-License-Identifier: MIT
examplesdir = $(pkgdatadir)/conf-examples
dist_examples_DATA = \
	%D%/apache-mod-fcgid.conf \
	%D%/apache-proxy-fcgi.conf \
	%D%/crontab \
	%D%/galera.cnf \
	%D%/haproxy-clusters.cfg \
	%D%/haproxy-galera.cfg \
	%D%/htaccess \
	%D%/leadhook.conf \
	%D%/lighttpd-socket.conf \
	%D%/lighttpd-spawn.conf
dist_examples_SCRIPTS = %D%/galera-health %D%/leadhook.fcgi
