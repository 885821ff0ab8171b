# the three programs
%C%_libs = src/limit/liblimit.a src/store/libstore.a src/db/libdb.a src/conf/libconf.a $(mail_libs) $(MARIADB_LIBS) $(INIH_LIBS)

# libdeliver is listed twice: the dispatcher calls the jobs, and jobs use the dispatcher's code to send
sending_libs = src/deliver/libdeliver.a src/jobs/libjobs.a src/deliver/libdeliver.a src/compose/libcompose.a

# the libraries of leadhook-fcgi: what answers requests, including management
management_libs = $(api_libs) src/manage/libmanage.a src/admin/libadmin.a src/operation/liboperation.a src/login/liblogin.a $(call_libs) \
	src/transfer/libtransfer.a src/commit/libcommit.a src/http/libhttp.a $(ZLIB_LIBS) $(sending_libs) \
	src/fcgi/libfcgi.a $(%C%_libs)

# the libraries of leadhook: all operations, and the shell
operations_libs = src/shell/libshell.a src/admin/libadmin.a src/operation/liboperation.a $(call_libs) src/transfer/libtransfer.a src/http/libhttp.a \
	$(ZLIB_LIBS) $(sending_libs) src/fcgi/libfcgi.a $(%C%_libs) $(CURL_LIBS)

noinst_LIBRARIES += %D%/libwiring.a
%C%_libwiring_a_SOURCES = %D%/api_options.c %D%/api_options.h %D%/confinement.c %D%/confinement.h %D%/program_options.c %D%/program_options.h %D%/wiring.c %D%/wiring.h

sbin_PROGRAMS += %D%/leadhook-fcgi
%C%_leadhook_fcgi_SOURCES = %D%/leadhook-fcgi.c %D%/backend.c %D%/backend.h
%C%_leadhook_fcgi_LDADD = %D%/libwiring.a $(management_libs)

bin_PROGRAMS += %D%/leadhook
%C%_leadhook_SOURCES = %D%/leadhook.c
# `leadhook check` prepares the statements of all programs
%C%_leadhook_LDADD = $(all_statements) %D%/libwiring.a $(operations_libs)

sbin_PROGRAMS += %D%/leadhook-dispatch
%C%_leadhook_dispatch_SOURCES = %D%/leadhook-dispatch.c %D%/signal_thread.c %D%/signal_thread.h
%C%_leadhook_dispatch_LDADD = %D%/libwiring.a $(sending_libs) $(%C%_libs) $(CURL_LIBS)

# The dashboard learns from the same tables which calls it may repeat.
if WITH_DASHBOARD
noinst_PROGRAMS += %D%/repeatable_calls
endif
%C%_repeatable_calls_SOURCES = %D%/repeatable_calls.c
%C%_repeatable_calls_LDADD = $(operations_libs)

# Completion in the shell uses the same tables.
bashcompdir = $(datadir)/bash-completion/completions
nodist_bashcomp_DATA = %D%/completion/leadhook
CLEANFILES += $(nodist_bashcomp_DATA)
%D%/completion/leadhook: %D%/leadhook$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./%D%/leadhook completion bash >$@.new && mv $@.new $@
