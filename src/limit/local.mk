noinst_LIBRARIES += %D%/liblimit.a
%C%_liblimit_a_SOURCES = \
	%D%/work_slots.c %D%/work_slots.h \
	%D%/limiter.c %D%/limiter.h \
	%D%/window.c %D%/window.h
