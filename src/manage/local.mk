noinst_LIBRARIES += %D%/libmanage.a
%C%_libmanage_a_SOURCES = \
	%D%/access.c %D%/access.h \
	%D%/arguments.c %D%/arguments.h \
	%D%/call_limits.c %D%/call_limits.h \
	%D%/identity.c %D%/identity.h \
	%D%/manage.c %D%/manage.h \
	%D%/manage_request.c %D%/manage_request.h \
	%D%/members.c %D%/members.h \
	%D%/session_calls.c %D%/session_calls.h
