if HAVE_CMOCKA
check_PROGRAMS += %D%/test_boards
%C%_test_boards_SOURCES = %D%/test_boards.c
%C%_test_boards_LDADD = $(api_libs) $(engine_libs) $(CMOCKA_LIBS)
endif

# The store is the test's own.
api_fake = %D%/fake_figures.c %D%/fake_inbound.c %D%/fake_rows.c %D%/fake_rows.h %D%/fake_service.c %D%/fake_service.h %D%/fake_store.c %D%/fake_store.h %D%/fake_texts.c %D%/fake_webhooks.c %D%/fake_webhooks.h
api_fake_libs = $(api_libs) src/limit/liblimit.a src/http/libhttp.a $(ZLIB_LIBS) $(engine_libs)

if HAVE_CMOCKA
check_PROGRAMS += %D%/test_board
%C%_test_board_SOURCES = %D%/test_board.c
%C%_test_board_LDADD = $(api_libs) $(engine_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_parameters
%C%_test_parameters_SOURCES = %D%/test_parameters.c $(api_fake)
%C%_test_parameters_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_metrics
%C%_test_metrics_SOURCES = %D%/test_metrics.c $(api_fake)
%C%_test_metrics_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_routes
%C%_test_routes_SOURCES = %D%/test_routes.c $(api_fake)
%C%_test_routes_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_reader
%C%_test_reader_SOURCES = %D%/test_reader.c $(api_fake)
%C%_test_reader_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
%C%_test_reader_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms,--wrap=store_find_campaign \
	-Wl,--wrap=store_list_campaigns,--wrap=store_find_versions,--wrap=store_list_leads
endif
