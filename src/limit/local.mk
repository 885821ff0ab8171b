noinst_LIBRARIES += %D%/liblimit.a
%C%_liblimit_a_SOURCES = \
	%D%/limit_address.c %D%/limit_address.h \
	%D%/work_slots.c %D%/work_slots.h \
	%D%/limiter.c %D%/limiter.h \
	%D%/rule.c %D%/rule.h \
	%D%/window.c %D%/window.h
