EXTRA_DIST += %D%/decide_world.h %D%/with_rules.h

if HAVE_CMOCKA
core_test_libs = src/core/libcore.a src/json/libjson.a src/base/libbase.a $(CORE_LIBS) $(YAJL_LIBS) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_address
%C%_test_address_SOURCES = %D%/test_address.c
%C%_test_address_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_custom_fields
%C%_test_custom_fields_SOURCES = %D%/test_custom_fields.c
%C%_test_custom_fields_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_decide
%C%_test_decide_SOURCES = %D%/test_decide.c
%C%_test_decide_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_decide_rules
%C%_test_decide_rules_SOURCES = %D%/test_decide_rules.c
%C%_test_decide_rules_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_email
%C%_test_email_SOURCES = %D%/test_email.c
%C%_test_email_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_form
%C%_test_form_SOURCES = %D%/test_form.c
%C%_test_form_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_health
%C%_test_health_SOURCES = %D%/test_health.c
%C%_test_health_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_host_list
%C%_test_host_list_SOURCES = %D%/test_host_list.c
%C%_test_host_list_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_link
%C%_test_link_SOURCES = %D%/test_link.c
%C%_test_link_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_phone
%C%_test_phone_SOURCES = %D%/test_phone.c
%C%_test_phone_LDADD = $(core_test_libs)
%C%_test_phone_CPPFLAGS = $(AM_CPPFLAGS)
if WITH_LIBPHONENUMBER
%C%_test_phone_CPPFLAGS += -DWITH_LIBPHONENUMBER
endif

check_PROGRAMS += %D%/test_rank
%C%_test_rank_SOURCES = %D%/test_rank.c
%C%_test_rank_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_retry
%C%_test_retry_SOURCES = %D%/test_retry.c
%C%_test_retry_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_signature
%C%_test_signature_SOURCES = %D%/test_signature.c
%C%_test_signature_CFLAGS = $(AM_CFLAGS) -pthread
%C%_test_signature_LDADD = $(core_test_libs)

check_PROGRAMS += %D%/test_webhook_url
%C%_test_webhook_url_SOURCES = %D%/test_webhook_url.c
%C%_test_webhook_url_LDADD = $(core_test_libs)
endif
