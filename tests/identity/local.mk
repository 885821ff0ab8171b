if HAVE_CMOCKA
check_PROGRAMS += %D%/test_address_finder
%C%_test_address_finder_SOURCES = %D%/test_address_finder.c
%C%_test_address_finder_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_address_token
%C%_test_address_token_SOURCES = %D%/test_address_token.c
%C%_test_address_token_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_email
%C%_test_email_SOURCES = %D%/test_email.c
%C%_test_email_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_host_list
%C%_test_host_list_SOURCES = %D%/test_host_list.c
%C%_test_host_list_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_lead_token
%C%_test_lead_token_SOURCES = %D%/test_lead_token.c
%C%_test_lead_token_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_link
%C%_test_link_SOURCES = %D%/test_link.c
%C%_test_link_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_probe_token
%C%_test_probe_token_SOURCES = %D%/test_probe_token.c
%C%_test_probe_token_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_login_throttle
%C%_test_login_throttle_SOURCES = %D%/test_login_throttle.c
%C%_test_login_throttle_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_password_rules
%C%_test_password_rules_SOURCES = %D%/test_password_rules.c
%C%_test_password_rules_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_users
%C%_test_users_SOURCES = %D%/test_users.c
%C%_test_users_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_phone
%C%_test_phone_SOURCES = %D%/test_phone.c
%C%_test_phone_LDADD = $(engine_test_libs)
%C%_test_phone_CPPFLAGS = $(AM_CPPFLAGS)
if WITH_LIBPHONENUMBER
%C%_test_phone_CPPFLAGS += -DWITH_LIBPHONENUMBER
endif
endif
