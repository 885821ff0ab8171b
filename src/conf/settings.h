/* SPDX-License-Identifier: MIT
 * The table of settings: the one place that knows their names, types, defaults, limits and help. */
#ifndef LEADHOOK_CONF_SETTINGS_H
#define LEADHOOK_CONF_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "conf/conf.h"

enum conf_type {
	CONF_TEXT,     /* const char * */
	CONF_PATH,     /* const char *: absolute */
	CONF_SECRET,   /* const char *: never shown, may come from a file of its own */
	CONF_LIST,     /* const char *: items between white space or commas */
	CONF_INTEGER,  /* unsigned */
	CONF_WORKERS,  /* unsigned: an integer or "auto" */
	CONF_MODE,     /* unsigned: file mode, octal */
	CONF_SIZE,     /* size_t: bytes, or with k or M behind the number */
	CONF_DURATION, /* int64_t: milliseconds */
	CONF_SWITCH,   /* bool: on or off */
	CONF_LEVEL     /* enum log_level, by its name */
};

/* Texts and items of lists that must look a certain way. */
struct conf_rule {
	bool (*holds)(struct slice text);
	const char *expected; /* "letters, digits and _": goes on after "expected" */
};

struct conf_setting {
	const char *section, *key;
	enum conf_type type;
	size_t offset;                /* in struct conf */
	const char *fallback;         /* the default, as the file would have it */
	int64_t minimum, maximum;     /* bytes of a text, path or secret, items of a list, else the value itself */
	const struct conf_rule *rule; /* or NULL */
	const char *help;             /* one line */
};

/* All of them, those of a section next to each other. */
const struct conf_setting *conf_settings(size_t *count);

/* NULL when there is no such setting. */
const struct conf_setting *conf_setting_find(const char *section, const char *key);

/* Puts the value that `text` means into its place in *conf, allocating from `pool`. False when it means none: what it should
 * have been is then appended to `expected`, and *conf is untouched. */
MUST_CHECK bool conf_setting_store(
    const struct conf_setting *setting, struct slice text, struct pool *pool, struct conf *conf, struct buffer *expected);

#endif
