/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/panic.h"
#include "base/pool.h"

enum { LINE_MAX_BYTES = 4096, VALUE_MAX_BYTES = 512, PACE_MS = 60 * 1000 };

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
} state = { .program = "leadhook", .level = LOG_LEVEL_INFO };

static _Thread_local struct log_field current_work; /* key NULL: none */

/* Threads share the file and detect its rotation. The other state is set before threads start. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

bool
log_level_parse(struct slice name, enum log_level *level)
{
	for (unsigned i = 0; i < ARRAY_SIZE(level_names); i++) {
		if (slice_equal(name, slice_of(level_names[i]))) {
			*level = (enum log_level)i;
			return true;
		}
	}
	return false;
}

void
log_init(const char *program, enum log_level level)
{
	state.program = program;
	state.level = level;
}

/* Opens the file that has the name now. Returns false, with errno set and `file` unchanged, on errors. */
static bool
open_by_name(struct log_file *file)
{
	struct stat status;
	int fd = open(file->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	if (fstat(fd, &status) != 0) {
		close(fd);
		return false;
	}
	if (file->fd >= 0)
		close(file->fd);
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

int
log_descriptor(void)
{
	return state.file == NULL ? STDERR_FILENO : state.file->fd;
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

static bool
is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
}

static void
add_value(struct buffer *line, struct slice value)
{
	bool plain = value.size > 0 && value.size <= VALUE_MAX_BYTES;
	for (size_t i = 0; plain && i < value.size; i++)
		plain = is_plain((unsigned char)value.data[i]);
	if (plain) {
		buffer_add(line, value);
		return;
	}
	buffer_add_byte(line, '"');
	for (size_t i = 0; i < value.size && i < VALUE_MAX_BYTES; i++) {
		unsigned char c = (unsigned char)value.data[i];
		if (c == '"' || c == '\\')
			buffer_printf(line, "\\%c", c);
		else if (c >= ' ' && c < 0x7f)
			buffer_add_byte(line, (char)c);
		else
			buffer_printf(line, "\\x%02x", c);
	}
	buffer_add_text(line, value.size > VALUE_MAX_BYTES ? "\"..." : "\"");
}

static void
add_field(struct buffer *line, const struct log_field *field)
{
	buffer_printf(line, " %s=", field->key);
	switch (field->kind) {
	case LOG_TEXT:
		add_value(line, field->value.text);
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
add_work(struct buffer *line, const struct log_field *fields, size_t count)
{
	const struct log_field *work = log_current_work();
	for (size_t i = 0; i < count && work != NULL; i++)
		if (strcmp(fields[i].key, work->key) == 0)
			return;
	if (work != NULL)
		add_field(line, work);
}

/* Allocates no memory, because none may be left. */
void
log_event(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	if (level > state.level)
		return;
	int saved = errno;
	char text[LINE_MAX_BYTES + 1], when[CLOCK_RFC3339_SIZE];
	struct buffer line = { .data = text, .capacity = sizeof(text), .maximum = LINE_MAX_BYTES };
	clock_rfc3339(clock_wall_ms(), when);
	buffer_printf(&line, "%s %s %s[%ld] %s", when, level_names[level], state.program, (long)getpid(), event);
	for (size_t i = 0; i < count; i++)
		add_field(&line, &fields[i]);
	add_work(&line, fields, count);
	text[line.size] = '\n'; /* a line that is too long is truncated */
	pthread_mutex_lock(&writing);
	follow_rotation();
	if (write(log_descriptor(), text, line.size + 1) < 0) {
		/* a full disk must not stop the service */
	}
	pthread_mutex_unlock(&writing);
	errno = saved;
}
