noinst_LIBRARIES += %D%/liboperation.a
%C%_liboperation_a_SOURCES = \
	%D%/answers.c \
	%D%/audited.c %D%/audited.h \
	%D%/caller.c %D%/caller.h \
	%D%/operation.c %D%/operation.h \
	%D%/output.c %D%/output.h \
	%D%/problem.c %D%/problem.h \
	%D%/progress.c %D%/progress.h \
	%D%/value_types.c %D%/value_types.h \
	%D%/wiring.h
