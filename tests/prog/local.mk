# SPDX-License-Identifier: MIT
if HAVE_CMOCKA
check_PROGRAMS += %D%/test_confinement
%C%_test_confinement_SOURCES = %D%/test_confinement.c
%C%_test_confinement_LDADD = src/prog/libwiring.a src/base/libbase.a $(CMOCKA_LIBS)
endif
