noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/asset.h \
	%D%/attributes.h \
	%D%/boolean.c %D%/boolean.h \
	%D%/buffer.c %D%/buffer.h \
	%D%/cache.c %D%/cache.h \
	%D%/colors.c %D%/colors.h \
	%D%/css.c %D%/css.h \
	%D%/duration.c %D%/duration.h \
	%D%/encode.c %D%/encode.h \
	%D%/language_tag.c %D%/language_tag.h \
	%D%/panic.c %D%/panic.h \
	%D%/pool.c %D%/pool.h \
	%D%/result.c %D%/result.h \
	%D%/slice.c %D%/slice.h \
	%D%/stems.c %D%/stems.h \
	%D%/utf8.c %D%/utf8.h
