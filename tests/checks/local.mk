# SPDX-License-Identifier: MIT
dist_check_SCRIPTS += %D%/citations.sh %D%/layers.sh %D%/manuals.sh %D%/requirements.sh %D%/sources.sh
if HAVE_CMOCKA
check_PROGRAMS += %D%/test_documented
%C%_test_documented_SOURCES = %D%/test_documented.c $(api_fake)
%C%_test_documented_LDADD = src/conf/libconf.a $(api_fake_libs) $(INIH_LIBS) $(CMOCKA_LIBS)
endif
