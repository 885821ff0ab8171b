/* SPDX-License-Identifier: MIT
 * One line per event to standard error, a file or syslog: `time level program[pid] event key=value …`, or as a JSON object.
 *
 * The logger escapes every value (control characters, quotes, non-ASCII bytes), so callers pass untrusted text unchanged. Never
 * pass a key, a secret or a complete email address. */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "base/slice.h"

enum log_format { LOG_LOGFMT, LOG_JSON };
enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* A key and a value in a line. `key` is a literal. */
struct log_field {
	const char *key;
	enum { LOG_TEXT, LOG_U64, LOG_I64 } kind;
	union {
		struct slice text;
		uint64_t u64;
		int64_t i64;
	} value;
};

struct log_file;

#define LOG_STR(k, v) LOG_BYTES((k), slice_of(v))
#define LOG_BYTES(k, v) ((struct log_field){ (k), LOG_TEXT, { .text = (v) } })
#define LOG_UINT(k, v) ((struct log_field){ (k), LOG_U64, { .u64 = (uint64_t)(v) } })
#define LOG_INT(k, v) ((struct log_field){ (k), LOG_I64, { .i64 = (int64_t)(v) } })
/* The text of an errno value. */
#define LOG_ERRNO(number) LOG_STR("error", strerror(number))

/* "error", "warning", "info" or "debug"; returns false for any other name. */
MUST_CHECK bool log_level_parse(struct slice name, enum log_level *level);

/* `program` must stay valid. Lines above `level` are dropped. */
void log_init(const char *program, enum log_level level);
/* A file to log to (created 0640, appended, reopened after rotation), a terminal, /dev/null, or a pipe with a reader. Follows a
 * link, and takes a file of another account, only in a folder where no other account can put one. The path is copied. Returns
 * NULL, with errno set, when it cannot be opened. */
MUST_CHECK struct log_file *log_open(const char *path);
/* Whether log_open could open or create it now; if not, errno is set. Changes nothing. */
MUST_CHECK bool log_could_open(const char *path);
/* For a file that is not in use. *file may be NULL; it is set to NULL. */
void log_close(struct log_file **file);
/* Sends all further lines to the file; NULL: to standard error. The logger owns the file. */
void log_use(struct log_file *file);
/* The form of all further lines; initially LOG_LOGFMT. */
void log_set_format(enum log_format format);
/* Sends all further lines to the syslog daemon at this socket, as datagrams of RFC 3164, with a facility such as "daemon"; ""
 * stops this. Never waits: lines that the daemon does not take at once go to the file or standard error, and so does, once, the
 * reason why there is no connection. The path is copied. */
void log_use_syslog(const char *facility, const char *path);
/* Whether there is a daemon at this socket; if not, errno is set. */
MUST_CHECK bool log_could_use_syslog(const char *path);
/* Opens the file by its name again, after rotation, without waiting for the next line. */
void log_reopen(void);

/* For a signal handler. */
const char *log_program(void);
bool log_is_json(void);
/* Writes a complete error line, given without its newline, to wherever lines go. In a file it begins with `head`. */
void log_raw(struct slice head, struct slice line);

/* Whether lines go to this descriptor. */
bool log_uses(int fd);
/* Sets the current work of the calling thread, a request or a delivery: a text, which is not copied, or a LOG_UINT. It is
 * appended to each line that does not include it, and to the last line of a process that panics. */
void log_work(struct log_field work);
void log_work_done(void);
/* NULL: none. */
const struct log_field *log_current_work(void);

/* Limits an event that may occur with every request: when it was last logged. Zero-initialized: never. */
struct log_throttle {
	int64_t logged_ms;
	uint64_t suppressed; /* events that were not logged since then */
};
/* Returns true when the event is to be logged, once a minute; *suppressed is then how often it was not logged. */
MUST_CHECK bool log_throttle_passes(struct log_throttle *pace, uint64_t *suppressed);

void log_event(enum log_level level, const char *event, const struct log_field *fields, size_t count);

#define LOG_AT(level, event, ...)                                              \
	log_event((level), (event), (const struct log_field[]){ __VA_ARGS__ }, \
	    sizeof((const struct log_field[]){ __VA_ARGS__ }) / sizeof(struct log_field))
/* log_error("cannot_open", LOG_STR("path", path), LOG_ERRNO(errno)); at least one field. */
#define log_error(event, ...) LOG_AT(LOG_LEVEL_ERROR, event, __VA_ARGS__)
#define log_warning(event, ...) LOG_AT(LOG_LEVEL_WARNING, event, __VA_ARGS__)
#define log_info(event, ...) LOG_AT(LOG_LEVEL_INFO, event, __VA_ARGS__)
#define log_debug(event, ...) LOG_AT(LOG_LEVEL_DEBUG, event, __VA_ARGS__)
