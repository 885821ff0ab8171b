/* SPDX-License-Identifier: MIT
 * The configuration file as text: which setting stands where. */
#ifndef LEADHOOK_CONF_FILE_H
#define LEADHOOK_CONF_FILE_H

#include "base/buffer.h"
#include "base/pool.h"
#include "conf/settings.h"

struct conf_entry {
	const struct conf_setting *setting;
	struct slice text;
	size_t line; /* from 1 */
};

struct conf_entries {
	struct conf_entry *items;
	size_t count, capacity;
};

/* Appends what the file holds to *entries, everything in `pool`. Appends a line to `problems` for each thing that is wrong:
 * the file cannot be read, a line is none, a setting is unknown or stands there twice, or the file has a secret and is not
 * kept: others can read or write it, or its group can write it. False when it does not exist and `may_be_missing`. */
bool conf_file_read(
    const char *path, bool may_be_missing, struct pool *pool, struct conf_entries *entries, struct buffer *problems);

/* The content of a file that holds just a secret, without one newline at its end; absent, with a line in `problems` that
 * begins with `origin`, when it cannot be read, is not kept as above, or holds a NUL or more than `maximum` bytes. */
struct slice conf_secret_read(const char *path, const char *origin, size_t maximum, struct pool *pool, struct buffer *problems);

#endif
