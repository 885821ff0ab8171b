noinst_LIBRARIES += %D%/libcompose.a
%C%_libcompose_a_SOURCES = \
	%D%/compose.c %D%/compose.h \
	%D%/own_templates.c %D%/own_templates.h \
	%D%/mail_preview.c %D%/mail_preview.h \
	%D%/subject.c %D%/subject.h
