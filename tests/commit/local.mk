if HAVE_CMOCKA
check_PROGRAMS += %D%/test_client %D%/test_codec %D%/test_committer %D%/test_frame \
	%D%/test_refuser %D%/test_suspects %D%/test_turns
%C%_libs = src/commit/libcommit.a $(engine_libs) $(CMOCKA_LIBS)
%C%_test_codec_SOURCES = %D%/test_codec.c
%C%_test_codec_LDADD = $(%C%_libs)
%C%_test_frame_SOURCES = %D%/test_frame.c
%C%_test_frame_LDADD = $(%C%_libs)
%C%_test_turns_SOURCES = %D%/test_turns.c
%C%_test_turns_LDADD = $(%C%_libs)
%C%_test_client_SOURCES = %D%/test_client.c
%C%_test_client_LDADD = $(%C%_libs)
%C%_test_committer_SOURCES = %D%/test_committer.c %D%/committer_world.c %D%/committer_world.h
%C%_test_committer_LDADD = $(%C%_libs)
%C%_test_refuser_SOURCES = %D%/test_refuser.c %D%/committer_world.c %D%/committer_world.h
%C%_test_refuser_LDADD = $(%C%_libs)
%C%_test_suspects_SOURCES = %D%/test_suspects.c %D%/committer_world.c %D%/committer_world.h
%C%_test_suspects_LDADD = $(%C%_libs)
endif
