noinst_LIBRARIES += %D%/libengine.a
%C%_libengine_a_SOURCES = \
	%D%/command.c %D%/command.h \
	%D%/custom_fields.c %D%/custom_fields.h \
	%D%/custom_fields_merge.c \
	%D%/decide/decide.c %D%/decide.h \
	%D%/decide/change.c \
	%D%/decide/events.c \
	%D%/decide/fraud.c \
	%D%/decide/import.c \
	%D%/decide/messages.c \
	%D%/decide/referral.c \
	%D%/decide/score.c \
	%D%/decide/signup.c \
	%D%/decide/step.c %D%/decide/step.h \
	%D%/events.c %D%/events.h %D%/fields.h \
	%D%/failure.c %D%/failure.h \
	%D%/id_list.c %D%/id_list.h \
	%D%/inbound_result.h \
	%D%/keywords.c %D%/keywords.h \
	%D%/message.c %D%/message.h \
	%D%/model.c %D%/model.h \
	%D%/payload.c %D%/payload.h \
	%D%/person_name.c %D%/person_name.h \
	%D%/payload_people.c %D%/payload_people.h \
	%D%/rank.c %D%/rank.h \
	%D%/short_name.c %D%/short_name.h \
	%D%/source.c %D%/source.h \
	%D%/strangers.c %D%/strangers.h
# What links the rules: these, down to base, and the libraries that they need.
engine_libs = src/engine/libengine.a src/bots/libbots.a src/webhook/libwebhook.a src/identity/libidentity.a src/crypto/liblhcrypto.a \
	src/json/libjson.a src/os/libos.a src/base/libbase.a \
	$(IDN2_LIBS) $(ARGON2_LIBS) $(CRYPTO_LIBS) $(PHONENUMBER_LIBS) $(YAJL_LIBS)
