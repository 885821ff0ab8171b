if HAVE_CMOCKA
check_PROGRAMS += %D%/test_text
%C%_test_text_SOURCES = %D%/test_text.c
%C%_test_text_LDADD = src/text/libtext.a src/os/libos.a src/base/libbase.a $(CMOCKA_LIBS)
endif
dist_check_SCRIPTS += %D%/test_texts.sh
