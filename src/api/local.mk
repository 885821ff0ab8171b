noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES = \
	%D%/access.c \
	%D%/actions.c \
	%D%/answer.c \
	%D%/api.c %D%/api.h \
	%D%/board.c %D%/board.h \
	%D%/boards.c %D%/boards.h \
	%D%/bulk.c \
	%D%/call.c %D%/call.h \
	%D%/campaigns.c \
	%D%/definitions.c \
	%D%/fields.c \
	%D%/identifiers.c \
	%D%/leads.c \
	%D%/limits.c \
	%D%/lists.c \
	%D%/opt_out.c \
	%D%/page.c \
	%D%/lock_wait.c \
	%D%/routes.c \
	%D%/signup.c \
	%D%/webhooks.c
