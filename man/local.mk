# SPDX-License-Identifier: MIT
# The pages name the paths of this installation.
man_MANS = %D%/leadhook.1 %D%/leadhook.conf.5 %D%/leadhook-dispatch.8 %D%/leadhook-fcgi.8
EXTRA_DIST += %D%/leadhook.1.in %D%/leadhook.conf.5.in %D%/leadhook-dispatch.8.in %D%/leadhook-fcgi.8.in
CLEANFILES += $(man_MANS)

fill_in = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(SED) -e 's|@sbindir[@]|$(sbindir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g' \
	-e 's|@pkgdatadir[@]|$(pkgdatadir)|g'

%D%/leadhook.1: %D%/leadhook.1.in Makefile
	$(fill_in) $(srcdir)/%D%/leadhook.1.in >$@
%D%/leadhook.conf.5: %D%/leadhook.conf.5.in Makefile
	$(fill_in) $(srcdir)/%D%/leadhook.conf.5.in >$@
%D%/leadhook-dispatch.8: %D%/leadhook-dispatch.8.in Makefile
	$(fill_in) $(srcdir)/%D%/leadhook-dispatch.8.in >$@
%D%/leadhook-fcgi.8: %D%/leadhook-fcgi.8.in Makefile
	$(fill_in) $(srcdir)/%D%/leadhook-fcgi.8.in >$@
