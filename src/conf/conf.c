/* SPDX-License-Identifier: MIT
 * How values are read, where they come from, and checks that involve several settings. */
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/boolean.h"
#include "base/duration.h"
#include "base/panic.h"
#include "base/pool.h"
#include "conf/file.h"
#include "os/loopback.h"

/* Allocated by conf_load; the pool owns it and all its strings. */
struct loaded_conf {
	struct conf conf; /* must be first, because conf_free has only its address */
	struct pool *pool;
	const char **origins;   /* one per setting, in the same order */
	const char **variables; /* the names of their environment variables */
};

#define FILE_SUFFIX "_FILE"

enum { EXPECTED_MAX_BYTES = 256 };
enum { LEASE_RESERVE_MS = 15 * SECOND_MS };

/* ---- values by their type ---- */

/* Stores the value at `place` and returns NULL. For an invalid value, returns the expected form: a text, or `out_of_range`. */
typedef const char *value_reader(const struct conf_setting *setting, struct slice text, struct pool *pool, void *place);

/* Returned in place of a text if the value is outside the limits of the setting (see `types`). */
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

/* Stores the value in *conf, and copies its text to `pool`. For an invalid value, returns false, leaves *conf unchanged and
 * appends the expected form to `expected`. */
static bool
store_value(
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

/* ---- the sources of values ---- */

static size_t
setting_index(const struct conf_setting *setting)
{
	size_t count;
	return (size_t)(setting - conf_settings(&count));
}

/* Sets a value. `origin` is the text that conf_origin returns for it. */
static void
store(const struct conf_setting *setting, struct slice text, const char *origin, struct loaded_conf *loaded,
    struct buffer *problems)
{
	struct buffer expected;
	buffer_init(&expected, EXPECTED_MAX_BYTES);
	if (!store_value(setting, text, loaded->pool, &loaded->conf, &expected))
		buffer_printf(problems, "%s: expected %.*s (%s)\n", origin, SLICE_ARGS(buffer_slice(&expected)), setting->help);
	buffer_free(&expected);
	loaded->origins[setting_index(setting)] = pool_string(loaded->pool, slice_of(origin));
}

static void
take_defaults(struct loaded_conf *loaded, struct buffer *problems)
{
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	loaded->origins = POOL_ARRAY(loaded->pool, count, const char *);
	for (size_t i = 0; i < count; i++)
		store(&settings[i], slice_of(settings[i].fallback),
		    pool_printf(loaded->pool, "%s.%s", settings[i].section, settings[i].key).data, loaded, problems);
}

static void
take_file(const char *option, struct loaded_conf *loaded, struct buffer *problems)
{
	const char *named = option != NULL ? option : getenv("LEADHOOK_CONF");
	const char *path = named != NULL ? named : LEADHOOK_CONFIG_FILE;
	struct conf_entries entries = { 0 };
	loaded->conf.file = pool_string(loaded->pool, slice_of(path));
	if (!conf_file_read(path, loaded->pool, &entries, problems)) {
		if (named != NULL)
			buffer_printf(problems, "%s: %s\n", path, strerror(ENOENT));
		else
			loaded->conf.absent_file = loaded->conf.file;
	}
	for (size_t i = 0; i < entries.count; i++) {
		const struct conf_entry *entry = &entries.items[i];
		struct slice origin =
		    pool_printf(loaded->pool, "%s:%zu: %s.%s", path, entry->line, entry->setting->section, entry->setting->key);
		store(entry->setting, entry->text, origin.data, loaded, problems);
	}
}

/* LEADHOOK_<SECTION>_<KEY>, in upper case. */
static const char *
variable_of(struct pool *pool, const struct conf_setting *setting)
{
	char *name = pool_string(pool, pool_printf(pool, "leadhook_%s_%s", setting->section, setting->key));
	for (char *c = name; *c != '\0'; c++)
		*c = ascii_upper(*c);
	return name;
}

static void
take_variable(const struct conf_setting *setting, const char *name, struct loaded_conf *loaded, struct buffer *problems)
{
	const char *file_name = pool_printf(loaded->pool, "%s" FILE_SUFFIX, name).data;
	struct slice text = slice_of(getenv(name));
	const char *path = setting->type == CONF_SECRET ? getenv(file_name) : NULL;
	if (path != NULL && slice_present(text))
		buffer_printf(problems, "%s: %s is set too\n", file_name, name);
	else if (path != NULL)
		text = conf_secret_read(path, file_name, (size_t)setting->maximum, loaded->pool, problems);
	if (slice_present(text))
		store(setting, text, path != NULL ? file_name : name, loaded, problems);
}

/* Whether `variable` is the setting's own variable, `name`, or the variable with the path of the file that contains its
 * secret. */
static bool
is_variable_of(const struct conf_setting *setting, const char *name, struct slice variable)
{
	if (setting->type == CONF_SECRET && slice_ends_with(variable, SLICE(FILE_SUFFIX)))
		variable = slice_sub(variable, 0, variable.size - strlen(FILE_SUFFIX));
	return slice_equal(variable, slice_of(name));
}

/* Whether `variable` starts like the variable of the setting, up to the key. */
static bool
is_variable_of_section(const struct conf_setting *setting, const char *name, struct slice variable)
{
	return slice_starts_with(variable, slice_sub(slice_of(name), 0, strlen(name) - strlen(setting->key)));
}

/* Reports variables that start like that of a setting but belong to none: they are errors, like unknown keys in the file. */
static void
refuse_unknown_variables(const struct loaded_conf *loaded, struct buffer *problems)
{
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	for (char **variable = environ; *variable != NULL; variable++) {
		struct slice name = slice_sub(slice_of(*variable), 0, slice_find(slice_of(*variable), '='));
		bool known = false, of_section = false;
		for (size_t i = 0; i < count && !known; i++) {
			known = is_variable_of(&settings[i], loaded->variables[i], name);
			of_section = of_section || is_variable_of_section(&settings[i], loaded->variables[i], name);
		}
		if (of_section && !known)
			buffer_printf(problems, "%.*s: unknown setting\n", SLICE_ARGS(name));
	}
}

static void
take_environment(struct loaded_conf *loaded, struct buffer *problems)
{
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	loaded->variables = POOL_ARRAY(loaded->pool, count, const char *);
	for (size_t i = 0; i < count; i++) {
		loaded->variables[i] = variable_of(loaded->pool, &settings[i]);
		take_variable(&settings[i], loaded->variables[i], loaded, problems);
	}
	refuse_unknown_variables(loaded, problems);
}

/* ---- several settings together ---- */

static void
check_mail(const struct conf_mail *mail, const char *base_url, struct buffer *problems)
{
	if (*mail->host != '\0' && *base_url == '\0')
		buffer_add_text(problems, "server.base_url: is not set, but mail.host is: links in mails begin with it\n");
	if ((*mail->host == '\0') != (*mail->from == '\0'))
		buffer_printf(problems, "mail.%s: is not set, but mail.%s is\n", *mail->host == '\0' ? "host" : "from",
		    *mail->host == '\0' ? "from" : "host");
	if ((*mail->user == '\0') != (*mail->password == '\0'))
		buffer_printf(problems, "mail.%s: is not set, but mail.%s is\n", *mail->user == '\0' ? "user" : "password",
		    *mail->user == '\0' ? "password" : "user");
	/* mails and the password would cross the network in clear text */
	if (strcmp(mail->tls, "none") == 0 && *mail->host != '\0' && !host_is_loopback(slice_of(mail->host)))
		buffer_add_text(problems, "mail.tls: is none, but mail.host is not this host (localhost, 127.0.0.1 or ::1)\n");
	if (strcmp(mail->tls, "none") == 0 && *mail->tls_ca != '\0')
		buffer_add_text(problems, "mail.tls_ca: is set, but mail.tls is none\n");
}

/* Checks settings together. This is called only if each value is valid, so that no error is reported twice. */
static void
check_together(const struct conf *conf, struct buffer *problems)
{
	if (conf->database.connect_timeout % SECOND_MS != 0)
		buffer_add_text(problems, "database.connect_timeout: expected whole seconds\n");
	if (*conf->database.option_file != '\0')
		conf_secret_check(conf->database.option_file, conf_origin(conf, "database", "option_file"), problems);
	if (*conf->database.tls_ca != '\0' && strcmp(conf->database.tls, "off") == 0)
		buffer_add_text(problems, "database.tls_ca: is set, but database.tls is off\n");
	/* otherwise another dispatcher could send a delivery that is under way (docs/deliveries.md 4) */
	if (conf->dispatch.lease < conf->dispatch.attempt_timeout + LEASE_RESERVE_MS)
		buffer_add_text(problems, "dispatch.lease: is less than dispatch.attempt_timeout plus 15s\n");
	check_mail(&conf->mail, conf->server.base_url, problems);
	if (*conf->sms.calling_codes != '\0' && *conf->sms.url == '\0')
		buffer_add_text(problems, "sms.url: is not set, but sms.calling_codes is\n");
}

bool
conf_load(const char *path, struct conf **conf, struct buffer *problems)
{
	struct pool *pool = pool_new();
	struct loaded_conf *loaded = POOL_NEW(pool, struct loaded_conf);
	loaded->pool = pool;
	*conf = NULL;
	take_defaults(loaded, problems);
	take_file(path, loaded, problems);
	take_environment(loaded, problems);
	if (problems->size == 0)
		check_together(&loaded->conf, problems);
	if (problems->size > 0 || !buffer_ok(problems)) {
		pool_free(&pool);
		return false;
	}
	*conf = &loaded->conf;
	return true;
}

const char *
conf_origin(const struct conf *conf, const char *section, const char *key)
{
	const struct conf_setting *setting = conf_setting_find(section, key);
	if (setting == NULL)
		panic("no such setting");
	return ((const struct loaded_conf *)(const void *)conf)->origins[setting_index(setting)];
}

void
conf_free(struct conf **conf)
{
	if (*conf == NULL)
		return;
	struct pool *pool = ((struct loaded_conf *)(void *)*conf)->pool;
	*conf = NULL;
	pool_free(&pool);
}
