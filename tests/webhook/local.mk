EXTRA_DIST += %D%/with_rules.h

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_address_rules
%C%_test_address_rules_SOURCES = %D%/test_address_rules.c
%C%_test_address_rules_LDADD = src/conf/libconf.a $(engine_test_libs) $(INIH_LIBS)

check_PROGRAMS += %D%/test_form
%C%_test_form_SOURCES = %D%/test_form.c
%C%_test_form_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_health
%C%_test_health_SOURCES = %D%/test_health.c
%C%_test_health_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_latency
%C%_test_latency_SOURCES = %D%/test_latency.c
%C%_test_latency_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_mapping
%C%_test_mapping_SOURCES = %D%/test_mapping.c
%C%_test_mapping_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_rate
%C%_test_rate_SOURCES = %D%/test_rate.c
%C%_test_rate_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_retry
%C%_test_retry_SOURCES = %D%/test_retry.c
%C%_test_retry_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_signature
%C%_test_signature_SOURCES = %D%/test_signature.c
%C%_test_signature_CFLAGS = $(AM_CFLAGS) -pthread
%C%_test_signature_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_webhook_url
%C%_test_webhook_url_SOURCES = %D%/test_webhook_url.c
%C%_test_webhook_url_LDADD = src/conf/libconf.a $(engine_test_libs) $(INIH_LIBS)
endif
