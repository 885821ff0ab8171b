noinst_LIBRARIES += %D%/libidentity.a
%C%_libidentity_a_SOURCES = \
	%D%/address_finder.c %D%/address_finder.h \
	%D%/domain.c %D%/domain.h \
	%D%/email.c %D%/email.h \
	%D%/link.c %D%/link.h \
	%D%/login_throttle.c %D%/login_throttle.h \
	%D%/network.c %D%/network.h \
	%D%/password_rules.c %D%/password_rules.h \
	%D%/phone.c %D%/phone.h \
	%D%/phone_backend.h \
	%D%/phone_kind.h \
	%D%/phone_text.c %D%/phone_text.h \
	%D%/random_secret.c %D%/random_secret.h \
	%D%/rights.c %D%/rights.h \
	%D%/signed_token.c %D%/signed_token.h \
	%D%/social_id.c %D%/social_id.h \
	%D%/typed.c %D%/typed.h
if WITH_LIBPHONENUMBER
%C%_libidentity_a_SOURCES += %D%/phone_backend_library.cc
else
%C%_libidentity_a_SOURCES += %D%/phone_backend_structure.c
endif
