noinst_LIBRARIES += %D%/liboperation.a
%C%_liboperation_a_SOURCES = \
	%D%/audited_run.c %D%/audited_run.h \
	%D%/caller.c %D%/caller.h \
	%D%/operation.c %D%/operation.h \
	%D%/output.c %D%/output.h \
	%D%/parameter.c %D%/parameter.h \
	%D%/operation_problem.c %D%/operation_problem.h \
	%D%/progress.c %D%/progress.h \
	%D%/object_settings.c %D%/object_settings.h \
	%D%/value_types.c %D%/value_types.h \
	%D%/operation_wiring.h
