noinst_LIBRARIES += %D%/libbots.a
%C%_libbots_a_SOURCES = \
	%D%/challenge.c %D%/challenge.h \
	%D%/form_traps.c %D%/form_traps.h
