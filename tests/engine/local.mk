EXTRA_DIST += %D%/decide_leads.h %D%/decide_tokens.h %D%/decide_world.h

if HAVE_CMOCKA
engine_test_libs = $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_keywords
%C%_test_keywords_SOURCES = %D%/test_keywords.c
%C%_test_keywords_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_short_name
%C%_test_short_name_SOURCES = %D%/test_short_name.c
%C%_test_short_name_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_payload_people
%C%_test_payload_people_SOURCES = %D%/test_payload_people.c
%C%_test_payload_people_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_custom_fields
%C%_test_custom_fields_SOURCES = %D%/test_custom_fields.c
%C%_test_custom_fields_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide
%C%_test_decide_SOURCES = %D%/test_decide.c
%C%_test_decide_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_matching
%C%_test_decide_matching_SOURCES = %D%/test_decide_matching.c
%C%_test_decide_matching_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_claims
%C%_test_decide_claims_SOURCES = %D%/test_decide_claims.c
%C%_test_decide_claims_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_messages
%C%_test_decide_messages_SOURCES = %D%/test_decide_messages.c
%C%_test_decide_messages_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_referral
%C%_test_decide_referral_SOURCES = %D%/test_decide_referral.c
%C%_test_decide_referral_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_fraud
%C%_test_decide_fraud_SOURCES = %D%/test_decide_fraud.c
%C%_test_decide_fraud_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_rules
%C%_test_decide_rules_SOURCES = %D%/test_decide_rules.c
%C%_test_decide_rules_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_decide_tokens
%C%_test_decide_tokens_SOURCES = %D%/test_decide_tokens.c
%C%_test_decide_tokens_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_hours
%C%_test_hours_SOURCES = %D%/test_hours.c
%C%_test_hours_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_rank
%C%_test_rank_SOURCES = %D%/test_rank.c
%C%_test_rank_LDADD = $(engine_test_libs)
endif
