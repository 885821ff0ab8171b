/* SPDX-License-Identifier: MIT
 * The arguments of an import (leadhook(1), lead import). */
#pragma once

#include "operation/value_types.h"
#include "transfer/encoding.h"
#include "transfer/row.h"

struct import_arguments {
	struct value_content records;
	struct charset encoding; /* has_encoding */
	bool has_encoding;
	char delimiter;                             /* NUL: it is detected */
	uint64_t heading;                           /* number of its line; 0: it is found */
	struct value_pairs maps, constants, values; /* COLUMN=FIELD, NAME=VALUE, COLUMN:VALUE=MEANING */
	enum date_order dates;
	const char *rejects; /* a file; NULL: none */
	struct slice file_name;
	uint64_t first_line; /* 0: the file is no part of another */
	uint32_t last_number;
	bool look, dry_run, strict, make_tags, add_tags, drop_unknown_referrers, events, base64, more;
};

extern const struct value_type value_delimiter; /* char */
