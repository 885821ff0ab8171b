noinst_LIBRARIES += %D%/libhttp.a
%C%_libhttp_a_SOURCES = \
	%D%/gzip.c %D%/gzip.h \
	%D%/header.c %D%/header.h \
	%D%/link_query.c %D%/link_query.h \
	%D%/params.c %D%/params.h \
	%D%/params_form.c \
	%D%/params_json.c \
	%D%/params_multipart.c \
	%D%/params_table.c %D%/params_table.h \
	%D%/request.c %D%/request.h \
	%D%/response.c %D%/response.h \
	%D%/http_text.c %D%/http_text.h
