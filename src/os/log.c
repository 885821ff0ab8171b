/* SPDX-License-Identifier: MIT */
#include "os/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/folder.h"
#include "os/log_syslog.h"

enum { PACE_MS = MINUTE_MS, LOG_LINE_MAX_BYTES = 4096, LOG_VALUE_MAX_BYTES = 512 };

static const char *const level_names[] = { "error", "warning", "info", "debug" };

struct log_file {
	int fd;
	dev_t device;
	ino_t inode;
	char path[];
};

static struct {
	const char *program;
	struct log_file *file; /* NULL: standard error */
	enum log_level level;
	enum log_format format;
} state = { .program = "leadhook", .level = LOG_LEVEL_INFO };

static _Thread_local struct log_field current_work; /* key NULL: none */

/* Threads share the file and detect its rotation. The other state is set before threads start. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

bool
log_level_parse(struct slice name, enum log_level *level)
{
	for (unsigned i = 0; i <= LOG_LEVEL_DEBUG; i++) {
		if (slice_equal(name, slice_of(level_names[i]))) {
			*level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

void
log_set_format(enum log_format format)
{
	state.format = format;
}

void
log_init(const char *program, enum log_level level)
{
	state.program = program;
	state.level = level;
}

/* The log may be a terminal, /dev/null or a pipe, which /dev/stdout is in containers; it may not be a disk. */
static bool
may_be_log(int fd, struct stat *status)
{
	if (fstat(fd, status) != 0)
		return false;
	errno = EINVAL;
	return S_ISREG(status->st_mode) || S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode);
}

/* Opens the file that has the name now, or creates it if `flags` contains O_CREAT. Returns -1, with errno set, on errors. A
 * pipe that no process reads is an error; this does not wait for a reader. */
static int
open_path(const char *path, int flags, struct stat *status)
{
	const int fd = folder_open_file(path, flags | O_WRONLY | O_APPEND);
	const bool usable = fd >= 0 && may_be_log(fd, status) && fcntl(fd, F_SETFL, O_APPEND) == 0;
	return usable ? fd : descriptor_close(fd);
}

/* Returns false, with errno set and `file` unchanged, on errors. */
static bool
open_by_name(struct log_file *file)
{
	struct stat status;
	const int fd = open_path(file->path, O_CREAT, &status);
	if (fd < 0)
		return false;
	descriptor_close(file->fd);
	file->fd = fd;
	file->device = status.st_dev;
	file->inode = status.st_ino;
	return true;
}

struct log_file *
log_open(const char *path)
{
	const size_t size = strlen(path) + 1; /* a copy, because rotation needs it later */
	struct log_file *file = memory_alloc(sizeof(*file) + size);
	file->fd = -1;
	memcpy(file->path, path, size);
	if (open_by_name(file))
		return file;
	int number = errno;
	free(file);
	errno = number;
	return NULL;
}

bool
log_could_open(const char *path)
{
	struct stat status;
	const char *name;
	int fd = open_path(path, 0, &status);
	bool could = fd >= 0;
	if (!could && errno == ENOENT && (fd = folder_of(path, &name)) >= 0)
		could = *name != '\0' && faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) == 0;
	descriptor_close(fd);
	return could;
}

void
log_close(struct log_file **file)
{
	if (*file == NULL)
		return;
	close((*file)->fd);
	free(*file);
	*file = NULL;
}

void
log_use(struct log_file *file)
{
	log_close(&state.file);
	state.file = file;
}

void
log_work(struct log_field work)
{
	require(work.kind != LOG_I64);
	current_work = work;
}

void
log_work_done(void)
{
	current_work.key = NULL;
}

const struct log_field *
log_current_work(void)
{
	return current_work.key == NULL ? NULL : &current_work;
}

const char *
log_program(void)
{
	return state.program;
}

bool
log_is_json(void)
{
	return state.format == LOG_JSON;
}

static int
descriptor(void)
{
	return state.file == NULL ? STDERR_FILENO : state.file->fd;
}

bool
log_uses(int fd)
{
	return fd == descriptor() || fd == syslog_descriptor();
}

bool
log_throttle_passes(struct log_throttle *pace, uint64_t *suppressed)
{
	int64_t now_ms = clock_monotonic_ms();
	if (pace->logged_ms != 0 && now_ms - pace->logged_ms < PACE_MS) {
		pace->suppressed++;
		return false;
	}
	*suppressed = pace->suppressed;
	*pace = (struct log_throttle){ .logged_ms = now_ms };
	return true;
}

/* Detects a rotated file by its inode, so that no signal is needed to rotate. */
static void
follow_rotation(void)
{
	struct stat status;
	struct log_file *file = state.file;
	if (file == NULL)
		return;
	if (stat(file->path, &status) != 0 || status.st_ino != file->inode || status.st_dev != file->device)
		(void)!open_by_name(file); /* the old file is used when the new one cannot be created */
}

void
log_reopen(void)
{
	pthread_mutex_lock(&writing);
	if (state.file != NULL)
		(void)!open_by_name(state.file);
	pthread_mutex_unlock(&writing);
}

/* A full disk, or a file that cannot be written, must not stop the service. */
static void
write_line(const struct iovec *parts, int count)
{
	if (writev(descriptor(), parts, count) < 0) {
		/* nothing can be reported */
	}
}

void
log_raw(struct slice head, struct slice line)
{
	static char newline = '\n';
	const struct iovec parts[] = { { (char *)(uintptr_t)head.data, head.size }, { (char *)(uintptr_t)line.data, line.size },
		{ &newline, 1 } };
	if (!syslog_send_raw(line))
		write_line(parts, ARRAY_SIZE(parts));
}

/* ---- lines ---- */

struct log_record {
	const char *when; /* RFC 3339 */
	enum log_level level;
	const char *program;
	long pid;
	const char *event;
	const struct log_field *fields;
	size_t count;
	const struct log_field *work; /* NULL: none */
};

/* ---- logfmt ---- */

static bool
is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
}

static void
add_logfmt_text(struct buffer *line, struct slice value)
{
	bool plain = value.size > 0 && value.size <= LOG_VALUE_MAX_BYTES;
	for (size_t i = 0; plain && i < value.size; i++)
		plain = is_plain((unsigned char)value.data[i]);
	if (plain) {
		buffer_add(line, value);
		return;
	}
	buffer_add_byte(line, '"');
	for (size_t i = 0; i < value.size && i < LOG_VALUE_MAX_BYTES; i++) {
		unsigned char c = (unsigned char)value.data[i];
		if (c == '"' || c == '\\')
			buffer_printf(line, "\\%c", c);
		else if (c >= ' ' && c < 0x7f)
			buffer_add_byte(line, (char)c);
		else
			buffer_printf(line, "\\x%02x", c);
	}
	buffer_add_text(line, value.size > LOG_VALUE_MAX_BYTES ? "\"..." : "\"");
}

typedef void add_text(struct buffer *line, struct slice value);

static void
add_value(struct buffer *line, const struct log_field *field, add_text *add)
{
	switch (field->kind) {
	case LOG_TEXT:
		add(line, field->value.text);
		break;
	case LOG_U64:
		buffer_add_u64(line, field->value.u64);
		break;
	case LOG_I64:
		buffer_add_i64(line, field->value.i64);
		break;
	}
}

static void
add_logfmt_field(struct buffer *line, const struct log_field *field)
{
	buffer_printf(line, " %s=", field->key);
	add_value(line, field, add_logfmt_text);
}

static void
add_logfmt_fields(struct buffer *line, const struct log_record *record)
{
	for (size_t i = 0; i < record->count; i++)
		add_logfmt_field(line, &record->fields[i]);
	if (record->work != NULL)
		add_logfmt_field(line, record->work);
}

/* These write a line, without a newline, to a buffer whose capacity is one byte more than its maximum of LOG_LINE_MAX_BYTES.
 * They allocate no memory, because none may be left. */

/* Time, level, program, event and fields. A line that is too long is truncated. */
static void
add_logfmt_line(const struct log_record *record, struct buffer *line)
{
	buffer_printf(
	    line, "%s %s %s[%ld] %s", record->when, level_names[record->level], record->program, record->pid, record->event);
	add_logfmt_fields(line, record);
}

/* Likewise, without time and program, which syslog adds. */
static void
add_message(const struct log_record *record, struct buffer *line)
{
	buffer_printf(line, "%s %s", level_names[record->level], record->event);
	add_logfmt_fields(line, record);
}

/* ---- JSON ---- */

/* Only ASCII, as in the other form. A byte that is not UTF-8 becomes U+FFFD. */
static void
add_json_character(struct buffer *line, struct slice *rest)
{
	uint32_t character;
	if (!utf8_next(rest, &character)) {
		character = 0xfffd;
		*rest = slice_sub(*rest, 1, rest->size);
	}
	if (character == '"' || character == '\\')
		buffer_printf(line, "\\%c", (int)character);
	else if (character >= ' ' && character < 0x7f)
		buffer_add_byte(line, (char)character);
	else if (character < 0x10000)
		buffer_printf(line, "\\u%04x", (unsigned)character);
	else
		buffer_printf(
		    line, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (character >> 10)), (unsigned)(0xdc00 + (character & 0x3ff)));
}

static void
add_json_text(struct buffer *line, struct slice value)
{
	struct slice rest = slice_sub(value, 0, LOG_VALUE_MAX_BYTES);
	buffer_add_byte(line, '"');
	while (rest.size > 0)
		add_json_character(line, &rest);
	buffer_add_text(line, value.size > LOG_VALUE_MAX_BYTES ? "...\"" : "\"");
}

/* Members that every line has. */
static bool
is_reserved(const char *key)
{
	static const struct slice names[] = { SLICE("time"), SLICE("level"), SLICE("program"), SLICE("pid"), SLICE("event"),
		SLICE("truncated") };
	return slice_is_one_of(slice_of(key), names, ARRAY_SIZE(names));
}

/* Returns false, with the line unchanged, when it would not fit. */
static bool
add_json_field(struct buffer *line, const struct log_field *field)
{
	const size_t size = line->size;
	buffer_printf(line, ",\"%s%s\":", is_reserved(field->key) ? "field_" : "", field->key);
	add_value(line, field, add_json_text);
	if (buffer_ok(line))
		return true;
	line->size = size;
	line->failed = false;
	return false;
}

/* One object. If the line would be too long, the last fields are left out and it gets the member "truncated". */
static void
add_json_line(const struct log_record *record, struct buffer *line)
{
	static const struct slice cut = SLICE(",\"truncated\":true"), end = SLICE("}");
	const size_t reserved = cut.size + end.size;
	line->maximum -= reserved;
	line->capacity -= reserved;
	buffer_printf(line, "{\"time\":\"%s\",\"level\":\"%s\",\"program\":", record->when, level_names[record->level]);
	add_json_text(line, slice_of(record->program));
	buffer_printf(line, ",\"pid\":%ld,\"event\":", record->pid);
	add_json_text(line, slice_of(record->event));
	bool complete = true;
	for (size_t i = 0; i < record->count && complete; i++)
		complete = add_json_field(line, &record->fields[i]);
	if (record->work != NULL)
		complete = add_json_field(line, record->work) && complete;
	line->maximum += reserved;
	line->capacity += reserved;
	if (!complete)
		buffer_add(line, cut);
	buffer_add(line, end);
}

/* ---- events ---- */

/* NULL when one of the fields is the current work. */
static const struct log_field *
work_beside(const struct log_field *fields, size_t count)
{
	const struct log_field *work = log_current_work();
	for (size_t i = 0; i < count && work != NULL; i++)
		if (strcmp(fields[i].key, work->key) == 0)
			return NULL;
	return work;
}

/* Returns false when the line has to be written. */
static bool
send_to_syslog(const struct log_record *record)
{
	char text[LOG_LINE_MAX_BYTES + 1];
	struct buffer line = { .data = text, .capacity = sizeof(text), .maximum = LOG_LINE_MAX_BYTES };
	if (!syslog_is_used())
		return false;
	(state.format == LOG_JSON ? add_json_line : add_message)(record, &line);
	return syslog_send(record->level, record->program, record->pid, buffer_slice(&line));
}

static void
write_record(const struct log_record *record)
{
	char text[LOG_LINE_MAX_BYTES + 1];
	struct buffer line = { .data = text, .capacity = sizeof(text), .maximum = LOG_LINE_MAX_BYTES };
	(state.format == LOG_JSON ? add_json_line : add_logfmt_line)(record, &line);
	text[line.size] = '\n'; /* a line that is too long is truncated */
	follow_rotation();
	write_line(&(const struct iovec){ text, line.size + 1 }, 1);
}

void
log_event(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	if (level > state.level)
		return;
	int saved = errno;
	char when[CLOCK_RFC3339_SIZE];
	clock_rfc3339(clock_wall_ms(), when);
	const struct log_record record = { .when = when,
		.level = level,
		.program = state.program,
		.pid = (long)getpid(),
		.event = event,
		.fields = fields,
		.count = count,
		.work = work_beside(fields, count) };
	pthread_mutex_lock(&writing);
	if (!send_to_syslog(&record))
		write_record(&record);
	const int failure = syslog_failure();
	pthread_mutex_unlock(&writing);
	if (failure != 0)
		syslog_report(failure);
	errno = saved;
}
