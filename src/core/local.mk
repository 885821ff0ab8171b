noinst_LIBRARIES += %D%/libcore.a
%C%_libcore_a_SOURCES = \
	%D%/address.c %D%/address.h \
	%D%/api_key.c %D%/api_key.h \
	%D%/base64.c %D%/base64.h \
	%D%/client_address.c %D%/client_address.h \
	%D%/command.c %D%/command.h \
	%D%/custom_fields.c %D%/custom_fields.h \
	%D%/decide.c %D%/decide.h \
	%D%/decide_change.c \
	%D%/decide_events.c \
	%D%/decide_fraud.c \
	%D%/decide_referral.c \
	%D%/decide_score.c \
	%D%/decide_signup.c \
	%D%/decide_step.c %D%/decide_step.h \
	%D%/delivery.c %D%/delivery.h \
	%D%/digest.c %D%/digest.h \
	%D%/domain.c %D%/domain.h \
	%D%/email.c %D%/email.h \
	%D%/events.c %D%/events.h \
	%D%/failure.c %D%/failure.h \
	%D%/form.c %D%/form.h \
	%D%/health.c %D%/health.h \
	%D%/host_list.c %D%/host_list.h \
	%D%/id_list.c %D%/id_list.h \
	%D%/link.c %D%/link.h \
	%D%/model.c %D%/model.h \
	%D%/network.c %D%/network.h \
	%D%/payload.c %D%/payload.h \
	%D%/phone.c %D%/phone.h \
	%D%/phone_backend.h \
	%D%/rank.c %D%/rank.h \
	%D%/retry.c %D%/retry.h \
	%D%/signature.c %D%/signature.h \
	%D%/social_id.c %D%/social_id.h \
	%D%/webhook_url.c %D%/webhook_url.h
if WITH_LIBPHONENUMBER
%C%_libcore_a_SOURCES += %D%/phone_shim.cc
else
%C%_libcore_a_SOURCES += %D%/phone_structure.c
endif
# What a program needs that links libcore.a (libbase.a and libjson.a stand between).
CORE_LIBS = $(IDN2_LIBS) $(UNISTRING_LIBS) $(CRYPTO_LIBS) $(PHONENUMBER_LIBS)
