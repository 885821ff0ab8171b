/* SPDX-License-Identifier: MIT
 * A part of an export, for a remote call: each answer names the place where the next part begins, and the parts together are
 * the file that `lead export` writes (docs/manage.md 1.6). */
#pragma once

#include "operation/operation.h"
#include "transfer/lead_writer.h"

/* Of the place of a part: it is in a header, which web servers limit, as 2 KiB at most. */
enum { EXPORT_PART_ROOM = 1800 };

struct export_part {
	struct lead_writer *writer;
	enum records_format format;
	const struct lead_filter *filter;
	bool by_score;
	struct slice after; /* the place where it begins, which an earlier part has named; absent: at the beginning */
	uint32_t last;      /* subscription number of the campaign now; used at the beginning */
};

/* Outputs the part of the campaign in call->id. Returns 0, or a status after reporting the error. */
int export_part(struct operation_call *call, const struct export_part *part);
