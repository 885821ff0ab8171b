noinst_LIBRARIES += %D%/libcore.a
%C%_libcore_a_SOURCES = \
	%D%/command.h \
	%D%/custom_fields.c %D%/custom_fields.h \
	%D%/decide.c %D%/decide.h \
	%D%/delivery.c %D%/delivery.h \
	%D%/failure.c %D%/failure.h \
	%D%/model.c %D%/model.h \
	%D%/payload.c %D%/payload.h
