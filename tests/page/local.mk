page_test_libs = src/page/libpage.a src/text/libtext.a $(engine_libs) $(CMOCKA_LIBS)

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_page_fields %D%/test_looks %D%/test_pages
%C%_test_page_fields_SOURCES = %D%/test_page_fields.c
%C%_test_page_fields_LDADD = $(page_test_libs)
%C%_test_looks_SOURCES = %D%/test_looks.c
%C%_test_looks_LDADD = $(page_test_libs)
%C%_test_pages_SOURCES = %D%/test_pages.c
%C%_test_pages_LDADD = $(page_test_libs)
endif
