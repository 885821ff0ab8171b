if HAVE_CMOCKA
check_PROGRAMS += %D%/test_store %D%/test_operators %D%/test_definitions %D%/test_deep \
	%D%/test_addresses %D%/test_batch %D%/test_load %D%/test_kept %D%/test_write %D%/test_lists %D%/test_show %D%/test_bulk \
	%D%/test_dispatch %D%/test_look %D%/test_deliveries %D%/test_redeliver %D%/test_webhook_admin \
	%D%/test_partitions %D%/test_retention %D%/test_transactions %D%/test_plans
%C%_world = %D%/world.c %D%/world.h %D%/private_server.c %D%/private_server.h
%C%_claims = %D%/claims.c %D%/claims.h
%C%_libs = src/store/libstore.a src/db/libdb.a src/core/libcore.a src/json/libjson.a src/base/libbase.a \
	$(MARIADB_LIBS) $(YAJL_LIBS) $(CORE_LIBS) $(CMOCKA_LIBS)

%C%_test_store_SOURCES = %D%/test_store.c $(%C%_world)
%C%_test_store_LDADD = $(%C%_libs)

%C%_test_operators_SOURCES = %D%/test_operators.c $(%C%_world)
%C%_test_operators_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=store_ready
%C%_test_operators_LDADD = $(%C%_libs)

%C%_test_definitions_SOURCES = %D%/test_definitions.c $(%C%_world)
%C%_test_definitions_LDADD = $(%C%_libs)

%C%_test_deep_SOURCES = %D%/test_deep.c $(%C%_claims) $(%C%_world)
%C%_test_deep_LDADD = $(%C%_libs)

# These break transactions.
%C%_breaks = %D%/breaks.c %D%/breaks.h
%C%_breaking = $(AM_LDFLAGS) -Wl,--wrap=db_commit -Wl,--wrap=db_begin

%C%_test_batch_SOURCES = %D%/test_batch.c $(%C%_breaks) $(%C%_world)
%C%_test_batch_LDFLAGS = $(%C%_breaking)
%C%_test_batch_LDADD = $(%C%_libs)

%C%_test_addresses_SOURCES = %D%/test_addresses.c $(%C%_breaks) $(%C%_world)
%C%_test_addresses_LDFLAGS = $(%C%_breaking)
%C%_test_addresses_LDADD = $(%C%_libs)

%C%_test_kept_SOURCES = %D%/test_kept.c $(%C%_breaks) $(%C%_world)
%C%_test_kept_LDFLAGS = $(%C%_breaking)
%C%_test_kept_LDADD = $(%C%_libs)

%C%_test_load_SOURCES = %D%/test_load.c $(%C%_world)
%C%_test_load_LDADD = $(%C%_libs)

%C%_test_plans_SOURCES = %D%/test_plans.c %D%/asked.c %D%/asked.h %D%/planted.c %D%/planted.h \
	$(%C%_world)
%C%_test_plans_LDADD = $(%C%_libs)

%C%_test_write_SOURCES = %D%/test_write.c $(%C%_world)
%C%_test_write_LDADD = $(%C%_libs)

%C%_test_lists_SOURCES = %D%/test_lists.c $(%C%_world)
%C%_test_lists_LDADD = $(%C%_libs)

%C%_test_show_SOURCES = %D%/test_show.c $(%C%_world)
%C%_test_show_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_monotonic_ms
%C%_test_show_LDADD = $(%C%_libs)

%C%_test_bulk_SOURCES = %D%/test_bulk.c $(%C%_breaks) $(%C%_world)
%C%_test_bulk_LDFLAGS = $(%C%_breaking)
%C%_test_bulk_LDADD = $(%C%_libs)

%C%_test_look_SOURCES = %D%/test_look.c $(%C%_claims) $(%C%_world)
%C%_test_look_LDADD = $(%C%_libs)

%C%_test_dispatch_SOURCES = %D%/test_dispatch.c $(%C%_claims) $(%C%_world)
%C%_test_dispatch_LDADD = $(%C%_libs)

%C%_test_deliveries_SOURCES = %D%/test_deliveries.c $(%C%_claims) $(%C%_world)
%C%_test_deliveries_LDADD = $(%C%_libs)

%C%_days = %D%/days.c %D%/days.h
%C%_test_partitions_SOURCES = %D%/test_partitions.c $(%C%_days) $(%C%_claims) $(%C%_world)
%C%_test_partitions_LDADD = $(%C%_libs)

%C%_test_retention_SOURCES = %D%/test_retention.c $(%C%_days) $(%C%_claims) $(%C%_world)
%C%_test_retention_LDADD = $(%C%_libs)

%C%_test_redeliver_SOURCES = %D%/test_redeliver.c $(%C%_claims) $(%C%_world)
%C%_test_redeliver_LDADD = $(%C%_libs)

%C%_test_webhook_admin_SOURCES = %D%/test_webhook_admin.c $(%C%_claims) $(%C%_world)
%C%_test_webhook_admin_LDADD = $(%C%_libs)

%C%_test_transactions_SOURCES = %D%/test_transactions.c $(%C%_breaks) $(%C%_world)
%C%_test_transactions_LDFLAGS = $(%C%_breaking)
%C%_test_transactions_LDADD = $(%C%_libs)
endif
