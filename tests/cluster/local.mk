# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/conftest.py \
	%D%/test_hosts.py \
	%D%/test_mails.py \
	%D%/test_nodes.py \
	%D%/test_random_failures.py \
	%D%/test_read_host.py \
	%D%/test_writers.py \
	%D%/trial.py
