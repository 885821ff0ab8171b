/* SPDX-License-Identifier: MIT */
#include "transfer/records.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "base/utf8.h"

/* A window on the file, with room for the longest record and for whatever shows that it has ended. UTF-8 may need three times
 * as many bytes as another encoding. */
enum { WINDOW_BYTES = 2 * RECORD_MAX_BYTES, UTF8_PER_BYTE = 3, TEXT_BYTES = RECORD_MAX_BYTES * UTF8_PER_BYTE };

struct records {
	int fd;
	enum records_format format;
	struct charset encoding;
	enum csv_rest rest; /* what follows `fd` */
	char delimiter;
	struct csv_shape shape;
	char *window;          /* bytes of the file; for UTF-16, their text */
	char *raw;             /* UTF-16: the bytes to convert into the window; otherwise NULL */
	char *text, *single;   /* texts of records that are not in UTF-8, one after the other, and of records_at */
	size_t begin, size;    /* unread bytes: window[begin] to window[size - 1] */
	uint64_t offset, line; /* of window[begin] in the file */
	size_t single_lines;   /* unread bytes of lines that are records no matter what their quotes mean */
	uint64_t filled;       /* where the file continues after the window */
	bool begun;
	bool at_end;  /* the window ends where `fd` does */
	bool resumes; /* skips the current line first */
};

static bool
is_wide(const struct records *r)
{
	return r->encoding.form == ENCODING_UTF16LE || r->encoding.form == ENCODING_UTF16BE;
}

struct records *
records_new(struct pool *pool, int fd, enum csv_rest rest, enum records_format format, const struct charset *encoding)
{
	struct records *r = POOL_NEW(pool, struct records);
	*r = (struct records){ .fd = fd,
		.rest = rest,
		.format = format,
		.encoding = *encoding,
		.shape = { CSV_FIELDS_MAX, CSV_FIELDS_MAX },
		.line = 1 };
	r->window = pool_bytes(pool, WINDOW_BYTES);
	r->raw = is_wide(r) ? pool_bytes(pool, WINDOW_BYTES) : NULL;
	r->text = pool_bytes(pool, TEXT_BYTES);
	r->single = pool_bytes(pool, TEXT_BYTES);
	return r;
}

void
records_set_shape(struct records *r, char delimiter, const struct csv_shape *shape)
{
	r->delimiter = delimiter;
	r->shape = *shape;
}

bool
records_read_at(int fd, char *place, size_t wanted, uint64_t offset, size_t *got)
{
	*got = 0;
	while (*got < wanted) {
		const ssize_t more = pread(fd, place + *got, wanted - *got, (off_t)(offset + *got));
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return false;
		if (more == 0)
			break;
		*got += (size_t)more;
	}
	return true;
}

/* Adds the next bytes of the file to the window. A part of a character at the end of a file is ignored. */
static bool
fill_wide(struct records *r)
{
	const size_t wanted = (WINDOW_BYTES - r->size) / UTF8_PER_BYTE;
	size_t got, used;
	if (!records_read_at(r->fd, r->raw, wanted, r->filled, &got))
		return false;
	r->at_end = got < wanted;
	r->size += encoding_convert(&r->encoding, (struct slice){ r->raw, got }, r->window + r->size, &used);
	r->filled += used;
	return true;
}

/* Moves the unread bytes to the front of the window and fills it. */
static bool
fill(struct records *r)
{
	size_t got;
	memmove(r->window, r->window + r->begin, r->size - r->begin);
	r->size -= r->begin;
	r->begin = 0;
	if (is_wide(r))
		return fill_wide(r);
	const size_t wanted = WINDOW_BYTES - r->size;
	if (!records_read_at(r->fd, r->window + r->size, wanted, r->filled, &got))
		return false;
	r->size += got;
	r->filled += got;
	r->at_end = got < wanted;
	return true;
}

static struct slice
unread(const struct records *r)
{
	return (struct slice){ r->window + r->begin, r->size - r->begin };
}

/* What follows the window. */
static enum csv_rest
rest_of(const struct records *r)
{
	return r->at_end ? r->rest : CSV_MORE;
}

static void
skip(struct records *r, size_t size)
{
	const struct slice skipped = slice_sub(unread(r), 0, size);
	for (size_t i = 0; i < size; i++) {
		const bool pair = skipped.data[i] == '\r' && i + 1 < size && skipped.data[i + 1] == '\n';
		r->line += (skipped.data[i] == '\n' || skipped.data[i] == '\r') && !pair ? 1 : 0;
	}
	r->begin += size;
	r->single_lines -= size < r->single_lines ? size : r->single_lines;
	r->offset += encoding_size(&r->encoding, skipped);
}

/* Skips the rest of the current line, however long it is. */
static bool
skip_line(struct records *r)
{
	for (;;) {
		const size_t size = csv_line_size(unread(r), rest_of(r));
		if (size > 0 || rest_of(r) == CSV_NO_MORE) {
			skip(r, size);
			return true;
		}
		if (r->at_end) { /* the part of a file ends within the line */
			errno = EMSGSIZE;
			return false;
		}
		skip(r, r->size - r->begin);
		if (!fill(r))
			return false;
	}
}

static enum csv_end
next_size(const struct records *r, size_t *size)
{
	if (r->format == RECORDS_CSV && r->single_lines == 0)
		return csv_record_size(unread(r), rest_of(r), r->delimiter, r->shape.fields, size);
	*size = csv_line_size(unread(r), rest_of(r));
	return *size > 0 ? CSV_ENDS : CSV_OPEN;
}

static struct slice
without_line_end(struct slice text)
{
	while (text.size > 0 && (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r'))
		text.size--;
	return text;
}

/* A text of the file as UTF-8. */
static struct slice
as_utf8(const struct records *r, struct slice text, char *place, bool *other)
{
	size_t used;
	*other = r->encoding.form == ENCODING_UTF8 && !utf8_valid(text);
	if (!*other && (r->encoding.form != ENCODING_BYTES || slice_is_ascii(text)))
		return text;
	return (struct slice){ place, encoding_convert(&r->encoding, text, place, &used) };
}

/* If a record does not end, or not within the maximum, its first line counts as one. */
static enum record_state
take(struct records *r, struct record *record, enum csv_end state, size_t size)
{
	enum { ROWS_INSIDE = 3 };
	size_t lines = 0;
	record->problem = NULL;
	if (state == CSV_ENDS && r->format == RECORDS_CSV && csv_line_size(slice_sub(unread(r), 0, size), CSV_NO_MORE) < size &&
	    csv_has_rows_inside(slice_sub(unread(r), 0, size), r->delimiter, &r->shape, &lines)) {
		if (r->shape.fields < ROWS_INSIDE && lines < ROWS_INSIDE)
			record->problem = "the record has a quoted field with a line that could be a row";
		else
			state = CSV_BROKEN;
	}
	if (state != CSV_ENDS || size > RECORD_MAX_BYTES) {
		r->single_lines = size;
		size = csv_line_size(unread(r), rest_of(r));
	}
	const struct slice bytes = slice_sub(unread(r), 0, size > 0 ? size : RECORD_MAX_BYTES);
	const struct slice text = without_line_end(slice_sub(bytes, 0, RECORD_MAX_BYTES));
	*record = (struct record){ .offset = r->offset, .line = r->line, .problem = record->problem };
	record->text = as_utf8(r, text, r->text, &record->other);
	record->size = (size_t)encoding_size(&r->encoding, text);
	if (size == 0 || text.size < without_line_end(bytes).size) {
		record->problem = "the record is longer than 256 KiB";
		r->resumes = size == 0;
	}
	skip(r, bytes.size);
	return record->problem == NULL ? RECORD_GOOD : RECORD_BAD;
}

static enum record_state
take_record(struct records *r, struct record *record)
{
	size_t size = 0;
	enum csv_end state = next_size(r, &size);
	if (state == CSV_OPEN && !r->at_end) {
		if (!fill(r))
			return RECORD_FAILED;
		state = next_size(r, &size);
	}
	if (r->begin == r->size || (state == CSV_OPEN && r->rest == CSV_MORE && r->size - r->begin <= RECORD_MAX_BYTES))
		return RECORD_END;
	return take(r, record, state, size);
}

static bool
begin(struct records *r)
{
	char bytes[64];
	size_t got;
	if (r->begun)
		return true;
	if (!records_read_at(r->fd, bytes, sizeof(bytes), 0, &got))
		return false;
	r->offset = r->filled = encoding_mark_size((struct slice){ bytes, got }, &r->encoding);
	r->begun = true;
	return true;
}

enum record_state
records_next(struct records *r, struct record *record)
{
	if (!begin(r) || (r->resumes && !skip_line(r)))
		return RECORD_FAILED;
	r->resumes = false;
	for (;;) {
		const enum record_state state = take_record(r, record);
		if (state != RECORD_GOOD || slice_trim(record->text).size > 0)
			return state;
	}
}

void
records_place(const struct records *r, uint64_t *offset, uint64_t *line)
{
	*offset = r->offset;
	*line = r->line;
}

void
records_seek(struct records *r, uint64_t offset, uint64_t line)
{
	r->begin = r->size = 0;
	r->offset = r->filled = offset;
	r->line = line;
	r->begun = offset > 0;
	r->at_end = r->resumes = false;
	r->single_lines = 0;
}

enum record_state
records_at(struct records *r, uint64_t offset, size_t size, struct slice *text)
{
	size_t got;
	bool other;
	struct slice bytes = { r->text, size };
	require(size <= RECORD_MAX_BYTES * 2);
	if (!records_read_at(r->fd, r->text, size, offset, &got) || got < size)
		return RECORD_FAILED;
	if (is_wide(r))
		*text = (struct slice){ r->single, encoding_convert(&r->encoding, bytes, r->single, &got) };
	else
		*text = as_utf8(r, bytes, r->single, &other);
	return RECORD_GOOD;
}
