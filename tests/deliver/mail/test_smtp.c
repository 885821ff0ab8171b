/* SPDX-License-Identifier: MIT
 * docs/mail.md 4: an address cannot begin another command. Nothing is sent, so no server is needed. The behaviour of servers is
 * tested by tests/system/mail/test_mail_sending.py. */
#include "unit.h"

#include "deliver/mail/smtp.h"

static enum smtp_end
send_to(const char *sender, const char *recipient)
{
	/* nothing listens there */
	const struct smtp_server server = { .host = "127.0.0.1",
		.port = 1,
		.tls = SMTP_TLS_NONE,
		.user = "",
		.password = "",
		.helo = "",
		.ca_file = "",
		.sender = sender };
	const struct smtp_mail mail = { recipient, false, SLICE("A: b\r\n\r\n") };
	struct smtp_result result;
	struct smtp_connection *connection = smtp_new(&server, NULL);
	smtp_send(connection, &mail, &result);
	smtp_free(&connection);
	assert_null(connection);
	return result.end;
}

static void
addresses_are_one_word(void **state UNUSED)
{
	static const char *const bad[] = { "", "a@example.org\r\nRCPT TO:<b@example.org", "a@example.org\n", "a@example.org\r",
		"a@example.org> SIZE=1", "<a@example.org", "a b@example.org", "a\tb@example.org", "a@example.org\x7f" };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(send_to("sender@example.org", bad[i]), SMTP_BAD_ADDRESS);
		assert_int_equal(send_to(bad[i], "a@example.org"), SMTP_BAD_ADDRESS);
	}
	assert_int_equal(send_to("sender@example.org", "a@example.org"), SMTP_LOST);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_one_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
