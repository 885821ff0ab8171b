/* SPDX-License-Identifier: MIT
 * The text of a line of the log (leadhook.conf(5), log.format). Allocates no memory, because none may be left. */
#pragma once

#include "base/buffer.h"
#include "os/log.h"

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

enum { LOG_LINE_MAX_BYTES = 4096, LOG_VALUE_MAX_BYTES = 512 };

/* These need a buffer whose capacity is one byte more than its maximum of LOG_LINE_MAX_BYTES. They add no newline. */

/* Time, level, program, event and fields. A line that is too long is truncated. */
void log_line_logfmt(const struct log_record *record, struct buffer *line);
/* The same without time and program, which syslog adds. */
void log_line_message(const struct log_record *record, struct buffer *line);
/* One object. If the line would be too long, the last fields are left out and it has the member "truncated". */
void log_line_json(const struct log_record *record, struct buffer *line);

const char *log_level_name(enum log_level level);
