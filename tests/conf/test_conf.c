/* SPDX-License-Identifier: MIT
 * The configuration (leadhook.conf(5)): precedence of environment, file and default; errors with file and line. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"
#include "conf/setting_table.h"

static char directory[] = "test_conf.XXXXXX";
static char conf_path[64], secret_path[64];

static void
write_file(const char *path, const char *text, size_t size, mode_t mode)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static struct conf *
load_file(const char *text)
{
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	write_file(conf_path, text, strlen(text), 0600);
	if (!conf_load(conf_path, &conf, &problems))
		fail_msg("%s", problems.data);
	buffer_free(&problems);
	return conf;
}

/* Asserts that the file is refused and that the problems are exactly `expected`, in which "@" stands for the file's path. */
static void
assert_refused(const char *expected)
{
	struct conf *conf = (struct conf *)(void *)conf_path;
	struct buffer problems, wanted;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	buffer_init(&wanted, CONF_PROBLEMS_MAX_BYTES);
	for (const char *c = expected; *c != '\0'; c++)
		if (*c == '@')
			buffer_add_text(&wanted, conf_path);
		else
			buffer_add_byte(&wanted, *c);
	assert_false(conf_load(conf_path, &conf, &problems));
	assert_null(conf);
	assert_string_equal(problems.data, wanted.data);
	buffer_free(&wanted);
	buffer_free(&problems);
}

static void
assert_file_refused(const char *text, const char *expected)
{
	write_file(conf_path, text, strlen(text), 0600);
	assert_refused(expected);
}

/* Asserts that the file is refused, but compares only the start of the single problem. */
static void
assert_file_refused_at(const char *text, const char *beginning)
{
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	write_file(conf_path, text, strlen(text), 0600);
	if (conf_load(conf_path, &conf, &problems))
		fail_msg("taken: %s", text);
	const char *problem =
	    problems.data + (slice_starts_with(buffer_slice(&problems), slice_of(conf_path)) ? strlen(conf_path) : 0);
	if (strncmp(problem, beginning, strlen(beginning)) != 0)
		fail_msg("\"%s\" does not begin with \"%s\"", problem, beginning);
	assert_ptr_equal(strchr(problem, '\n'), problem + strlen(problem) - 1);
	buffer_free(&problems);
}

static void
an_empty_file_gives_every_default(void **state UNUSED)
{
	struct conf *conf = load_file("");
	assert_string_equal(conf->database.host, "");
	assert_int_equal(conf->database.port, 0);
	assert_string_equal(conf->database.socket, "");
	assert_string_equal(conf->database.user, "");
	assert_string_equal(conf->database.password, "");
	assert_string_equal(conf->database.name, "leadhook");
	assert_string_equal(conf->database.prefix, "lh_");
	assert_string_equal(conf->database.option_file, "");
	assert_string_equal(conf->database.tls, "");
	assert_string_equal(conf->database.tls_ca, "");
	assert_int_equal(conf->database.connect_timeout, 5000);
	assert_string_equal(conf->server.listen, "");
	assert_int_equal(conf->server.workers, CONF_WORKERS_AUTO);
	assert_int_equal(conf->server.socket_mode, 0660);
	assert_string_equal(conf->server.socket_group, "");
	assert_string_equal(conf->server.base_path, "");
	assert_string_equal(conf->server.base_url, "");
	assert_string_equal(conf->server.service_name, "Leadhook");
	assert_string_equal(conf->server.trusted_proxies, "");
	assert_int_equal(conf->server.request_timeout, 30000);
	assert_int_equal(conf->server.idle_timeout, 30000);
	assert_int_equal(conf->server.max_requests, 0);
	assert_true(conf->server.sandbox);
	/* docs/api.md 1, Caps */
	assert_int_equal(conf->limits.body_bytes, 262144);
	assert_int_equal(conf->limits.bulk_body_bytes, 1048576);
	assert_int_equal(conf->limits.bulk_items, 250);
	assert_int_equal(conf->limits.json_depth, 16);
	assert_int_equal(conf->limits.parameters, 200);
	assert_int_equal(conf->limits.name_bytes, 64);
	assert_int_equal(conf->limits.value_bytes, 4096);
	assert_int_equal(conf->limits.custom_fields, 50);
	assert_int_equal(conf->limits.custom_fields_bytes, 16384);
	assert_int_equal(conf->limits.webhooks_per_campaign, 20);
	assert_int_equal(conf->limits.account_bulk_jobs, 1000);
	/* docs/api.md 5; tests/prog/test_limits.c checks the other limits */
	assert_int_equal(conf->limits.account_per_minute, 60000);
	assert_int_equal(conf->limits.memory, 16 * 1024 * 1024);
	assert_string_equal(conf->lead.avatar_url, "https://www.gravatar.com/avatar/{hash}?d=mp");
	assert_string_equal(conf->lead.disposable_domains_file, "");
	/* docs/deliveries.md 2 to 6 */
	assert_string_equal(conf->dispatch.schedule, "5s 1m 5m 30m 2h 5h 10h 14h 20h 24h");
	assert_string_equal(conf->dispatch.allow_networks, "");
	assert_non_null(strstr(conf->dispatch.deny_ports, " 22 23 25 "));
	assert_string_equal(conf->dispatch.form_urls, "");
	assert_int_equal(conf->dispatch.connect_timeout, 5000);
	assert_int_equal(conf->dispatch.attempt_timeout, 15000);
	assert_int_equal(conf->dispatch.lease, 60000);
	assert_int_equal(conf->dispatch.in_flight, 512);
	assert_int_equal(conf->dispatch.per_webhook, 32);
	assert_int_equal(conf->dispatch.max_runtime, 55000);
	assert_int_equal(conf->dispatch.poll_interval, 200);
	assert_string_equal(conf->dispatch.lock_file, "/run/leadhook/dispatch.lock");
	assert_string_equal(conf->dispatch.ca_file, "");
	assert_int_equal(conf->log.level, LOG_LEVEL_INFO);
	assert_string_equal(conf->log.file, "");
	conf_free(&conf);
	assert_null(conf);
	conf_free(&conf);
}

static void
every_type_is_read(void **state UNUSED)
{
	struct conf *conf = load_file("# comment\n"
				      "; comment\n"
				      "[database]\r\n"
				      "host = db.example\r\n"
				      "password = a;b #c \"d\n"
				      "socket = /run/x\n"
				      "[server]\n"
				      "workers=0\n"
				      "socket_mode = 600\n"
				      "sandbox = Off\n"
				      "[compat]\n"
				      "authenticate = TRUE\n"
				      "[metrics]\n"
				      "loopback = yes\n"
				      "[limits]\n"
				      "body_bytes = 2k\n"
				      "value_bytes = 300\n"
				      "[dispatch]\n"
				      "allow_networks = 127.0.0.0/8, ::1\n"
				      "schedule =\n"
				      "poll_interval = 1s\n"
				      "[log]\n"
				      "level = debug\n");
	assert_string_equal(conf->database.host, "db.example");
	assert_string_equal(conf->database.password, "a;b #c \"d");
	assert_string_equal(conf->database.socket, "/run/x");
	assert_int_equal(conf->server.workers, 0);
	assert_int_equal(conf->server.socket_mode, 0600);
	assert_false(conf->server.sandbox);
	assert_true(conf->compat.authenticate && conf->metrics.loopback);
	assert_int_equal(conf->limits.body_bytes, 2048);
	assert_int_equal(conf->limits.value_bytes, 300);
	assert_string_equal(conf->dispatch.allow_networks, "127.0.0.0/8, ::1");
	assert_string_equal(conf->dispatch.schedule, ""); /* an empty list stays empty: it is not the default */
	assert_int_equal(conf->dispatch.poll_interval, 1000);
	assert_int_equal(conf->log.level, LOG_LEVEL_DEBUG);
	conf_free(&conf);
}

static void
a_list_continues_on_indented_lines(void **state UNUSED)
{
	struct conf *conf = load_file("[dispatch]\n"
				      "form_urls = a.example\n"
				      "\n"
				      "  b.example\n"
				      "# between\n"
				      "\tc.example\n"
				      "lease = 50s\n");
	assert_string_equal(conf->dispatch.form_urls, "a.example b.example c.example");
	assert_int_equal(conf->dispatch.lease, 50000);
	conf_free(&conf);
	/* an indented line is a setting if there is none above it in its section */
	conf = load_file("[dispatch]\nlease = 50s\n[log]\n level = error\n");
	assert_int_equal(conf->log.level, LOG_LEVEL_ERROR);
	conf_free(&conf);
	assert_file_refused(
	    "[dispatch]\nlease = 50s\n 60s\n", "@:3: begins with a blank: only a list may go on in a further line\n");
	assert_file_refused("[dispatch]\nhosts = a\n b\n", "@:2: dispatch.hosts: unknown setting\n");
}

/* Long lines, values before a comment, and lines with a NUL are not truncated. */
static void
lines_that_would_be_truncated_are_refused(void **state UNUSED)
{
	char text[1000] = "[server]\nbase_path = /";
	size_t used = strlen(text);
	memset(text + used, 'x', 178);
	struct conf *conf = load_file(text);
	assert_int_equal(strlen(conf->server.base_path), 179);
	conf_free(&conf);
	memset(text + used, 'x', 400);
	assert_file_refused(text, "@:2: is too long (a list may continue on lines that begin with a blank)\n");
	text[9] = '#'; /* comments have no maximum length */
	conf = load_file(text);
	conf_free(&conf);
	assert_file_refused(
	    "[database]\npassword = abc ;def\n", "@:2: has a comment after the value: put it on a separate line\n");
	write_file(conf_path, "[log]\nlevel = in\0fo\n", 20, 0600);
	assert_refused("@:2: contains a NUL byte\n");
}

static void
errors_have_their_line(void **state UNUSED)
{
	assert_file_refused("[server]\nworker = 3\n[servers]\nworkers = 3\n",
	    "@:2: server.worker: unknown setting\n@:4: servers.workers: unknown setting\n");
	assert_file_refused("workers = 3\n", "@:1: .workers: unknown setting\n");
	assert_file_refused("[\x1b[2J]\n\x7fworkers = 3\n", "@:2: ?[2J.?workers: unknown setting\n");
	assert_file_refused("[server]\nworkers = 3\n\nworkers = 4\n", "@:4: server.workers: is already set in line 2\n");
	assert_file_refused(
	    "[server]\nworkers = 3\n[log]\n[server]\nworkers = 3\n", "@:5: server.workers: is already set in line 2\n");
	assert_file_refused("[server\n", "@:1: is neither [section] nor key = value nor a comment\n");
	assert_file_refused("[server]\nworkers\n", "@:2: is neither [section] nor key = value nor a comment\n");
	assert_file_refused("[database]\nport = 65536\n",
	    "@:2: database.port: expected a whole number from 0 to 65535 (TCP port of the database server)\n");
	assert_file_refused("[server]\nrequest_timeout = 30\n",
	    "@:2: server.request_timeout: expected a duration from 5s to 1h (time limit of a request)\n");
}

/* For each type, values that must be refused. */
static void
bad_values_are_refused(void **state UNUSED)
{
	static const char *const bad[][3] = {
		{ "database", "name", "" },
		{ "database", "name", "12345678901234567890123456789012345678901234567890123456789012345" },
		{ "database", "host", "a\x01" },
		{ "database", "socket", "run/mysqld.sock" },
		{ "database", "port", "x" },
		{ "database", "port", "-1" },
		{ "database", "port", "1.5" },
		{ "database", "prefix", "lh-" },
		{ "database", "prefix", "a12345678901234567890" },
		{ "database", "connect_timeout", "500ms" },
		{ "server", "listen", "fcgi.sock" },
		{ "server", "workers", "many" },
		{ "server", "workers", "1025" },
		{ "server", "socket_mode", "680" },
		{ "server", "socket_mode", "1777" },
		{ "server", "socket_mode", "" },
		{ "server", "sandbox", "none" },
		{ "server", "sandbox", "" },
		{ "server", "base_path", "leads" },
		{ "server", "base_path", "/leads/" },
		{ "server", "base_path", "/" },
		{ "server", "base_url", "ftp://a" },
		{ "server", "base_url", "https://" },
		{ "server", "base_url", "https://a/" },
		{ "server", "base_url", "https://a?b" },
		{ "server", "service_name", "caf\xc3\xa9" },
		{ "server", "trusted_proxies", "10.0.0.0/8 example.org" },
		{ "limits", "body_bytes", "1G" },
		{ "limits", "body_bytes", "65M" },
		{ "limits", "body_bytes", "18014398509481985k" },
		{ "limits", "body_bytes", "k" },
		{ "limits", "body_bytes", "0" },
		{ "limits", "bulk_items", "0" },
		{ "limits", "bulk_items", "251" }, /* docs/requirements.md, Limits */
		{ "lead", "avatar_url", "https://a.example/" },
		{ "lead", "disposable_domains_file", "hosts.txt" },
		{ "dispatch", "deny_ports", "22 0" },
		{ "dispatch", "deny_ports", "65536" },
		{ "dispatch", "schedule", "5s 1" },
		{ "dispatch", "form_urls",
		    "b\xc3\xbc"
		    "cher" },
		{ "dispatch", "lease", "0s" },
		{ "dispatch", "lease", "9223372036854775807d" },
		{ "log", "level", "loud" },
		{ "log", "level", "" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		char text[200], beginning[100];
		snprintf(text, sizeof(text), "[%s]\n%s = %s\n", bad[i][0], bad[i][1], bad[i][2]);
		snprintf(beginning, sizeof(beginning), ":2: %s.%s: expected ", bad[i][0], bad[i][1]);
		assert_file_refused_at(text, beginning);
	}
}

/* leadhook.conf(5), tls */
static void
tls_of_the_database_is_off_or_verify(void **state UNUSED)
{
	struct conf *conf = load_file("[database]\ntls = verify\ntls_ca = /etc/ssl/ca.pem\n");
	assert_string_equal(conf->database.tls, "verify");
	assert_string_equal(conf->database.tls_ca, "/etc/ssl/ca.pem");
	conf_free(&conf);
	conf = load_file("[database]\ntls = off\n");
	assert_string_equal(conf->database.tls, "off");
	conf_free(&conf);
	conf = load_file("[database]\ntls_ca = /etc/ssl/ca.pem\n"); /* for a host for which TLS is the default */
	conf_free(&conf);
	static const char *const others[] = { "on", "Verify", "required", "verify off", "no" };
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		char text[64];
		snprintf(text, sizeof(text), "[database]\ntls = %s\n", others[i]);
		assert_file_refused(text,
		    "@:2: database.tls: expected nothing, off or verify (whether the certificate of the database server is "
		    "verified)\n");
	}
	assert_file_refused_at("[database]\ntls_ca = ca.pem\n", ":2: database.tls_ca: expected an absolute path");
}

static void
settings_must_be_consistent(void **state UNUSED)
{
	assert_file_refused("[database]\ntls = off\ntls_ca = /ca.pem\n", "database.tls_ca: is set, but database.tls is off\n");
	assert_file_refused("[database]\nconnect_timeout = 1500ms\n", "database.connect_timeout: expected whole seconds\n");
	assert_file_refused(
	    "[dispatch]\nattempt_timeout = 46s\n", "dispatch.lease: is less than dispatch.attempt_timeout plus 15s\n");
	struct conf *conf = load_file("[dispatch]\nattempt_timeout = 45s\n");
	conf_free(&conf);
}

static void
environment_beats_file_beats_default(void **state UNUSED)
{
	struct conf *conf = load_file("[database]\nhost = file.example\n[dispatch]\nform_urls = a.example\n");
	assert_string_equal(conf->database.host, "file.example");
	conf_free(&conf);
	setenv("LEADHOOK_DATABASE_HOST", "environment.example", 1);
	setenv("LEADHOOK_DISPATCH_FORM_URLS", "", 1);
	setenv("LEADHOOK_LIMITS_JSON_DEPTH", "8", 1);
	conf = load_file("[database]\nhost = file.example\n[dispatch]\nform_urls = a.example\n");
	assert_string_equal(conf->database.host, "environment.example");
	assert_string_equal(conf->dispatch.form_urls, "");
	assert_int_equal(conf->limits.json_depth, 8);
	conf_free(&conf);
	setenv("LEADHOOK_LIMITS_JSON_DEPTH", "deep", 1);
	assert_refused("LEADHOOK_LIMITS_JSON_DEPTH: expected a whole number from 1 to 128 (depth of a JSON body)\n");
	unsetenv("LEADHOOK_DATABASE_HOST");
	unsetenv("LEADHOOK_DISPATCH_FORM_URLS");
	unsetenv("LEADHOOK_LIMITS_JSON_DEPTH");
}

/* --config overrides LEADHOOK_CONF; only the default file may be missing. */
static void
the_named_file_is_read(void **state UNUSED)
{
	struct conf *conf = load_file("[log]\nlevel = error\n");
	conf_free(&conf);
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	setenv("LEADHOOK_CONF", conf_path, 1);
	assert_true(conf_load(NULL, &conf, &problems));
	assert_int_equal(conf->log.level, LOG_LEVEL_ERROR);
	conf_free(&conf);
	assert_true(conf_load("/dev/null", &conf, &problems));
	assert_null(conf->absent_file);
	assert_int_equal(conf->log.level, LOG_LEVEL_INFO);
	conf_free(&conf);
	setenv("LEADHOOK_CONF", "/nonexistent/leadhook.conf", 1);
	assert_false(conf_load(NULL, &conf, &problems));
	assert_string_equal(problems.data, "/nonexistent/leadhook.conf: No such file or directory\n");
	buffer_clear(&problems);
	unsetenv("LEADHOOK_CONF");
	assert_false(conf_load("/nonexistent/leadhook.conf", &conf, &problems));
	buffer_clear(&problems);
	assert_false(conf_load(directory, &conf, &problems)); /* it can be opened, but not read */
	buffer_clear(&problems);
	if (access(LEADHOOK_CONFIG_FILE, F_OK) != 0) {
		assert_true(conf_load(NULL, &conf, &problems));
		assert_string_equal(conf->absent_file, LEADHOOK_CONFIG_FILE);
		conf_free(&conf);
	}
	buffer_free(&problems);
}

static void
load_secret(const char *text, size_t size, const char *password)
{
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	write_file(secret_path, text, size, 0600);
	assert_int_equal(conf_load("/dev/null", &conf, &problems), password != NULL);
	if (password != NULL)
		assert_string_equal(conf->database.password, password);
	else
		assert_null(strstr(problems.data, "hidden"));
	conf_free(&conf);
	buffer_free(&problems);
}

static void
a_secret_may_come_from_a_separate_file(void **state UNUSED)
{
	char longest[257];
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	setenv("LEADHOOK_DATABASE_PASSWORD_FILE", secret_path, 1);
	load_secret("hidden", 6, "hidden");
	load_secret("hidden\n", 7, "hidden");
	load_secret(" hidden; ", 9, " hidden; ");
	load_secret("", 0, "");
	load_secret("hidden\n\n", 8, NULL);
	load_secret("hid\0den", 7, NULL);
	memset(longest, 'x', sizeof(longest) - 2);
	longest[255] = '\n';
	longest[256] = '\0';
	write_file(secret_path, longest, 256, 0600);
	assert_true(conf_load("/dev/null", &conf, &problems));
	assert_int_equal(strlen(conf->database.password), 255);
	conf_free(&conf);
	longest[255] = 'x';
	load_secret(longest, 256, NULL);
	write_file(secret_path, "hidden", 6, 0640);
	assert_true(conf_load("/dev/null", &conf, &problems));
	conf_free(&conf);
	write_file(secret_path, "hidden", 6, 0660);
	assert_false(conf_load("/dev/null", &conf, &problems));
	assert_non_null(strstr(problems.data, "LEADHOOK_DATABASE_PASSWORD_FILE: others can read or change the file"));
	buffer_clear(&problems);
	write_file(secret_path, "hidden", 6, 0600);
	setenv("LEADHOOK_DATABASE_PASSWORD", "other", 1);
	assert_false(conf_load("/dev/null", &conf, &problems));
	assert_string_equal(problems.data, "LEADHOOK_DATABASE_PASSWORD_FILE: LEADHOOK_DATABASE_PASSWORD is set too\n");
	buffer_clear(&problems);
	unsetenv("LEADHOOK_DATABASE_PASSWORD");
	setenv("LEADHOOK_DATABASE_PASSWORD_FILE", "/nonexistent/secret", 1);
	assert_false(conf_load("/dev/null", &conf, &problems));
	unsetenv("LEADHOOK_DATABASE_PASSWORD_FILE");
	buffer_free(&problems);
}

/* leadhook.conf(5): unknown keys are errors. */
static void
an_unknown_variable_is_refused(void **state UNUSED)
{
	static const struct {
		const char *name;
		bool refused;
	} cases[] = {
		{ "LEADHOOK_DATABASE_PASWORD", true },
		{ "LEADHOOK_DATABASE_", true },
		{ "LEADHOOK_DATABASE_PASSWORD_FILES", true },
		{ "LEADHOOK_SERVER_LISTEN_FILE", true }, /* not a secret */
		{ "LEADHOOK_LOG_FILE_FILE", true },
		{ "LEADHOOK_log_level", false },
		{ "LEADHOOK_DATABASEPASSWORD", false },
		{ "LEADHOOK_KEY", false }, /* used by the quickstart */
		{ "LEADHOOK_RECEIVER_LOG", false },
		{ "XLEADHOOK_DATABASE_PASWORD", false },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char expected[128];
		struct conf *conf;
		struct buffer problems;
		buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
		snprintf(expected, sizeof(expected), "%s: unknown setting\n", cases[i].name);
		setenv(cases[i].name, "secret", 1);
		if (conf_load("/dev/null", &conf, &problems) == cases[i].refused)
			fail_msg("%s", cases[i].name);
		if (cases[i].refused)
			assert_string_equal(problems.data, expected);
		unsetenv(cases[i].name);
		conf_free(&conf);
		buffer_free(&problems);
	}
}

static void
values_have_an_origin(void **state UNUSED)
{
	char expected[128];
	setenv("LEADHOOK_DISPATCH_SCHEDULE", "1s", 1);
	struct conf *conf = load_file("[dispatch]\nschedule = 2s\n\nallow_networks =\n  10.0.0.0/8\n");
	snprintf(expected, sizeof(expected), "%s:4: dispatch.allow_networks", conf_path);
	assert_string_equal(conf_origin(conf, "dispatch", "allow_networks"), expected);
	assert_string_equal(conf_origin(conf, "dispatch", "schedule"), "LEADHOOK_DISPATCH_SCHEDULE");
	assert_string_equal(conf_origin(conf, "log", "file"), "log.file");
	conf_free(&conf);
	unsetenv("LEADHOOK_DISPATCH_SCHEDULE");
}

static int
make_directory(void **state UNUSED)
{
	if (mkdtemp(directory) == NULL)
		return -1;
	snprintf(conf_path, sizeof(conf_path), "%s/leadhook.conf", directory);
	snprintf(secret_path, sizeof(secret_path), "%s/secret", directory);
	return 0;
}

static int
remove_directory(void **state UNUSED)
{
	unlink(conf_path);
	unlink(secret_path);
	return rmdir(directory);
}

/* The environment may contain settings of the tester's own installation. */
static void
clear_environment(void)
{
	for (char **variable = environ; *variable != NULL;) {
		char name[256];
		struct slice text = slice_of(*variable);
		snprintf(name, sizeof(name), "%.*s", SLICE_ARGS(slice_sub(text, 0, slice_find(text, '='))));
		if (slice_starts_with(text, SLICE("LEADHOOK_")) && unsetenv(name) == 0)
			variable = environ;
		else
			variable++;
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_file_gives_every_default),
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(a_list_continues_on_indented_lines),
		cmocka_unit_test(lines_that_would_be_truncated_are_refused),
		cmocka_unit_test(errors_have_their_line),
		cmocka_unit_test(bad_values_are_refused),
		cmocka_unit_test(tls_of_the_database_is_off_or_verify),
		cmocka_unit_test(settings_must_be_consistent),
		cmocka_unit_test(environment_beats_file_beats_default),
		cmocka_unit_test(the_named_file_is_read),
		cmocka_unit_test(a_secret_may_come_from_a_separate_file),
		cmocka_unit_test(an_unknown_variable_is_refused),
		cmocka_unit_test(values_have_an_origin),
	};
	clear_environment();
	return cmocka_run_group_tests_name("conf/conf", tests, make_directory, remove_directory);
}
