noinst_LIBRARIES += %D%/libdeliver.a
%C%_libdeliver_a_SOURCES =
