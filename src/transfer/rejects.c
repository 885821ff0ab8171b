/* SPDX-License-Identifier: MIT */
#include "transfer/rejects.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "transfer/csv.h"
#include "json/reader.h"
#include "json/writer.h"

enum { OUT_MAX_BYTES = 8 * RECORD_MAX_BYTES, DEPTH_MAX = 16 };

struct rejects {
	FILE *file;
	enum records_format format;
	char delimiter;
	struct buffer out;
};

static void
write_out(struct rejects *r)
{
	buffer_add_byte(&r->out, '\n');
	const struct slice text = buffer_slice(&r->out);
	fwrite(text.data, 1, text.size, r->file); /* rejects_close reports a failure */
	buffer_clear(&r->out);
}

struct rejects *
rejects_open(const char *path, enum records_format format, struct slice heading, char delimiter)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	struct rejects *r = memory_alloc(sizeof(*r));
	r->file = file;
	r->format = format;
	r->delimiter = delimiter;
	buffer_init(&r->out, OUT_MAX_BYTES);
	if (format == RECORDS_CSV) {
		buffer_printf(&r->out, "_line%c_reason%c", delimiter, delimiter);
		buffer_add(&r->out, heading);
		write_out(r);
	}
	return r;
}

static bool
pass(void *context UNUSED, const struct json_event *event)
{
	return event->depth > 0 || event->type == JSON_OBJECT_BEGIN || event->type == JSON_OBJECT_END;
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
	json_put_u64(&writer, SLICE("_line"), line);
	json_put_text(&writer, SLICE("_reason"), slice_of(reason));
	if (!object)
		json_put_text(&writer, SLICE("_record"), utf8_sanitized(pool, text));
	const struct slice members = object ? slice_trim(slice_sub(text, 1, text.size - 1)) : SLICE("");
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
	if (r->format == RECORDS_NDJSON) {
		add_json(r, line, record, reason);
	} else {
		buffer_printf(&r->out, "%" PRIu64 "%c", line, r->delimiter);
		csv_add_field(&r->out, slice_of(reason));
		buffer_add_byte(&r->out, r->delimiter);
		buffer_add(&r->out, record);
	}
	write_out(r);
}

bool
rejects_close(struct rejects **rejects)
{
	struct rejects *r = *rejects;
	if (r == NULL)
		return true;
	const bool written = fflush(r->file) == 0 && !ferror(r->file);
	const bool closed = fclose(r->file) == 0;
	buffer_free(&r->out);
	free(r);
	*rejects = NULL;
	return written && closed;
}
