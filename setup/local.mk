# SPDX-License-Identifier: MIT
# What `leadhook setup` runs.
pkglibexec_SCRIPTS = %D%/setup
EXTRA_DIST += %D%/setup.in
CLEANFILES += %D%/setup

%D%/setup: %D%/setup.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SED) -e 's|@pkgdatadir[@]|$(pkgdatadir)|g' $(srcdir)/%D%/setup.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
