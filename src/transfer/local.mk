noinst_LIBRARIES += %D%/libtransfer.a
%C%_libtransfer_a_SOURCES = \
	%D%/columns.c %D%/columns.h \
	%D%/csv.c %D%/csv.h \
	%D%/deferred.c %D%/deferred.h \
	%D%/encoding.c %D%/encoding.h \
	%D%/file_kind.c %D%/file_kind.h \
	%D%/lead_writer.c %D%/lead_writer.h \
	%D%/definition_names.c %D%/definition_names.h \
	%D%/records.c %D%/records.h \
	%D%/rejects.c %D%/rejects.h \
	%D%/row.c %D%/row.h \
	%D%/row_reader.c %D%/row_reader.h \
	%D%/consent.c %D%/consent.h \
	%D%/times.c %D%/times.h
