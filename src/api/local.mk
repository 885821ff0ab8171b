# What answers requests; and what it needs of its own layer and below.
api_libs = src/api/libapi.a src/dashboard/libdashboard.a
call_libs = src/api/libcall.a src/watch/libwatch.a src/page/libpage.a src/text/libtext.a
noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES = \
	%D%/api.c %D%/api.h \
	%D%/handlers/address_proof.c %D%/handlers/address_proof.h \
	%D%/handlers/bulk_calls.c %D%/handlers/bulk_calls.h \
	%D%/handlers/campaign_calls.c %D%/handlers/campaign_calls.h \
	%D%/handlers/code_calls.c %D%/handlers/code_calls.h \
	%D%/handlers/health_calls.c %D%/handlers/health_calls.h \
	%D%/handlers/lead_calls.c %D%/handlers/lead_calls.h \
	%D%/handlers/leaderboard.c %D%/handlers/leaderboard.h \
	%D%/handlers/mail_links.c %D%/handlers/mail_links.h \
	%D%/handlers/payload_calls.c %D%/handlers/payload_calls.h \
	%D%/handlers/signup_page.c %D%/handlers/signup_page.h \
	%D%/handlers/static_files.c %D%/handlers/static_files.h \
	%D%/handlers/status_page.c %D%/handlers/status_page.h \
	%D%/handlers/webhook_calls.c %D%/handlers/webhook_calls.h \
	%D%/handlers/openapi_text.h
nodist_%C%_libapi_a_SOURCES = %D%/handlers/openapi_text.c
noinst_LIBRARIES += %D%/libcall.a
%C%_libcall_a_SOURCES = \
	%D%/call/api_call.c %D%/call/api_call.h \
	%D%/call/authentication.c %D%/call/authentication.h \
	%D%/call/board.c %D%/call/board.h \
	%D%/call/bots.c %D%/call/bots.h \
	%D%/call/call_answers.c %D%/call/call_answers.h \
	%D%/call/campaign_definitions.c %D%/call/campaign_definitions.h \
	%D%/call/call_body.c %D%/call/call_body.h \
	%D%/call/fetch.c %D%/call/fetch.h \
	%D%/call/forms.c %D%/call/forms.h \
	%D%/call/lead_argument.c %D%/call/lead_argument.h \
	%D%/call/limits.c %D%/call/limits.h \
	%D%/call/page_answers.c %D%/call/page_answers.h \
	%D%/call/page_forms.c %D%/call/page_forms.h \
	%D%/call/page_origin.c %D%/call/page_origin.h \
	%D%/call/param_values.c %D%/call/param_values.h \
	%D%/call/param_names.c %D%/call/param_names.h \
	%D%/call/routes.c %D%/call/routes.h \
	%D%/call/service.c %D%/call/service.h \
	%D%/call/signup_arguments.c %D%/call/signup_arguments.h \
	%D%/call/route_list.h \
	%D%/inbound/inbound_entry.c %D%/inbound/inbound_entry.h \
	%D%/inbound/inbound_payload.c %D%/inbound/inbound_payload.h \
	%D%/inbound/inbound_run.c %D%/inbound/inbound_run.h
CLEANFILES += %D%/handlers/openapi_text.c
EXTRA_DIST += docs/openapi.json docs/openapi.yaml

%D%/handlers/openapi_text.c: docs/openapi.json scripts/embed-script
	$(AM_V_GEN)$(MKDIR_P) %D%/handlers && (cd $(srcdir) && $(SHELL) scripts/embed-script docs/openapi.json api/handlers/openapi_text.h openapi_document) >$@.tmp && mv $@.tmp $@
