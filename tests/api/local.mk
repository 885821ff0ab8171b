if HAVE_CMOCKA
check_PROGRAMS += %D%/test_boards
%C%_test_boards_SOURCES = %D%/test_boards.c
%C%_test_boards_LDADD = src/api/libapi.a src/limit/liblimit.a src/base/libbase.a $(CMOCKA_LIBS)
endif
