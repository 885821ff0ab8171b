/* SPDX-License-Identifier: MIT
 * Parses the text of a setting: one reader per type. */
#include "conf/settings.h"

#include "base/duration.h"

/* Stores the value at `place`, or appends the expected form to `expected`. */
typedef bool value_reader(
    const struct conf_setting *setting, struct slice text, struct pool *pool, void *place, struct buffer *expected);

/* Both limits of a number, in the notation of the setting's type. */
static void
add_range(
    struct buffer *expected, const char *what, const struct conf_setting *setting, void (*add)(struct buffer *, int64_t number))
{
	buffer_printf(expected, "%s from ", what);
	add(expected, setting->minimum);
	buffer_add_text(expected, " to ");
	add(expected, setting->maximum);
}

static bool
in_range(const struct conf_setting *setting, uint64_t number)
{
	return number >= (uint64_t)setting->minimum && number <= (uint64_t)setting->maximum;
}

static bool
read_text(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place, struct buffer *expected)
{
	if (!in_range(setting, text.size) || slice_has_control(text)) {
		add_range(expected, "a text without control characters,", setting, buffer_add_i64);
		buffer_add_text(expected, " bytes");
		return false;
	}
	if (setting->rule != NULL && !setting->rule->holds(text)) {
		buffer_add_text(expected, setting->rule->expected);
		return false;
	}
	*(const char **)place = pool_string(pool, text);
	return true;
}

/* Programs change their directory, so a relative path would be ambiguous. */
static bool
read_path(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place, struct buffer *expected)
{
	if (text.size > 0 && text.data[0] != '/') {
		buffer_add_text(expected, "an absolute path");
		return false;
	}
	return read_text(setting, text, pool, place, expected);
}

static bool
read_list(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place, struct buffer *expected)
{
	size_t count = 0;
	struct slice rest = text, item;
	while (slice_next_item(&rest, &item)) {
		count++;
		if (!slice_has_control(item) && setting->rule->holds(item))
			continue;
		buffer_add_text(expected, setting->rule->expected);
		return false;
	}
	if (!in_range(setting, count)) {
		add_range(expected, "a list of", setting, buffer_add_i64);
		buffer_add_text(expected, " items");
		return false;
	}
	*(const char **)place = pool_string(pool, text);
	return true;
}

static bool
read_integer(
    const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place, struct buffer *expected)
{
	uint64_t number;
	if (!slice_to_u64(text, (uint64_t)setting->maximum, &number) || !in_range(setting, number)) {
		add_range(expected, "a whole number", setting, buffer_add_i64);
		return false;
	}
	*(unsigned *)place = (unsigned)number;
	return true;
}

static bool
read_workers(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place, struct buffer *expected)
{
	if (slice_equal(text, SLICE("auto"))) {
		*(unsigned *)place = CONF_WORKERS_AUTO;
		return true;
	}
	if (read_integer(setting, text, pool, place, expected))
		return true;
	buffer_add_text(expected, ", or auto");
	return false;
}

static bool
read_mode(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place, struct buffer *expected)
{
	unsigned mode = 0;
	bool octal = text.size > 0 && text.size <= 4;
	for (size_t i = 0; octal && i < text.size; i++) {
		octal = text.data[i] >= '0' && text.data[i] <= '7';
		mode = mode * 8 + (unsigned)(text.data[i] - '0');
	}
	if (!octal || !in_range(setting, mode)) {
		buffer_printf(
		    expected, "an octal file mode from %04o to %04o", (unsigned)setting->minimum, (unsigned)setting->maximum);
		return false;
	}
	*(unsigned *)place = mode;
	return true;
}

static bool
read_size(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place, struct buffer *expected)
{
	unsigned shift = slice_ends_with(text, SLICE("k")) ? 10 : slice_ends_with(text, SLICE("M")) ? 20 : 0;
	struct slice digits = slice_sub(text, 0, text.size - (shift > 0 ? 1 : 0));
	uint64_t number;
	if (!slice_to_u64(digits, (uint64_t)setting->maximum >> shift, &number) || !in_range(setting, number << shift)) {
		add_range(expected, "a number of bytes, k or M may follow it,", setting, buffer_add_i64);
		return false;
	}
	*(size_t *)place = (size_t)(number << shift);
	return true;
}

static bool
read_duration(
    const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place, struct buffer *expected)
{
	int64_t ms;
	if (!duration_parse(text, &ms) || !in_range(setting, (uint64_t)ms)) {
		add_range(expected, "a duration", setting, duration_add);
		return false;
	}
	*(int64_t *)place = ms;
	return true;
}

static bool
read_switch(UNUSED const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place,
    struct buffer *expected)
{
	bool on = slice_equal(text, SLICE("on"));
	if (!on && !slice_equal(text, SLICE("off"))) {
		buffer_add_text(expected, "on or off");
		return false;
	}
	*(bool *)place = on;
	return true;
}

static bool
read_level(UNUSED const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place,
    struct buffer *expected)
{
	if (log_level_parse(text, place))
		return true;
	buffer_add_text(expected, "error, warning, info or debug");
	return false;
}

static value_reader *const readers[] = {
	[CONF_TEXT] = read_text,
	[CONF_PATH] = read_path,
	[CONF_SECRET] = read_text,
	[CONF_LIST] = read_list,
	[CONF_INTEGER] = read_integer,
	[CONF_WORKERS] = read_workers,
	[CONF_MODE] = read_mode,
	[CONF_SIZE] = read_size,
	[CONF_DURATION] = read_duration,
	[CONF_SWITCH] = read_switch,
	[CONF_LEVEL] = read_level,
};

bool
conf_setting_store(
    const struct conf_setting *setting, struct slice text, struct pool *pool, struct conf *conf, struct buffer *expected)
{
	return readers[setting->type](setting, text, pool, (char *)conf + setting->offset, expected);
}
