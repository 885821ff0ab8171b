# SPDX-License-Identifier: MIT
schema_files = \
	%D%/0001-initial.sql
schemadir = $(pkgdatadir)/schema
dist_schema_DATA = $(schema_files)
EXTRA_DIST += scripts/embed-schema
