noinst_LIBRARIES += %D%/libdashboard.a
%C%_libdashboard_a_SOURCES = %D%/dashboard.c %D%/dashboard.h
nodist_%C%_libdashboard_a_SOURCES = %D%/files.c
CLEANFILES += %D%/files.c

# What browsers load. The libraries are copies from npm packages; a tarball has them.
dashboard_libraries = %D%/lib/htm.js %D%/lib/hooks.js %D%/lib/licences.txt %D%/lib/preact.js %D%/lib/qr.js %D%/lib/uplot.css %D%/lib/uplot.js
dashboard_web = \
	%D%/web/api.js \
	%D%/web/icon.svg \
	%D%/web/main.js \
	%D%/web/style.css
EXTRA_DIST += $(dashboard_web) %D%/package.json %D%/package-lock.json scripts/dashboard-files scripts/dashboard-libraries
if WITH_DASHBOARD
EXTRA_DIST += $(dashboard_libraries)
dashboard_files = $(dashboard_web) $(dashboard_libraries)
else
dashboard_files =
endif

%D%/lib/licences.txt: %D%/package-lock.json scripts/dashboard-libraries
	$(AM_V_GEN)$(MKDIR_P) %D%/lib && $(SHELL) $(srcdir)/scripts/dashboard-libraries $(srcdir)/src/dashboard %D%/lib
%D%/lib/htm.js %D%/lib/hooks.js %D%/lib/preact.js %D%/lib/qr.js %D%/lib/uplot.css %D%/lib/uplot.js: %D%/lib/licences.txt

%D%/files.c: $(dashboard_files) scripts/dashboard-files
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(srcdir)/scripts/dashboard-files $(srcdir) $(dashboard_files) >$@.tmp && mv $@.tmp $@
