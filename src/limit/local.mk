noinst_LIBRARIES += %D%/liblimit.a
%C%_liblimit_a_SOURCES = \
	%D%/limiter.c %D%/limiter.h \
	%D%/rule.c %D%/rule.h \
	%D%/window.c %D%/window.h
