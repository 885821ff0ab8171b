noinst_LIBRARIES += %D%/libjson.a
%C%_libjson_a_SOURCES =
