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

enum { LINE_MAX_BYTES = 4096, VALUE_MAX_BYTES = 512, PACE_MS = 60 * 1000 };

static const char *const level_names[] = { "error", "warning", "info", "debug" };

static struct {
	const char *program;
	const char *request_id;
	char *path; /* NULL: standard error */
	enum log_level level;
	int fd;
	dev_t device;
	ino_t inode;
} state = { .program = "leadhook", .level = LOG_LEVEL_INFO, .fd = STDERR_FILENO };

/* A program's threads write to the same file, and follow it. The rest of the state is set before there are any. */
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

static bool
open_file(const char *path)
{
	struct stat status;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	if (fstat(fd, &status) != 0) {
		close(fd);
		return false;
	}
	if (state.fd != STDERR_FILENO)
		close(state.fd);
	state.fd = fd;
	state.device = status.st_dev;
	state.inode = status.st_ino;
	return true;
}

bool
log_to_file(const char *path)
{
	char *copy = path == NULL ? NULL : strdup(path); /* rotation needs it when the caller's may be gone */
	if (copy == NULL && path != NULL)
		return false;
	if (path != NULL && !open_file(path)) {
		int number = errno;
		free(copy);
		errno = number;
		return false;
	}
	if (path == NULL && state.fd != STDERR_FILENO)
		close(state.fd);
	if (path == NULL)
		state.fd = STDERR_FILENO;
	free(state.path);
	state.path = copy;
	return true;
}

void
log_request_id(const char *id)
{
	state.request_id = id;
}

bool
log_is_due(struct log_pace *pace, uint64_t *untold)
{
	int64_t now_ms = clock_monotonic_ms();
	if (pace->told_ms != 0 && now_ms - pace->told_ms < PACE_MS) {
		pace->untold++;
		return false;
	}
	*untold = pace->untold;
	*pace = (struct log_pace){ .told_ms = now_ms };
	return true;
}

/* A rotated file is noticed by its inode, so that whoever cannot send us a signal can rotate too. */
static void
follow_rotation(void)
{
	struct stat status;
	if (state.path == NULL)
		return;
	if (stat(state.path, &status) != 0 || status.st_ino != state.inode || status.st_dev != state.device)
		(void)!open_file(state.path); /* the old file goes on where the new one cannot be made */
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
		add_value(line, slice_of(field->value.text));
		break;
	case LOG_SLICE:
		add_value(line, field->value.slice);
		break;
	case LOG_U64:
		buffer_add_u64(line, field->value.u64);
		break;
	case LOG_I64:
		buffer_add_i64(line, field->value.i64);
		break;
	}
}

void
log_event(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	if (level > state.level)
		return;
	int saved = errno;
	struct buffer line;
	char when[CLOCK_RFC3339_SIZE];
	buffer_init(&line, LINE_MAX_BYTES);
	clock_rfc3339(clock_wall_ms(), when);
	buffer_printf(&line, "%s %s %s[%ld] %s", when, level_names[level], state.program, (long)getpid(), event);
	for (size_t i = 0; i < count; i++)
		add_field(&line, &fields[i]);
	if (state.request_id != NULL)
		add_field(&line, &LOG_STR("request", state.request_id));
	/* A line that is too long keeps what fitted: better than none. */
	line.failed = false;
	line.maximum++;
	buffer_add_byte(&line, '\n');
	struct slice text = buffer_slice(&line);
	pthread_mutex_lock(&writing);
	follow_rotation();
	if (write(state.fd, text.data, text.size) < 0) {
		/* a full disk must not stop the service */
	}
	pthread_mutex_unlock(&writing);
	buffer_free(&line);
	errno = saved;
}
