/* SPDX-License-Identifier: MIT
 * The table of settings: the only place with their names, types, defaults, limits and help. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "base/slice.h"
#include "conf/conf.h"

enum conf_type {
	CONF_TEXT,     /* const char * */
	CONF_PATH,     /* const char *: absolute */
	CONF_SECRET,   /* const char *: never shown, may be read from a separate file */
	CONF_LIST,     /* const char *: items separated by white space or commas */
	CONF_INTEGER,  /* unsigned */
	CONF_WORKERS,  /* unsigned: an integer or "auto" */
	CONF_MODE,     /* unsigned: file mode, octal */
	CONF_SIZE,     /* size_t: bytes, or followed by k or M */
	CONF_DURATION, /* int64_t: milliseconds */
	CONF_SWITCH,   /* bool */
	CONF_LEVEL     /* enum log_level, by its name */
};

/* The required form of a text, or of the items of a list. Any text may be empty, unless its minimum is above 0. */
struct conf_rule {
	const char *expected; /* "letters, digits and _": follows "expected" in messages */
	bool (*holds)(struct slice text);
	const char *words; /* in place of `holds`: the possible texts, separated by spaces */
};
MUST_CHECK bool conf_rule_holds(const struct conf_rule *rule, struct slice text);

struct conf_setting {
	const char *section, *key;
	enum conf_type type;
	size_t offset;                /* in struct conf */
	const char *fallback;         /* the default, as written in the file */
	int64_t minimum, maximum;     /* bytes of a text, path or secret; items of a list; otherwise of the value */
	const struct conf_rule *rule; /* or NULL */
	const char *help;             /* one line */
};

/* All settings, grouped by section. */
const struct conf_setting *conf_settings(size_t *count);

/* NULL if there is no such setting. */
const struct conf_setting *conf_setting_find(const char *section, const char *key);
