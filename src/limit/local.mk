noinst_LIBRARIES += %D%/liblimit.a
%C%_liblimit_a_SOURCES = \
	%D%/address.c %D%/address.h \
	%D%/hash_slots.c %D%/hash_slots.h \
	%D%/limiter.c %D%/limiter.h \
	%D%/rule.c %D%/rule.h \
	%D%/window.c %D%/window.h
