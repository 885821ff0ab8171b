/* SPDX-License-Identifier: MIT
 * Reads the configuration file: its settings as text, with their lines. */
#pragma once

#include "base/buffer.h"
#include "base/pool.h"
#include "conf/setting_table.h"

struct conf_entry {
	const struct conf_setting *setting;
	struct slice text;
	size_t line; /* from 1 */
};

struct conf_entries {
	struct conf_entry *items;
	size_t count, capacity;
};

/* Appends the settings of the file to *entries, allocated in `pool`. Appends a line to `problems` for each error: the file
 * cannot be read, a line is invalid, a setting is unknown or a duplicate, or the file's permissions are too open (its group or
 * others can write it, or others can read it and it contains a secret). Returns false, without such a line, if there is
 * no such file. */
MUST_CHECK bool conf_file_read(const char *path, struct pool *pool, struct conf_entries *entries, struct buffer *problems);

/* The contents of a file that contains only a secret, without a newline at the end. Absent, with a line in `problems` that
 * starts with `origin`, if it cannot be read, its group or others have too many permissions (as above), or it contains a NUL or
 * more than `maximum` bytes. */
struct slice conf_secret_read(const char *path, const char *origin, size_t maximum, struct pool *pool, struct buffer *problems);
/* Checks a file whose secret a library reads: adds such a line if the file cannot be opened or its permissions are too open. */
void conf_secret_check(const char *path, const char *origin, struct buffer *problems);
