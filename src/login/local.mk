noinst_LIBRARIES += %D%/liblogin.a
%C%_liblogin_a_SOURCES = \
	%D%/check.h \
	%D%/factor.c \
	%D%/login.c %D%/login.h \
	%D%/passwords.c
