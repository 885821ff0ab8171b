noinst_LIBRARIES += %D%/libstore.a
%C%_libstore_a_SOURCES = \
	%D%/admin.c %D%/admin.h \
	%D%/batch.c \
	%D%/bulk.c \
	%D%/check.c %D%/check.h \
	%D%/completion.c \
	%D%/deep.c \
	%D%/deep_statements.h \
	%D%/definitions.c \
	%D%/deliveries.c \
	%D%/dispatch.c %D%/dispatch.h \
	%D%/housekeeping.c \
	%D%/kept.c \
	%D%/load.c \
	%D%/look.c \
	%D%/mark.c \
	%D%/partitions.c \
	%D%/private.h \
	%D%/ranks.c \
	%D%/read.c \
	%D%/redeliver.c \
	%D%/rows.c \
	%D%/schema.c %D%/schema.h \
	%D%/show.c \
	%D%/statements.c %D%/statements.h \
	%D%/store.c %D%/store.h \
	%D%/webhook_admin.c \
	%D%/webhooks.c \
	%D%/write.c
nodist_%C%_libstore_a_SOURCES = %D%/schema_text.c
CLEANFILES += %D%/schema_text.c

%D%/schema_text.c: $(schema_files) scripts/embed-schema
	$(AM_V_GEN)$(MKDIR_P) %D% && $(SHELL) $(top_srcdir)/scripts/embed-schema \
		$(addprefix $(top_srcdir)/,$(schema_files)) >$@.tmp && mv $@.tmp $@
