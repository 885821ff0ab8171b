if HAVE_CMOCKA
check_PROGRAMS += %D%/call/test_board_cache
%C%_call_test_board_cache_SOURCES = %D%/call/test_board_cache.c
%C%_call_test_board_cache_LDADD = $(api_libs) $(call_libs) $(engine_libs) $(CMOCKA_LIBS)
endif

# The tests have their own store.
api_fake = %D%/fake_figures.c %D%/fake_inbound.c %D%/fake_rows.c %D%/fake_rows.h %D%/fake_service.c %D%/fake_service.h %D%/fake_store.c %D%/fake_store.h %D%/fake_texts.c %D%/fake_webhooks.c %D%/fake_webhooks.h
api_fake_libs = $(api_libs) $(call_libs) src/limit/liblimit.a src/http/libhttp.a $(ZLIB_LIBS) $(engine_libs)

if HAVE_CMOCKA
check_PROGRAMS += %D%/call/test_board
%C%_call_test_board_SOURCES = %D%/call/test_board.c
%C%_call_test_board_LDADD = $(api_libs) $(call_libs) $(engine_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/call/test_param_names
%C%_call_test_param_names_SOURCES = %D%/call/test_param_names.c $(api_fake)
%C%_call_test_param_names_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_metrics
%C%_test_metrics_SOURCES = %D%/test_metrics.c $(api_fake)
%C%_test_metrics_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/test_routes
%C%_test_routes_SOURCES = %D%/test_routes.c $(api_fake)
%C%_test_routes_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
check_PROGRAMS += %D%/call/test_fetch
%C%_call_test_fetch_SOURCES = %D%/call/test_fetch.c $(api_fake)
%C%_call_test_fetch_LDADD = $(api_fake_libs) $(CMOCKA_LIBS)
%C%_call_test_fetch_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms,--wrap=store_find_campaign \
	-Wl,--wrap=store_list_campaigns,--wrap=store_find_versions,--wrap=store_list_leads
endif
