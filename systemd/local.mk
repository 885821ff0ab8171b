# SPDX-License-Identifier: MIT
# Units for systemd, below folders that it reads for the prefixes /usr and /usr/local. The services share one list of restrictions.
systemdunitdir = $(prefix)/lib/systemd/system
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d

%C%_services = %D%/leadhook-dispatch.service %D%/leadhook-dispatch-run.service %D%/leadhook-fcgi.service
dist_systemdunit_DATA = %D%/leadhook-dispatch.timer %D%/leadhook-fcgi.socket
nodist_systemdunit_DATA = $(%C%_services)
dist_sysusers_DATA = %D%/sysusers.d/leadhook.conf
dist_tmpfiles_DATA = %D%/tmpfiles.d/leadhook.conf
EXTRA_DIST += %D%/hardening $(%C%_services:=.in)
CLEANFILES += $(%C%_services)

$(%C%_services): %D%/hardening Makefile
	$(fill_in) -e '/@hardening@/{r $(srcdir)/%D%/hardening' -e 'd;}' $(srcdir)/$@.in >$@
%D%/leadhook-dispatch.service: %D%/leadhook-dispatch.service.in
%D%/leadhook-dispatch-run.service: %D%/leadhook-dispatch-run.service.in
%D%/leadhook-fcgi.service: %D%/leadhook-fcgi.service.in
