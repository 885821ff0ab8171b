noinst_LIBRARIES += %D%/libadmin.a
%C%_libadmin_a_SOURCES =
