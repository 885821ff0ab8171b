noinst_LIBRARIES += %D%/libengine.a
%C%_libengine_a_SOURCES = \
	%D%/command.c %D%/command.h \
	%D%/custom_fields.c %D%/custom_fields.h \
	%D%/decide/decide.c %D%/decide/decide.h \
	%D%/decide/decide_change.c %D%/decide/decide_change.h \
	%D%/decide/decide_import.c %D%/decide/decide_import.h \
	%D%/decide/decide_signup.c %D%/decide/decide_signup.h \
	%D%/decide/decision.h \
	%D%/decide/fraud.c %D%/decide/fraud.h \
	%D%/decide/referral.c %D%/decide/referral.h \
	%D%/decide/requested_messages.c %D%/decide/requested_messages.h \
	%D%/decide/score.c %D%/decide/score.h \
	%D%/decide/settle.c %D%/decide/settle.h \
	%D%/decide/step.c %D%/decide/step.h \
	%D%/decide/working_set.h \
	%D%/events.c %D%/events.h \
	%D%/failure.c %D%/failure.h \
	%D%/id_list.c %D%/id_list.h \
	%D%/inbound_result.h \
	%D%/keywords.c %D%/keywords.h \
	%D%/message.c %D%/message.h \
	%D%/model.c %D%/model.h %D%/model_fields.h \
	%D%/payload.c %D%/payload.h \
	%D%/person_name.c %D%/person_name.h \
	%D%/payload_people.c %D%/payload_people.h \
	%D%/rank.c %D%/rank.h \
	%D%/source.c %D%/source.h \
	%D%/visitors.c %D%/visitors.h
# The libraries to link for a program that uses the rules: these, down to base, and those that they need.
engine_libs = src/engine/libengine.a src/bots/libbots.a src/webhook/libwebhook.a src/identity/libidentity.a src/crypto/liblhcrypto.a \
	src/json/libjson.a src/os/libos.a src/base/libbase.a \
	$(IDN2_LIBS) $(ARGON2_LIBS) $(CRYPTO_LIBS) $(PHONENUMBER_LIBS) $(YAJL_LIBS)
