# SPDX-License-Identifier: MIT
schema_files = \
	%D%/0001-initial.sql \
	%D%/0002-names.sql \
	%D%/0003-leases.sql
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = $(schema_files)
EXTRA_DIST += scripts/embed-schema
