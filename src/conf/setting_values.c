/* SPDX-License-Identifier: MIT */
#include "conf/setting_values.h"

#include "base/boolean.h"
#include "base/duration.h"

/* Stores the value at `place` and returns NULL, or returns the expected form: `out_of_range`, or a text. */
typedef const char *value_reader(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place);

/* What the limits of the setting say (see `types`). */
static const char out_of_range[] = "";

static bool
in_range(const struct conf_setting *setting, uint64_t number)
{
	return number >= (uint64_t)setting->minimum && number <= (uint64_t)setting->maximum;
}

static const char *
read_text(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place)
{
	if (!in_range(setting, text.size) || slice_has_control(text))
		return out_of_range;
	if (setting->rule != NULL && !conf_rule_holds(setting->rule, text))
		return setting->rule->expected;
	*(const char **)place = pool_string(pool, text);
	return NULL;
}

/* Programs change their directory, so a relative path would be ambiguous. */
static const char *
read_path(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place)
{
	return text.size > 0 && text.data[0] != '/' ? "an absolute path" : read_text(setting, text, pool, place);
}

static const char *
read_list(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place)
{
	size_t count = 0;
	struct slice rest = text, item;
	for (; slice_next_item(&rest, &item); count++)
		if (slice_has_control(item) || !conf_rule_holds(setting->rule, item))
			return setting->rule->expected;
	if (!in_range(setting, count))
		return out_of_range;
	*(const char **)place = pool_string(pool, text);
	return NULL;
}

static const char *
read_integer(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	uint64_t number;
	if (!slice_to_u64(text, (uint64_t)setting->maximum, &number) || !in_range(setting, number))
		return out_of_range;
	*(unsigned *)place = (unsigned)number;
	return NULL;
}

static const char *
read_workers(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place)
{
	if (!slice_equal(text, SLICE("auto")))
		return read_integer(setting, text, pool, place);
	*(unsigned *)place = CONF_WORKERS_AUTO;
	return NULL;
}

static const char *
read_mode(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	unsigned mode = 0;
	bool octal = text.size > 0 && text.size <= 4;
	for (size_t i = 0; octal && i < text.size; i++) {
		octal = text.data[i] >= '0' && text.data[i] <= '7';
		mode = mode * 8 + (unsigned)(text.data[i] - '0');
	}
	if (!octal || !in_range(setting, mode))
		return out_of_range;
	*(unsigned *)place = mode;
	return NULL;
}

static const char *
read_size(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	unsigned shift = slice_ends_with(text, SLICE("k")) ? 10 : slice_ends_with(text, SLICE("M")) ? 20 : 0;
	struct slice digits = slice_sub(text, 0, text.size - (shift > 0 ? 1 : 0));
	uint64_t number;
	if (!slice_to_u64(digits, (uint64_t)setting->maximum >> shift, &number) || !in_range(setting, number << shift))
		return out_of_range;
	*(size_t *)place = (size_t)(number << shift);
	return NULL;
}

static const char *
read_duration(const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	int64_t ms;
	if (!duration_parse(text, &ms) || !in_range(setting, (uint64_t)ms))
		return out_of_range;
	*(int64_t *)place = ms;
	return NULL;
}

static const char *
read_switch(UNUSED const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	return boolean_parse(text, place) ? NULL : "on or off";
}

static const char *
read_level(UNUSED const struct conf_setting *setting, struct slice text, UNUSED struct pool *pool, void *place)
{
	return log_level_parse(text, place) ? NULL : "error, warning, info or debug";
}

static void
add_mode(struct buffer *out, int64_t mode)
{
	buffer_printf(out, "%04o", (unsigned)mode);
}

static const struct {
	value_reader *read;
	const char *before; /* "… from MINIMUM to MAXIMUM …" */
	void (*add)(struct buffer *out, int64_t limit);
	const char *after;
} types[] = {
	[CONF_TEXT] = { read_text, "a text without control characters,", buffer_add_i64, " bytes" },
	[CONF_PATH] = { read_path, "a text without control characters,", buffer_add_i64, " bytes" },
	[CONF_SECRET] = { read_text, "a text without control characters,", buffer_add_i64, " bytes" },
	[CONF_LIST] = { read_list, "a list of", buffer_add_i64, " items" },
	[CONF_INTEGER] = { read_integer, "a whole number", buffer_add_i64, "" },
	[CONF_WORKERS] = { read_workers, "a whole number", buffer_add_i64, ", or auto" },
	[CONF_MODE] = { read_mode, "an octal file mode", add_mode, "" },
	[CONF_SIZE] = { read_size, "a number of bytes, k or M may follow it,", buffer_add_i64, "" },
	[CONF_DURATION] = { read_duration, "a duration", duration_add, "" },
	[CONF_SWITCH] = { .read = read_switch },
	[CONF_LEVEL] = { .read = read_level },
};

bool
conf_setting_store(
    const struct conf_setting *setting, struct slice text, struct pool *pool, struct conf *conf, struct buffer *expected)
{
	const char *form = types[setting->type].read(setting, text, pool, (char *)conf + setting->offset);
	if (form == NULL)
		return true;
	if (form != out_of_range) {
		buffer_add_text(expected, form);
		return false;
	}
	buffer_printf(expected, "%s from ", types[setting->type].before);
	types[setting->type].add(expected, setting->minimum);
	buffer_add_text(expected, " to ");
	types[setting->type].add(expected, setting->maximum);
	buffer_add_text(expected, types[setting->type].after);
	return false;
}
