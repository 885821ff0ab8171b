if HAVE_CMOCKA
check_PROGRAMS += %D%/test_password
%C%_test_password_SOURCES = %D%/test_password.c
%C%_test_password_LDADD = $(engine_libs) $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_totp
%C%_test_totp_SOURCES = %D%/test_totp.c
%C%_test_totp_LDADD = $(engine_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_seal
%C%_test_seal_SOURCES = %D%/test_seal.c
%C%_test_seal_LDADD = $(engine_test_libs)
endif
