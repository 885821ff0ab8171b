# SPDX-License-Identifier: MIT
confexampledir = $(docdir)/conf-examples
dist_confexample_DATA = \
	%D%/apache-mod-fcgid.conf \
	%D%/apache-proxy-fcgi.conf \
	%D%/crontab \
	%D%/htaccess \
	%D%/leadhook.conf \
	%D%/lighttpd-socket.conf \
	%D%/lighttpd-spawn.conf
dist_confexample_SCRIPTS = %D%/leadhook.fcgi
