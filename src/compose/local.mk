noinst_LIBRARIES += %D%/libcompose.a
%C%_libcompose_a_SOURCES = \
	%D%/compose.c %D%/compose.h \
	%D%/own_templates.c %D%/own_templates.h \
	%D%/preview.c %D%/preview.h \
	%D%/subject.c %D%/subject.h
