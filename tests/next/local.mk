# SPDX-License-Identifier: MIT
# The next version, which has one more schema step. Tests that upgrade to it build its programs with `make next-programs`.
next_schema = %D%/schema_text.c
next_programs = %D%/leadhook %D%/leadhook-fcgi %D%/leadhook-dispatch
EXTRA_PROGRAMS += $(next_programs)
CLEANFILES += $(next_programs) $(next_schema)

# This object replaces that of src/store/libstore.a, because objects come before libraries.
%D%/schema_text.c: $(schema_files) %D%/9999-next.sql scripts/embed-schema
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(top_srcdir)/scripts/embed-schema \
		$(addprefix $(top_srcdir)/,$(schema_files) %D%/9999-next.sql) >$@.tmp && mv $@.tmp $@

%C%_leadhook_SOURCES = $(src_prog_leadhook_SOURCES)
nodist_%C%_leadhook_SOURCES = $(next_schema)
%C%_leadhook_LDADD = $(src_prog_leadhook_LDADD)

%C%_leadhook_fcgi_SOURCES = $(src_prog_leadhook_fcgi_SOURCES)
nodist_%C%_leadhook_fcgi_SOURCES = $(next_schema)
%C%_leadhook_fcgi_LDADD = $(src_prog_leadhook_fcgi_LDADD)

%C%_leadhook_dispatch_SOURCES = $(src_prog_leadhook_dispatch_SOURCES)
nodist_%C%_leadhook_dispatch_SOURCES = $(next_schema)
%C%_leadhook_dispatch_LDADD = $(src_prog_leadhook_dispatch_LDADD)

next-programs: $(next_programs)
.PHONY: next-programs

EXTRA_DIST += %D%/9999-next.sql
