noinst_LIBRARIES += %D%/libwatch.a
%C%_libwatch_a_SOURCES = %D%/watch.c %D%/watch.h
