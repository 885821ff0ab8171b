/* SPDX-License-Identifier: MIT
 * The settings of mail and texts to phones (leadhook.conf(5)): when they are on, and that no password is sent to another host
 * in clear text.
 * Modules: conf. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/conf.h"

static char path[] = "test_messages.XXXXXX";

static void
write_file(const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

#define MAIL "[server]\nbase_url = https://leads.example.org\n[mail]\n"

/* Asserts that the only problem ends with `expected`, or, if that is NULL, that there is none. */
static void
assert_problem(const char *text, const char *expected)
{
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	write_file(text);
	const bool good = conf_load(path, &conf, &problems);
	if (good != (expected == NULL) || (!good && !slice_ends_with(buffer_slice(&problems), slice_of(expected))))
		fail_msg("%s: %s", text, good ? "taken" : problems.data);
	if (good)
		conf_free(&conf);
	buffer_free(&problems);
}

static void
settings_belong_together(void **state)
{
	(void)state;
	assert_problem(MAIL "host = localhost\n", "mail.from: is not set, but mail.host is\n");
	assert_problem("[mail]\nfrom = a@example.org\n", "mail.host: is not set, but mail.from is\n");
	assert_problem("[mail]\nuser = a\n", "mail.password: is not set, but mail.user is\n");
	assert_problem("[mail]\npassword = a\n", "mail.user: is not set, but mail.password is\n");
	assert_problem("[mail]\ntls = none\ntls_ca = /ca.pem\n", "mail.tls_ca: is set, but mail.tls is none\n");
	assert_problem(
	    "[mail]\ntls = try\n", "expected required, implicit or none (how connections to the mail server are encrypted)\n");
	assert_problem(MAIL "host = mail.example.org\nfrom = Example <a@example.org>\n", NULL);
	assert_problem("[mail]\nhost = mail.example.org\nfrom = a@example.org\n",
	    "server.base_url: is not set, but mail.host is: links in mails begin with it\n");
}

static void
clear_text_goes_to_this_host_only(void **state)
{
	(void)state;
	static const char *const loopback[] = { "localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1" };
	static const char *const other[] = { "mail.example.org", "192.0.2.1", "127.example.org", "localhost.example.org",
		"::2" };
	char text[200];
	for (size_t i = 0; i < ARRAY_SIZE(loopback); i++) {
		snprintf(text, sizeof(text), MAIL "host = %s\nfrom = a@example.org\ntls = none\n", loopback[i]);
		assert_problem(text, NULL);
	}
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		snprintf(text, sizeof(text), MAIL "host = %s\nfrom = a@example.org\ntls = none\n", other[i]);
		assert_problem(text, "mail.tls: is none, but mail.host is not this host (localhost, 127.0.0.1 or ::1)\n");
	}
}

static void
the_password_is_for_one_account(void **state)
{
	(void)state;
	char expected[200];
	assert_int_equal(chmod(path, 0644), 0);
	snprintf(expected, sizeof(expected), "mail.password: others can read or change this file: chmod 640 %s\n", path);
	assert_problem("[mail]\nuser = a\npassword = hidden\n", expected);
	assert_int_equal(chmod(path, 0600), 0);
	assert_problem("[mail]\nuser = a\npassword = hidden\n", NULL);
}

/* docs/mail.md 8.2 */
static void
a_gateway_is_described_completely(void **state)
{
	(void)state;
	static const struct {
		const char *line, *problem; /* NULL: none */
	} cases[] = {
		{ "url = https://gateway.example/send?key=1", NULL },
		{ "url = ftp://gateway.example/",
		    "address without # (address of the gateway for texts to phones; empty: no texts)\n" },
		{ "url = https://gateway.example/#a",
		    "address without # (address of the gateway for texts to phones; empty: no texts)\n" },
		{ "calling_codes = 49", "sms.url: is not set, but sms.calling_codes is\n" },
		{ "header_1 = X-Key: 1", NULL },
		{ "header_1 = X Key: 1", "expected nothing, or a header as Name: value (header of its requests)\n" },
		{ "header_3 = X-Key", "expected nothing, or a header as Name: value (a third header)\n" },
		{ "content_type = query", NULL },
		{ "content_type = xml",
		    "expected form, json or query (what the body is; query: a GET request, whose URL has it)\n" },
		{ "body = to={to}", "expected printable ASCII with {to} and {text} in it (body of its requests)\n" },
		{ "sent_status = 200 99",
		    "expected HTTP statuses from 200 to 599 (statuses of answers to texts that were accepted)\n" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[200];
		snprintf(text, sizeof(text), "[sms]\n%s\n", cases[i].line);
		assert_problem(text, cases[i].problem);
	}
}

static int
set_up(void **state)
{
	(void)state;
	const int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
clean_up(void **state)
{
	(void)state;
	return unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings_belong_together),
		cmocka_unit_test(clear_text_goes_to_this_host_only),
		cmocka_unit_test(the_password_is_for_one_account),
		cmocka_unit_test(a_gateway_is_described_completely),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
