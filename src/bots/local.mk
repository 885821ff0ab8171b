noinst_LIBRARIES += %D%/libbots.a
%C%_libbots_a_SOURCES = \
	%D%/challenge.c %D%/challenge.h \
	%D%/difficulty.c %D%/difficulty.h \
	%D%/honeypot.c %D%/honeypot.h \
	%D%/stamp.c %D%/stamp.h
