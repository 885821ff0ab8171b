/* SPDX-License-Identifier: MIT
 * Writes leads as records of CSV or NDJSON, which an import can read (leadhook(1), lead export). Values that depend on other
 * leads, such as ranks, are not written. */
#pragma once

#include "base/attributes.h"
#include "base/buffer.h"
#include "base/pool.h"
#include "engine/model.h"
#include "transfer/records.h"

struct lead_writer;

enum {
	LEAD_WRITER_NAMES_MAX = 250, /* columns of custom fields and utm parameters */
	LEAD_WRITER_ANY_ROOM = 1024 * 1024
};
/* `definitions` of the campaign: names of tags and texts of actions; they must stay valid. `delimiter`: for CSV. `room`: how
 * many bytes lead_writer_names may take up in a URL, in addition to 100. */
struct lead_writer *lead_writer_new(
    enum records_format format, char delimiter, const struct definitions *definitions, size_t room);
void lead_writer_free(struct lead_writer **writer);

/* CSV has a column for each custom field and utm parameter of any lead, so all leads must be passed to this function first. It
 * reads only their `custom_fields` and `utm`. If there are too many names, the most frequent ones get columns, and one column
 * contains all others. */
void lead_writer_add_names(struct lead_writer *writer, struct pool *pool, const struct lead *lead);

/* The names collected so far, as a JSON object in the pool; and the reverse, for a writer that continues the work of another.
 * Returns false for any other text, or too many names. */
struct slice lead_writer_names(const struct lead_writer *writer, struct pool *pool);
MUST_CHECK bool lead_writer_set_columns(struct lead_writer *writer, struct slice json);

/* Append the heading of CSV, and a lead. `pool` is for temporary values. */
void lead_writer_heading(struct lead_writer *writer, struct pool *pool, struct buffer *out);
void lead_writer_add(struct lead_writer *writer, struct pool *pool, const struct lead *lead, struct buffer *out);
