EXTRA_DIST += %D%/links.txt
if HAVE_CMOCKA
check_PROGRAMS += %D%/test_link_query %D%/test_params %D%/test_request %D%/test_response %D%/test_tolerance
%C%_test_link_query_SOURCES = %D%/test_link_query.c
%C%_test_link_query_LDADD = $(%C%_test_params_LDADD)
%C%_test_params_SOURCES = %D%/test_params.c %D%/parsed.h
%C%_test_params_LDADD = src/http/libhttp.a src/json/libjson.a src/os/libos.a src/base/libbase.a $(YAJL_LIBS) $(CMOCKA_LIBS)
%C%_test_request_SOURCES = %D%/test_request.c
%C%_test_request_LDADD = $(%C%_test_params_LDADD)
%C%_test_response_SOURCES = %D%/test_response.c
%C%_test_response_LDADD = $(%C%_test_params_LDADD)
%C%_test_tolerance_SOURCES = %D%/test_tolerance.c %D%/parsed.h
%C%_test_tolerance_LDADD = $(%C%_test_params_LDADD)
endif
