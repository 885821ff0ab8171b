EXTRA_DIST += %D%/decide/decide_leads.h %D%/decide/decide_tokens.h %D%/decide/decide_world.h

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

check_PROGRAMS += %D%/decide/test_decide
%C%_decide_test_decide_SOURCES = %D%/decide/test_decide.c
%C%_decide_test_decide_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_matching
%C%_decide_test_matching_SOURCES = %D%/decide/test_matching.c
%C%_decide_test_matching_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_claims
%C%_decide_test_claims_SOURCES = %D%/decide/test_claims.c
%C%_decide_test_claims_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_messages
%C%_decide_test_messages_SOURCES = %D%/decide/test_messages.c
%C%_decide_test_messages_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_referral
%C%_decide_test_referral_SOURCES = %D%/decide/test_referral.c
%C%_decide_test_referral_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_fraud
%C%_decide_test_fraud_SOURCES = %D%/decide/test_fraud.c
%C%_decide_test_fraud_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_rules
%C%_decide_test_rules_SOURCES = %D%/decide/test_rules.c
%C%_decide_test_rules_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_tokens
%C%_decide_test_tokens_SOURCES = %D%/decide/test_tokens.c
%C%_decide_test_tokens_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/decide/test_hours
%C%_decide_test_hours_SOURCES = %D%/decide/test_hours.c
%C%_decide_test_hours_LDADD = $(engine_test_libs)

check_PROGRAMS += %D%/test_rank
%C%_test_rank_SOURCES = %D%/test_rank.c
%C%_test_rank_LDADD = $(engine_test_libs)
endif
