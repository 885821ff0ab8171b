# SPDX-License-Identifier: MIT
# One program per target. With --enable-fuzzers they use libFuzzer (scripts/fuzz), otherwise their seeds are tests.
fuzz_targets = %D%/fuzz_address %D%/fuzz_challenge %D%/fuzz_conf %D%/fuzz_email %D%/fuzz_fastcgi %D%/fuzz_form %D%/fuzz_forwarded \
	%D%/fuzz_json %D%/fuzz_jsonp %D%/fuzz_leads %D%/fuzz_manage %D%/fuzz_mapping %D%/fuzz_message %D%/fuzz_multipart %D%/fuzz_path %D%/fuzz_phone \
	%D%/fuzz_request %D%/fuzz_retry %D%/fuzz_template %D%/fuzz_url

if ENABLE_FUZZERS
EXTRA_PROGRAMS += $(fuzz_targets)
CLEANFILES += $(fuzz_targets)
%C%_main =
else
check_PROGRAMS += $(fuzz_targets)
%C%_main = %D%/driver.c
endif

# As automake does for `all`: headers that are made come before the objects.
fuzz-targets: $(BUILT_SOURCES)
	$(MAKE) $(AM_MAKEFLAGS) $(fuzz_targets)
.PHONY: fuzz-targets

%C%_common = %D%/fuzz.h $(%C%_main)
%C%_params = %D%/params_rules.c %D%/params_rules.h $(%C%_common)
%C%_answers = %D%/answer_rules.c %D%/answer_rules.h $(api_fake) $(%C%_common)
%C%_ldflags = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
%C%_core_libs = $(engine_libs)
%C%_http_libs = src/http/libhttp.a $(%C%_core_libs)

%C%_fuzz_address_SOURCES = %D%/fuzz_address.c $(%C%_common)
%C%_fuzz_address_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_address_LDADD = $(%C%_core_libs)

%C%_fuzz_challenge_SOURCES = %D%/fuzz_challenge.c $(%C%_common)
%C%_fuzz_challenge_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_challenge_LDADD = $(%C%_core_libs)

%C%_fuzz_conf_SOURCES = %D%/fuzz_conf.c $(%C%_common)
%C%_fuzz_conf_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_conf_LDADD = src/conf/libconf.a src/os/libos.a src/base/libbase.a $(INIH_LIBS)

%C%_fuzz_email_SOURCES = %D%/fuzz_email.c $(%C%_common)
%C%_fuzz_email_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_email_LDADD = $(%C%_core_libs)

%C%_fuzz_fastcgi_SOURCES = %D%/fuzz_fastcgi.c $(%C%_common)
%C%_fuzz_fastcgi_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_fastcgi_LDADD = src/fcgi/libfcgi.a src/os/libos.a src/base/libbase.a

%C%_fuzz_form_SOURCES = %D%/fuzz_form.c $(%C%_params)
%C%_fuzz_form_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_form_LDADD = $(%C%_http_libs)

%C%_fuzz_forwarded_SOURCES = %D%/fuzz_forwarded.c $(%C%_common)
%C%_fuzz_forwarded_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_forwarded_LDADD = $(%C%_core_libs)

%C%_fuzz_json_SOURCES = %D%/fuzz_json.c $(%C%_params)
%C%_fuzz_json_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_json_LDADD = $(%C%_http_libs)

%C%_fuzz_jsonp_SOURCES = %D%/fuzz_jsonp.c $(%C%_answers)
%C%_fuzz_jsonp_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_jsonp_LDADD = $(api_fake_libs)

%C%_fuzz_leads_SOURCES = %D%/fuzz_leads.c $(%C%_common)
%C%_fuzz_leads_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_leads_LDADD = src/transfer/libtransfer.a $(%C%_http_libs)

%C%_fuzz_manage_SOURCES = %D%/fuzz_manage.c $(%C%_common)
%C%_fuzz_manage_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_manage_LDADD = $(management_libs)

%C%_fuzz_mapping_SOURCES = %D%/fuzz_mapping.c $(%C%_common)
%C%_fuzz_mapping_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_mapping_LDADD = $(%C%_core_libs)

%C%_fuzz_message_SOURCES = %D%/fuzz_message.c $(%C%_common)
%C%_fuzz_message_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_message_LDADD = $(mail_libs)

%C%_fuzz_multipart_SOURCES = %D%/fuzz_multipart.c $(%C%_params)
%C%_fuzz_multipart_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_multipart_LDADD = $(%C%_http_libs)

%C%_fuzz_path_SOURCES = %D%/fuzz_path.c $(%C%_common)
%C%_fuzz_path_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_path_LDADD = $(%C%_http_libs)

%C%_fuzz_phone_SOURCES = %D%/fuzz_phone.c $(%C%_common)
%C%_fuzz_phone_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_phone_LDADD = $(%C%_core_libs)

%C%_fuzz_request_SOURCES = %D%/fuzz_request.c $(%C%_answers)
%C%_fuzz_request_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_request_LDADD = $(api_fake_libs)

%C%_fuzz_retry_SOURCES = %D%/fuzz_retry.c $(%C%_common)
%C%_fuzz_retry_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_retry_LDADD = $(%C%_core_libs)

%C%_fuzz_template_SOURCES = %D%/fuzz_template.c $(%C%_common)
%C%_fuzz_template_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_template_LDADD = $(mail_libs)

%C%_fuzz_url_SOURCES = %D%/fuzz_url.c $(%C%_common)
%C%_fuzz_url_LDFLAGS = $(%C%_ldflags)
%C%_fuzz_url_LDADD = $(%C%_core_libs)

EXTRA_DIST += %D%/seeds
