noinst_LIBRARIES += %D%/libapi.a
%C%_libapi_a_SOURCES = \
	%D%/api.c %D%/api.h \
	%D%/call.c %D%/call.h \
	%D%/campaigns.c \
	%D%/fields.c \
	%D%/leads.c \
	%D%/routes.c \
	%D%/signup.c \
	%D%/webhooks.c
