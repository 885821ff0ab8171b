# SPDX-License-Identifier: MIT
# Built only by `make bench-programs`, which bench/run calls.
bench_programs = %D%/ceiling %D%/curl_loop %D%/open_load %D%/receiver
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)

%C%_ceiling_SOURCES = %D%/ceiling.c
%C%_ceiling_LDADD = -lfcgi

%C%_curl_loop_SOURCES = %D%/curl_loop.c
%C%_curl_loop_LDADD = $(CURL_LIBS)

%C%_open_load_SOURCES = %D%/open_load.c %D%/common.h
%C%_open_load_LDADD = -lm

%C%_receiver_SOURCES = %D%/receiver.c %D%/common.h

bench-programs: $(bench_programs)
.PHONY: bench-programs

EXTRA_DIST += \
	%D%/README.md \
	%D%/harness/__init__.py \
	%D%/harness/bench.py \
	%D%/harness/client.py \
	%D%/harness/cluster.py \
	%D%/harness/deliver.py \
	%D%/harness/front.py \
	%D%/harness/graphile.py \
	%D%/harness/growth.py \
	%D%/harness/mail.py \
	%D%/harness/main.py \
	%D%/harness/measures.py \
	%D%/harness/management.py \
	%D%/harness/noisy.py \
	%D%/harness/open_loop.py \
	%D%/harness/receiving.py \
	%D%/harness/report.py \
	%D%/harness/requests.py \
	%D%/harness/running.py \
	%D%/harness/sets.py \
	%D%/harness/subjects.py \
	%D%/harness/views.py \
	%D%/harness/watching.py \
	%D%/lead.lua \
	%D%/results/2026-11-30-before.json \
	%D%/results/2026-11-30-lanes.json \
	%D%/results/2026-12-01.json \
	%D%/results/README.md \
	%D%/node/deliver.js \
	%D%/node/lead.js \
	%D%/node/package-lock.json \
	%D%/node/package.json \
	%D%/node/payload.js \
	%D%/php/dispatch.php \
	%D%/php/fpm.conf \
	%D%/php/lead.php \
	%D%/php/payload.php \
	%D%/php/schema.sql \
	%D%/run
