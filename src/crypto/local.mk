noinst_LIBRARIES += %D%/liblhcrypto.a
%C%_liblhcrypto_a_SOURCES = \
	%D%/base64.c %D%/base64.h \
	%D%/digest.c %D%/digest.h \
	%D%/password.c %D%/password.h \
	%D%/seal.c %D%/seal.h \
	%D%/totp.c %D%/totp.h
