/* SPDX-License-Identifier: MIT
 * docs/mail.md 5: the meaning of failures without an answer (answers are tested by test_smtp_answer.c), times, and content. */
#include "unit.h"

#include <string.h>

#include "deliver/mail/mail_judge.h"

static const struct {
	enum smtp_end end;
	enum smtp_stage stage;
	enum mail_verdict verdict;
} ends[] = {
	{ SMTP_ACCEPTED, SMTP_END, MAIL_SENT }, { SMTP_LOST, SMTP_CONNECTING, MAIL_HOLD },
	{ SMTP_LOST, SMTP_SENDER, MAIL_RETRY }, { SMTP_LOST, SMTP_END, MAIL_RETRY },
	{ SMTP_BAD_TLS, SMTP_CONNECTING, MAIL_HOLD }, { SMTP_BAD_LOGIN, SMTP_CONNECTING, MAIL_HOLD },
	{ SMTP_NO_UTF8, SMTP_CONNECTING, MAIL_FAIL }, { SMTP_BAD_ADDRESS, SMTP_CONNECTING, MAIL_FAIL },
	{ SMTP_ABANDONED, SMTP_RECIPIENT, MAIL_RETURN }, { SMTP_ABANDONED, SMTP_END, MAIL_RETRY }, /* it may have arrived */
};

static void
ends_decide(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const struct smtp_result result = { .end = ends[i].end, .stage = ends[i].stage };
		assert_int_equal(mail_judge(&result).verdict, ends[i].verdict);
	}
}

static void
pauses_grow(void **state UNUSED)
{
	const struct retry_schedule schedule = { .delays_ms = { 1000, 60000 }, .count = 2 };
	for (uint64_t random = 0; random < 1000000; random += 9973) {
		const int64_t first = mail_retry_ms(&schedule, 1, random), third = mail_retry_ms(&schedule, 3, random);
		assert_true(first >= 800 && first <= 1200);
		assert_true(third >= 48000 && third <= 72000); /* the last delay repeats */
	}
}

static const struct {
	const char *content;
	bool clean;
} contents[] = {
	{ "A: b\r\n\r\nc\r\n", true },
	{ "\r\n", true },
	{ "", false },
	{ "A: b", false },
	{ "A: b\n", false },
	{ "A: b\r\rc\r\n", false },
	{ "A: b\nB: c\r\n", false },
	{ "A: b\r\n\r", false },
	{ "A: \xc3\xbc\r\n", true },
};

static void
only_clean_bytes_are_sent(void **state UNUSED)
{
	char line[1002];
	for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
		assert_int_equal(mail_content_is_clean(slice_of(contents[i].content)), contents[i].clean);
	}
	memset(line, 'a', sizeof(line));
	memcpy(line + 998, "\r\n", 2);
	assert_true(mail_content_is_clean((struct slice){ line, 1000 }));
	memcpy(line + 998, "a\r\n", 3);
	assert_false(mail_content_is_clean((struct slice){ line, 1001 }));
	assert_false(mail_content_is_clean((struct slice){ "a\0b\r\n", 5 }));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_decide),
		cmocka_unit_test(pauses_grow),
		cmocka_unit_test(only_clean_bytes_are_sent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
