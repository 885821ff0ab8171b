# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/check \
	%D%/cluster \
	%D%/common.sh \
	%D%/disposable-domains \
	%D%/fuzz \
	%D%/openapi \
	%D%/quickstart \
	%D%/release \
	%D%/soak \
	%D%/stack/__init__.py \
	%D%/stack/clock.py \
	%D%/stack/cluster.py \
	%D%/stack/cluster_shell.py \
	%D%/stack/demo.py \
	%D%/stack/examples.py \
	%D%/stack/front.py \
	%D%/stack/galera.py \
	%D%/stack/haproxy.py \
	%D%/stack/installation.py \
	%D%/stack/mariadb.py \
	%D%/stack/process.py \
	%D%/stack/quickstart.py \
	%D%/stack/mailbox.py \
	%D%/stack/receiver.py \
	%D%/stack/traffic.py
