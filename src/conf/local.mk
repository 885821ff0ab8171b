noinst_LIBRARIES += %D%/libconf.a
%C%_libconf_a_SOURCES = \
	%D%/conf.c %D%/conf.h \
	%D%/file.c %D%/file.h \
	%D%/setting_table.c %D%/setting_table.h
