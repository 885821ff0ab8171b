noinst_LIBRARIES += %D%/liblogin.a
%C%_liblogin_a_SOURCES = \
	%D%/login.c %D%/login.h %D%/login_call.h \
	%D%/login_attempt.c %D%/login_attempt.h \
	%D%/login_factor.c %D%/login_factor.h \
	%D%/login_password.c %D%/login_password.h
