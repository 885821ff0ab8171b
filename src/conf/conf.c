/* SPDX-License-Identifier: MIT
 * The sources of values, their precedence, and checks that involve several settings. */
#include "conf/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "conf/file.h"
#include "conf/setting_values.h"

/* Allocated by conf_load; the pool owns it and all its strings. */
struct loaded_conf {
	struct conf conf; /* first: conf_free gets only its address */
	struct pool *pool;
	const char **origins;   /* one per setting, in the same order */
	const char **variables; /* the names of their environment variables */
};

#define FILE_SUFFIX "_FILE"

enum { EXPECTED_MAX_BYTES = 256 };
enum { LEASE_RESERVE_MS = 15000, SECOND_MS = 1000 };

static size_t
setting_index(const struct conf_setting *setting)
{
	size_t count;
	return (size_t)(setting - conf_settings(&count));
}

/* `origin` as returned by conf_origin. */
static void
store(const struct conf_setting *setting, struct slice text, const char *origin, struct loaded_conf *loaded,
    struct buffer *problems)
{
	struct buffer expected;
	buffer_init(&expected, EXPECTED_MAX_BYTES);
	if (!conf_setting_store(setting, text, loaded->pool, &loaded->conf, &expected))
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

/* LEADHOOK_<SECTION>_<KEY>, all upper case. */
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

/* Whether `variable` is that of the setting, `name`, or the one with the path of its secret's file. */
static bool
is_variable_of(const struct conf_setting *setting, const char *name, struct slice variable)
{
	if (setting->type == CONF_SECRET && slice_ends_with(variable, SLICE(FILE_SUFFIX)))
		variable = slice_sub(variable, 0, variable.size - strlen(FILE_SUFFIX));
	return slice_equal(variable, slice_of(name));
}

/* Whether `variable` starts like that of the setting, up to the key. */
static bool
is_variable_of_section(const struct conf_setting *setting, const char *name, struct slice variable)
{
	return slice_starts_with(variable, slice_sub(slice_of(name), 0, strlen(name) - strlen(setting->key)));
}

/* A variable that starts like a setting's but does not exist is an error, like an unknown key in the file. */
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

static bool
is_loopback(const char *host)
{
	const struct slice text = slice_of(host);
	return slice_equal_nocase(text, SLICE("localhost")) || slice_equal(text, SLICE("::1")) ||
	       (slice_starts_with(text, SLICE("127.")) && slice_is_alnum(text, ".") &&
		   !ascii_is_alpha(text.data[text.size - 1]));
}

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
	if (strcmp(mail->tls, "none") == 0 && *mail->host != '\0' && !is_loopback(mail->host))
		buffer_add_text(problems, "mail.tls: is none, but mail.host is not this host (localhost, 127.0.0.1 or ::1)\n");
	if (strcmp(mail->tls, "none") == 0 && *mail->tls_ca != '\0')
		buffer_add_text(problems, "mail.tls_ca: is set, but mail.tls is none\n");
}

/* Runs only when each value is valid, so that no error is reported twice. */
static void
check_together(const struct conf *conf, struct buffer *problems)
{
	if (conf->database.connect_timeout % SECOND_MS != 0)
		buffer_add_text(problems, "database.connect_timeout: expected whole seconds\n");
	if (*conf->database.option_file != '\0')
		conf_secret_check(conf->database.option_file, conf_origin(conf, "database", "option_file"), problems);
	if (*conf->database.tls_ca != '\0' && strcmp(conf->database.tls, "off") == 0)
		buffer_add_text(problems, "database.tls_ca: is set, but database.tls is off\n");
	/* docs/deliveries.md 4: otherwise another dispatcher could send a delivery that is under way */
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
