/* SPDX-License-Identifier: MIT */
#include "transfer/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "transfer/csv.h"

/* A window on the file, with room for the longest record and its line end. */
enum { WINDOW_BYTES = RECORD_MAX_BYTES + 2 };

struct records {
	int fd;
	enum records_format format;
	char *window, *single; /* `single`: of records_at */
	size_t begin, size;    /* unread bytes: window[begin] to window[size - 1] */
	uint64_t offset, line; /* of window[begin] */
	bool begun;
	bool at_end;  /* the window ends where the file does */
	bool resumes; /* skips the line at hand first */
};

struct records *
records_new(int fd, enum records_format format)
{
	struct records *r = memory_alloc(sizeof(*r));
	*r = (struct records){ .fd = fd, .format = format, .line = 1 };
	r->window = memory_alloc(WINDOW_BYTES);
	r->single = memory_alloc(RECORD_MAX_BYTES);
	return r;
}

void
records_free(struct records **records)
{
	if (*records == NULL)
		return;
	free((*records)->window);
	free((*records)->single);
	free(*records);
	*records = NULL;
}

static bool
read_at(int fd, char *place, size_t wanted, uint64_t offset, size_t *got)
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

/* Moves what is unread to the front of the window and fills it. */
static bool
fill(struct records *r)
{
	size_t got;
	memmove(r->window, r->window + r->begin, r->size - r->begin);
	r->size -= r->begin;
	r->begin = 0;
	if (!read_at(r->fd, r->window + r->size, WINDOW_BYTES - r->size, r->offset + r->size, &got))
		return false;
	r->size += got;
	r->at_end = r->size < WINDOW_BYTES;
	return true;
}

static struct slice
unread(const struct records *r)
{
	return (struct slice){ r->window + r->begin, r->size - r->begin };
}

static void
skip(struct records *r, size_t size)
{
	for (size_t i = 0; i < size; i++)
		r->line += r->window[r->begin + i] == '\n' ? 1 : 0;
	r->begin += size;
	r->offset += size;
}

static size_t
line_size(struct slice text, bool end)
{
	const size_t at = slice_find(text, '\n');
	return at < text.size ? at + 1 : end ? text.size : 0;
}

/* Skips the rest of the line at hand, whatever its length. */
static bool
skip_line(struct records *r)
{
	for (;;) {
		const size_t size = line_size(unread(r), r->at_end);
		if (size > 0 || r->at_end) {
			skip(r, size);
			return true;
		}
		skip(r, r->size - r->begin);
		if (!fill(r))
			return false;
	}
}

/* The size of the next record with its line end; 0: it has none within the window. */
static size_t
next_size(const struct records *r)
{
	return r->format == RECORDS_CSV ? csv_record_size(unread(r), r->at_end) : line_size(unread(r), r->at_end);
}

static struct slice
without_line_end(struct slice text)
{
	if (text.size > 0 && text.data[text.size - 1] == '\n')
		text.size--;
	if (text.size > 0 && text.data[text.size - 1] == '\r')
		text.size--;
	return text;
}

static enum record_state
take_record(struct records *r, struct record *record)
{
	size_t size = next_size(r);
	if (size == 0 && !r->at_end) {
		if (!fill(r))
			return RECORD_FAILED;
		size = next_size(r);
	}
	if (r->begin == r->size)
		return RECORD_END;
	*record = (struct record){ without_line_end(slice_sub(unread(r), 0, size)), r->offset, r->line };
	if (size > 0 && record->text.size <= RECORD_MAX_BYTES) {
		skip(r, size);
		return RECORD_GOOD;
	}
	record->text = slice_sub(unread(r), 0, line_size(unread(r), true));
	r->resumes = true;
	return RECORD_TOO_LONG;
}

static bool
begin(struct records *r)
{
	static const char mark[] = "\xef\xbb\xbf";
	if (r->begun)
		return true;
	if (!fill(r))
		return false;
	r->begun = true;
	if (slice_starts_with(unread(r), slice_of(mark)))
		skip(r, sizeof(mark) - 1);
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

/* The record is still in the window, which is filled only when the next one is taken. */
void
records_resume(struct records *r, const struct record *record)
{
	r->begin -= (size_t)(r->offset - record->offset);
	r->offset = record->offset;
	r->line = record->line;
	r->resumes = true;
}

void
records_rewind(struct records *r)
{
	r->begin = r->size = 0;
	r->offset = 0;
	r->line = 1;
	r->begun = r->at_end = r->resumes = false;
}

enum record_state
records_at(struct records *r, uint64_t offset, size_t size, struct slice *text)
{
	size_t got;
	require(size <= RECORD_MAX_BYTES);
	if (!read_at(r->fd, r->single, size, offset, &got) || got < size)
		return RECORD_FAILED;
	*text = (struct slice){ r->single, size };
	return RECORD_GOOD;
}
