# With what it needs of its own layer and below.
api_libs = src/api/libapi.a src/dashboard/libdashboard.a src/watch/libwatch.a src/page/libpage.a src/text/libtext.a
noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES = \
	%D%/access.c \
	%D%/answer.c \
	%D%/api.c %D%/api.h \
	%D%/board.c %D%/board.h \
	%D%/bots.c %D%/bots.h \
	%D%/bulk_arguments.c %D%/bulk_arguments.h \
	%D%/call.c %D%/call.h \
	%D%/campaign_definitions.c %D%/campaign_definitions.h \
	%D%/content_encoding.c \
	%D%/document.c %D%/document.h \
	%D%/forms.c \
	%D%/extension.c \
	%D%/fetch.c %D%/fetch.h \
	%D%/inbound.h \
	%D%/payloads.h \
	%D%/mail_link.h \
	%D%/lead_argument.c %D%/lead_argument.h \
	%D%/limits.c \
	%D%/openapi.h \
	%D%/page_forms.c \
	%D%/pages.c %D%/pages.h \
	%D%/parameter_values.c %D%/parameter_values.h \
	%D%/parameters.c %D%/parameters.h \
	%D%/routes.c \
	%D%/signup_arguments.c %D%/signup_arguments.h \
	%D%/signup_fields.c %D%/signup_fields.h \
	%D%/handlers/actions.c \
	%D%/handlers/assets.c \
	%D%/handlers/bulk_calls.c \
	%D%/handlers/campaigns.c \
	%D%/handlers/challenge.c \
	%D%/handlers/code_page.c \
	%D%/handlers/codes.h \
	%D%/handlers/confirm.c \
	%D%/handlers/echo.c \
	%D%/handlers/erase.c \
	%D%/handlers/inbound.c \
	%D%/handlers/inbound_entry.c \
	%D%/handlers/inbound_payload.c \
	%D%/handlers/inbound_webhooks.c \
	%D%/handlers/leaderboard.c \
	%D%/handlers/leads.c \
	%D%/handlers/lead_list.c \
	%D%/handlers/metrics.c \
	%D%/handlers/older.c \
	%D%/handlers/opt_out.c \
	%D%/handlers/pages.c \
	%D%/handlers/sent_page.c \
	%D%/handlers/status_page.c \
	%D%/handlers/verify.c \
	%D%/handlers/webhooks.c
nodist_%C%_libapi_a_SOURCES = %D%/openapi_text.c
CLEANFILES += %D%/openapi_text.c
EXTRA_DIST += docs/openapi.json docs/openapi.yaml

%D%/openapi_text.c: docs/openapi.json scripts/embed-script
	$(AM_V_GEN)$(MKDIR_P) %D% && (cd $(srcdir) && $(SHELL) scripts/embed-script docs/openapi.json api/openapi.h openapi_document) >$@.tmp && mv $@.tmp $@
