noinst_LIBRARIES += %D%/liblogin.a
%C%_liblogin_a_SOURCES = %D%/login.c %D%/login.h
