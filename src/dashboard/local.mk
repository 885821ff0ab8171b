noinst_LIBRARIES += %D%/libdashboard.a
%C%_libdashboard_a_SOURCES = %D%/dashboard.c %D%/dashboard.h
nodist_%C%_libdashboard_a_SOURCES = %D%/files.c
CLEANFILES += %D%/files.c %D%/repeatable.js

# What browsers load. The libraries are copies from npm packages; a tarball has them.
dashboard_libraries = %D%/lib/htm.js %D%/lib/hooks.js %D%/lib/licences.txt %D%/lib/preact.js %D%/lib/qr.js %D%/lib/uplot.css %D%/lib/uplot.js
dashboard_web = \
	%D%/web/account.js \
	%D%/web/api.js \
	%D%/web/audit.js \
	%D%/web/bulk.js \
	%D%/web/campaign.js \
	%D%/web/chart.js \
	%D%/web/deliveries.js \
	%D%/web/drafts.js \
	%D%/web/export.js \
	%D%/web/fields.js \
	%D%/web/format.js \
	%D%/web/forms.js \
	%D%/web/frame.js \
	%D%/web/icon.svg \
	%D%/web/import.js \
	%D%/web/import_columns.js \
	%D%/web/import_file.js \
	%D%/web/lead.js \
	%D%/web/leads.js \
	%D%/web/leave.js \
	%D%/web/lists.js \
	%D%/web/live.js \
	%D%/web/main.js \
	%D%/web/mails.js \
	%D%/web/me.js \
	%D%/web/operator.js \
	%D%/web/overview.js \
	%D%/web/pages.js \
	%D%/web/preview.html \
	%D%/web/receivers.js \
	%D%/web/route.js \
	%D%/web/session.js \
	%D%/web/settings.js \
	%D%/web/store.js \
	%D%/web/style.css \
	%D%/web/team.js \
	%D%/web/ui.js \
	%D%/web/versions.js \
	%D%/web/webhook.js \
	%D%/web/webhooks.js \
	%D%/web/words.js \
	%D%/web/zone.js
EXTRA_DIST += $(dashboard_web) $(dashboard_libraries) %D%/package.json %D%/package-lock.json scripts/dashboard-files scripts/dashboard-libraries
if WITH_DASHBOARD
dashboard_files = $(dashboard_web) %D%/repeatable.js $(dashboard_libraries)
else
dashboard_files =
endif

%D%/lib/licences.txt: %D%/package-lock.json scripts/dashboard-libraries
	$(AM_V_GEN)$(MKDIR_P) %D%/lib && $(SHELL) $(srcdir)/scripts/dashboard-libraries $(srcdir)/src/dashboard %D%/lib
%D%/lib/htm.js %D%/lib/hooks.js %D%/lib/preact.js %D%/lib/qr.js %D%/lib/uplot.css %D%/lib/uplot.js: %D%/lib/licences.txt

%D%/repeatable.js: src/prog/repeatable_calls$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./src/prog/repeatable_calls >$@.tmp && mv $@.tmp $@

%D%/files.c: $(dashboard_files) scripts/dashboard-files
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(srcdir)/scripts/dashboard-files $(srcdir) $(dashboard_files) >$@.tmp && mv $@.tmp $@
