# SPDX-License-Identifier: MIT
EXTRA_DIST += \
	%D%/conftest.py \
	%D%/container.py \
	%D%/installed.py \
	%D%/packages.py \
	%D%/test_build.py \
	%D%/test_life_cycle.py \
	%D%/test_setup.py
