/* SPDX-License-Identifier: MIT */
#include "transfer/rejects.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "os/replacement.h"
#include "transfer/csv.h"
#include "json/reader.h"
#include "json/writer.h"

enum { PIECE_BYTES = 64 * 1024, OUT_MAX_BYTES = PIECE_BYTES + 8 * RECORD_MAX_BYTES, DEPTH_MAX = 16 };

struct rejects {
	struct replacement file;
	int number; /* of the first error */
	enum records_format format;
	char delimiter;
	bool repeats; /* the imported file is such a file itself */
	struct buffer out;
};

/* Names of the columns, or members, in front of each record. */
#define LINE "_line"
#define REASON "_reason"

static void
write_out(struct rejects *r)
{
	if (r->number == 0)
		r->number = buffer_ok(&r->out) ? write_fully(r->file.fd, buffer_slice(&r->out)) : EFBIG;
	buffer_clear(&r->out);
}

static void
end_record(struct rejects *r)
{
	buffer_add_byte(&r->out, '\n');
	if (r->out.size >= PIECE_BYTES)
		write_out(r);
}

struct rejects *
rejects_open(const char *path, enum records_format format, struct slice heading, char delimiter)
{
	char own[sizeof(LINE) + sizeof(REASON) + 1];
	struct rejects *r = memory_alloc(sizeof(*r));
	r->number = replacement_begin(&r->file, path, S_IRUSR | S_IWUSR);
	if (r->number != 0) {
		errno = r->number;
		free(r);
		return NULL;
	}
	r->format = format;
	r->delimiter = delimiter;
	buffer_init(&r->out, OUT_MAX_BYTES);
	if (format == RECORDS_CSV) {
		const size_t size = (size_t)snprintf(own, sizeof(own), LINE "%c" REASON "%c", delimiter, delimiter);
		r->repeats = slice_starts_with(heading, (struct slice){ own, size });
		if (!r->repeats)
			buffer_add_text(&r->out, own);
		buffer_add(&r->out, heading);
		end_record(r);
	}
	return r;
}

static bool
pass(void *context UNUSED, const struct json_event *event)
{
	return event->depth > 0 || event->type == JSON_OBJECT_BEGIN || event->type == JSON_OBJECT_END;
}

/* The members of an object, without those that an earlier import put in front. */
static struct slice
own_members(struct slice object)
{
	const struct slice line = SLICE("\"" LINE "\":"), reason = SLICE(",\"" REASON "\":\"");
	const struct slice members = slice_trim(slice_sub(object, 1, object.size - 1));
	size_t at = line.size;
	if (!slice_starts_with(members, line))
		return members;
	while (at < members.size && ascii_is_digit(members.data[at]))
		at++;
	if (!slice_starts_with(slice_sub(members, at, members.size), reason))
		return members;
	for (at += reason.size; at < members.size && members.data[at] != '"'; at++)
		at += members.data[at] == '\\' ? 1 : 0;
	const struct slice rest = slice_trim(slice_sub(members, at + 1, members.size));
	return slice_starts_with(rest, SLICE(",")) ? slice_trim(slice_sub(rest, 1, rest.size)) : rest;
}

static void
add_csv(struct rejects *r, uint64_t line, struct slice record, const char *reason)
{
	enum { OWN_FIELDS = 2 };
	struct pool *pool = pool_new();
	buffer_printf(&r->out, "%" PRIu64 "%c", line, r->delimiter);
	csv_add_cell(&r->out, slice_of(reason), r->delimiter);
	buffer_add_byte(&r->out, r->delimiter);
	buffer_add(&r->out, r->repeats ? csv_without_first(pool, record, r->delimiter, OWN_FIELDS) : record);
	pool_free(&pool);
}

static void
add_json(struct rejects *r, uint64_t line, struct slice record, const char *reason)
{
	struct json_problem problem;
	struct json_writer writer;
	struct pool *pool = pool_new();
	const struct slice text = slice_trim(record);
	const bool object = json_read(text, DEPTH_MAX, pass, NULL, &problem);
	json_writer_init(&writer, &r->out);
	json_begin_object(&writer);
	json_put_u64(&writer, SLICE(LINE), line);
	json_put_text(&writer, SLICE(REASON), slice_of(reason));
	if (!object)
		json_put_text(&writer, SLICE("_record"), utf8_sanitized(pool, text));
	const struct slice members = object ? own_members(text) : SLICE("");
	if (members.size > 0) {
		buffer_add_byte(&r->out, ',');
		buffer_add(&r->out, members);
	}
	json_end_object(&writer);
	pool_free(&pool);
}

void
rejects_add(struct rejects *r, uint64_t line, struct slice record, const char *reason)
{
	if (r->format == RECORDS_NDJSON)
		add_json(r, line, record, reason);
	else
		add_csv(r, line, record, reason);
	end_record(r);
}

int
rejects_close(struct rejects **rejects)
{
	struct rejects *r = *rejects;
	if (r == NULL)
		return 0;
	write_out(r);
	int number = r->number;
	if (number == 0)
		number = replacement_finish(&r->file);
	else
		replacement_abandon(&r->file);
	buffer_free(&r->out);
	free(r);
	*rejects = NULL;
	return number;
}
