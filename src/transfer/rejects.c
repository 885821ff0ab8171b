/* SPDX-License-Identifier: MIT */
#include "transfer/rejects.h"

#include <errno.h>
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
	bool repeats; /* the file that is imported is such a file itself */
	struct buffer out;
};

/* What the columns, or members, in front of each record are called. */
#define LINE "_line"
#define REASON "_reason"

static void
write_out(struct rejects *r)
{
	buffer_add_byte(&r->out, '\n');
	const struct slice text = buffer_slice(&r->out);
	fwrite(text.data, 1, text.size, r->file); /* rejects_close reports a failure */
	buffer_clear(&r->out);
}

/* Links are not followed, and files of others are not used: the file has personal data. */
static int
open_own(const char *path)
{
	struct stat about;
	const int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -1;
	const bool seen = fstat(fd, &about) == 0;
	const bool own = seen && S_ISREG(about.st_mode) && about.st_uid == geteuid() && about.st_nlink == 1;
	if (own && fchmod(fd, S_IRUSR | S_IWUSR) == 0 && ftruncate(fd, 0) == 0)
		return fd;
	const int error = own || !seen ? errno : EPERM;
	close(fd);
	errno = error;
	return -1;
}

struct rejects *
rejects_open(const char *path, enum records_format format, struct slice heading, char delimiter)
{
	const int fd = open_own(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (file == NULL) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	char own[sizeof(LINE) + sizeof(REASON) + 1];
	struct rejects *r = memory_alloc(sizeof(*r));
	r->file = file;
	r->format = format;
	r->delimiter = delimiter;
	buffer_init(&r->out, OUT_MAX_BYTES);
	if (format == RECORDS_CSV) {
		const size_t size = (size_t)snprintf(own, sizeof(own), LINE "%c" REASON "%c", delimiter, delimiter);
		r->repeats = slice_starts_with(heading, (struct slice){ own, size });
		if (!r->repeats)
			buffer_add_text(&r->out, own);
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

/* The members of an object, without those that an earlier import has put in front. */
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
