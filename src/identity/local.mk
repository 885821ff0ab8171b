noinst_LIBRARIES += %D%/libidentity.a
%C%_libidentity_a_SOURCES = \
	%D%/address_finder.c %D%/address_finder.h \
	%D%/address_hash.c %D%/address_hash.h \
	%D%/address_token.c %D%/address_token.h \
	%D%/api_key.c %D%/api_key.h \
	%D%/client_address.c %D%/client_address.h \
	%D%/domain.c %D%/domain.h \
	%D%/email.c %D%/email.h \
	%D%/host_list.c %D%/host_list.h \
	%D%/lead_token.c %D%/lead_token.h \
	%D%/link.c %D%/link.h \
	%D%/login_throttle.c %D%/login_throttle.h \
	%D%/network.c %D%/network.h \
	%D%/password_rules.c %D%/password_rules.h \
	%D%/phone.c %D%/phone.h \
	%D%/phone_backend.h \
	%D%/phone_kind.h \
	%D%/phone_text.c %D%/phone_text.h \
	%D%/probe_token.c %D%/probe_token.h \
	%D%/rights.c %D%/rights.h \
	%D%/role.c %D%/role.h \
	%D%/social_id.c %D%/social_id.h \
	%D%/typed.c %D%/typed.h \
	%D%/user_token.c %D%/user_token.h
if WITH_LIBPHONENUMBER
%C%_libidentity_a_SOURCES += %D%/phone_backend_library.cc
else
%C%_libidentity_a_SOURCES += %D%/phone_backend_structure.c
endif
