noinst_LIBRARIES += %D%/libjson.a
%C%_libjson_a_SOURCES = \
	%D%/reader.c %D%/reader.h \
	%D%/writer.c %D%/writer.h
