if HAVE_CMOCKA
check_PROGRAMS += %D%/test_deferred %D%/test_columns %D%/test_encoding %D%/test_lead_writer %D%/test_definition_names %D%/test_records %D%/test_row
%C%_test_records_SOURCES = %D%/test_records.c
%C%_test_records_LDADD = src/transfer/libtransfer.a src/http/libhttp.a $(engine_libs) $(CMOCKA_LIBS)
%C%_test_deferred_SOURCES = %D%/test_deferred.c
%C%_test_deferred_LDADD = $(%C%_test_records_LDADD)
%C%_test_columns_SOURCES = %D%/test_columns.c
%C%_test_columns_LDADD = $(%C%_test_records_LDADD)
%C%_test_encoding_SOURCES = %D%/test_encoding.c
%C%_test_encoding_LDADD = $(%C%_test_records_LDADD)
%C%_test_lead_writer_SOURCES = %D%/test_lead_writer.c
%C%_test_lead_writer_LDADD = $(%C%_test_records_LDADD)
%C%_test_definition_names_SOURCES = %D%/test_definition_names.c
%C%_test_definition_names_LDADD = $(%C%_test_records_LDADD)
%C%_test_row_SOURCES = %D%/test_row.c
%C%_test_row_LDADD = $(%C%_test_records_LDADD)
endif
