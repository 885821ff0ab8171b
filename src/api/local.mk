noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES = \
	%D%/access.c \
	%D%/answer.c \
	%D%/api.c %D%/api.h \
	%D%/board.c %D%/board.h \
	%D%/call.c %D%/call.h \
	%D%/campaigns.c \
	%D%/fetch.c %D%/fetch.h \
	%D%/identifiers.c \
	%D%/leads.c \
	%D%/limits.c \
	%D%/lists.c \
	%D%/opt_out.c \
	%D%/parameters.c %D%/parameters.h \
	%D%/routes.c \
	%D%/signup_fields.c \
	%D%/webhooks.c
