noinst_LIBRARIES += %D%/libcommit.a
%C%_libcommit_a_SOURCES = \
	%D%/client.c %D%/client.h \
	%D%/codec.c %D%/codec.h \
	%D%/committer.c %D%/committer.h \
	%D%/commit_directory.c %D%/commit_directory.h \
	%D%/endpoint.c %D%/endpoint.h \
	%D%/frame.c %D%/frame.h \
	%D%/receiver.c %D%/receiver.h \
	%D%/suspects.c %D%/suspects.h \
	%D%/turns.c %D%/turns.h
