noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/asset.h \
	%D%/attributes.h \
	%D%/boolean.c %D%/boolean.h \
	%D%/buffer.c %D%/buffer.h \
	%D%/cache.c %D%/cache.h \
	%D%/clock.c %D%/clock.h \
	%D%/colors.c %D%/colors.h \
	%D%/css.c %D%/css.h \
	%D%/descriptors.c %D%/descriptors.h \
	%D%/directory.c %D%/directory.h \
	%D%/duration.c %D%/duration.h \
	%D%/encode.c %D%/encode.h \
	%D%/language_tag.c %D%/language_tag.h \
	%D%/log.c %D%/log.h \
	%D%/log_line.c %D%/log_line.h \
	%D%/log_syslog.c %D%/log_syslog.h \
	%D%/metrics.c %D%/metrics.h %D%/metrics_labels.h \
	%D%/metrics_page.c %D%/metrics_page.h \
	%D%/metrics_table.c %D%/metrics_table.h \
	%D%/notify.c %D%/notify.h \
	%D%/panic.c %D%/panic.h \
	%D%/pool.c %D%/pool.h \
	%D%/random.c %D%/random.h \
	%D%/replacement.c %D%/replacement.h \
	%D%/temporary.c %D%/temporary.h \
	%D%/result.c %D%/result.h \
	%D%/sandbox.c %D%/sandbox.h \
	%D%/shared.c %D%/shared.h \
	%D%/slice.c %D%/slice.h \
	%D%/utf8.c %D%/utf8.h \
	%D%/wake.c %D%/wake.h \
	%D%/zone.c %D%/zone.h
