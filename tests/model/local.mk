# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/custom_fields.py \
	%D%/database.py \
	%D%/history.py \
	%D%/owners.py \
	%D%/plain.py \
	%D%/player.py \
	%D%/records.py \
	%D%/render.py

# Run by tests/system/leads/test_model.py.
noinst_PROGRAMS += %D%/batch_runner
%C%_batch_runner_SOURCES = %D%/batch_runner.c %D%/tree.c %D%/tree.h
%C%_batch_runner_LDADD = src/store/libstore.a src/db/libdb.a $(engine_libs) $(MARIADB_LIBS)
