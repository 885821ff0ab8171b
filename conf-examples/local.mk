# SPDX-License-Identifier: MIT
examplesdir = $(pkgdatadir)/conf-examples
dist_examples_DATA = \
	%D%/apache-mod-fcgid.conf \
	%D%/apache-proxy-fcgi.conf \
	%D%/crontab \
	%D%/disposable-domains.txt \
	%D%/galera.cnf \
	%D%/grafana-dashboard.json \
	%D%/haproxy-clusters.cfg \
	%D%/haproxy-galera.cfg \
	%D%/htaccess \
	%D%/leadhook.conf \
	%D%/lighttpd-socket.conf \
	%D%/lighttpd-spawn.conf \
	%D%/logrotate \
	%D%/nginx.conf \
	%D%/prometheus.yml \
	%D%/prometheus-rules-test.yml \
	%D%/prometheus-rules.yml
lighttpderrorsdir = $(examplesdir)/lighttpd-errors
dist_lighttpderrors_DATA = \
	%D%/lighttpd-errors/400.html \
	%D%/lighttpd-errors/403.html \
	%D%/lighttpd-errors/404.html \
	%D%/lighttpd-errors/405.html \
	%D%/lighttpd-errors/408.html \
	%D%/lighttpd-errors/411.html \
	%D%/lighttpd-errors/413.html \
	%D%/lighttpd-errors/414.html \
	%D%/lighttpd-errors/431.html \
	%D%/lighttpd-errors/500.html \
	%D%/lighttpd-errors/501.html \
	%D%/lighttpd-errors/502.html \
	%D%/lighttpd-errors/503.html \
	%D%/lighttpd-errors/504.html \
	%D%/lighttpd-errors/505.html
dist_examples_SCRIPTS = %D%/galera-health %D%/leadhook-compare %D%/leadhook.fcgi
