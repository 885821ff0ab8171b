noinst_LIBRARIES += %D%/libmanage.a
%C%_libmanage_a_SOURCES = \
	%D%/access.c \
	%D%/answer.c \
	%D%/arguments.c \
	%D%/identity.c \
	%D%/manage.c %D%/manage.h \
	%D%/members.c %D%/members.h \
	%D%/repeats.c \
	%D%/request.h \
	%D%/sessions.c \
	%D%/table.c \
	%D%/versions.c
