# SPDX-License-Identifier: MIT
# The programs with one more schema step, as the next version has; built only by `make next-programs`, which conftest.py calls.
next_programs = %D%/next/leadhook %D%/next/leadhook-fcgi %D%/next/leadhook-dispatch
EXTRA_PROGRAMS += $(next_programs)
CLEANFILES += $(next_programs) %D%/next/schema_text.c

# It replaces the one of src/store/libstore.a, because an object comes before libraries.
%D%/next/schema_text.c: $(schema_files) %D%/next/9999-next.sql scripts/embed-schema
	$(AM_V_GEN)$(MKDIR_P) %D%/next && $(SHELL) $(top_srcdir)/scripts/embed-schema \
		$(addprefix $(top_srcdir)/,$(schema_files) %D%/next/9999-next.sql) >$@.tmp && mv $@.tmp $@

%C%_next_leadhook_SOURCES = $(src_prog_leadhook_SOURCES)
nodist_%C%_next_leadhook_SOURCES = %D%/next/schema_text.c
%C%_next_leadhook_LDADD = $(src_prog_leadhook_LDADD)

%C%_next_leadhook_fcgi_SOURCES = $(src_prog_leadhook_fcgi_SOURCES)
nodist_%C%_next_leadhook_fcgi_SOURCES = %D%/next/schema_text.c
%C%_next_leadhook_fcgi_LDADD = $(src_prog_leadhook_fcgi_LDADD)

%C%_next_leadhook_dispatch_SOURCES = $(src_prog_leadhook_dispatch_SOURCES)
nodist_%C%_next_leadhook_dispatch_SOURCES = %D%/next/schema_text.c
%C%_next_leadhook_dispatch_LDADD = $(src_prog_leadhook_dispatch_LDADD)

next-programs: $(next_programs)
.PHONY: next-programs

EXTRA_DIST += \
	%D%/conftest.py \
	%D%/next/9999-next.sql \
	%D%/test_hosts.py \
	%D%/test_mails.py \
	%D%/test_nodes.py \
	%D%/test_random_failures.py \
	%D%/test_read_host.py \
	%D%/test_writers.py \
	%D%/trial.py
