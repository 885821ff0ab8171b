/* SPDX-License-Identifier: MIT
 * docs/mail.md 5: what the server's answers mean, without a server. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "deliver/mail/judge.h"

static struct smtp_result
refusal(enum smtp_stage stage, const char *answer)
{
	struct smtp_result result = { .end = SMTP_REFUSED, .stage = stage };
	snprintf(result.answer, sizeof(result.answer), "%s", answer);
	if (sscanf(answer, "%d %15[0-9.]", &result.status, result.enhanced) < 2 || strchr(result.enhanced, '.') == NULL)
		*result.enhanced = '\0';
	return result;
}

static const struct {
	enum smtp_stage stage;
	const char *answer;
	enum mail_verdict verdict;
	bool bounced;
	const char *reason;
} refusals[] = {
	{ SMTP_RECIPIENT, "550 5.1.1 no", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "550 5.1.10 no", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "551 5.1.6 it has moved", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "550 5.2.1 disabled", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "550 User unknown", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "553 No such user", MAIL_FAIL, true, "no_such_person" },
	{ SMTP_RECIPIENT, "550 Requested action not taken: mailbox unavailable", MAIL_FAIL, true, "no_such_person" },
	/* policies */
	{ SMTP_RECIPIENT, "550 5.7.1 user unknown to our policy", MAIL_FAIL, false, "refused" },
	{ SMTP_RECIPIENT, "554 5.7.1 relay access denied", MAIL_FAIL, false, "refused" },
	{ SMTP_RECIPIENT, "550 looks like spam", MAIL_FAIL, false, "refused" },
	{ SMTP_RECIPIENT, "554 user unknown", MAIL_FAIL, false, "refused" },
	/* only at RCPT it is about the recipient */
	{ SMTP_DATA, "550 5.1.1 no", MAIL_FAIL, false, "refused" },
	{ SMTP_END, "554 5.6.0 no", MAIL_FAIL, false, "refused" },
	{ SMTP_END, "552 5.3.4 too large", MAIL_FAIL, false, "too_large" },
	{ SMTP_SENDER, "552 5.3.4 too large", MAIL_FAIL, false, "too_large" },
	{ SMTP_RECIPIENT, "552 5.2.3 too large", MAIL_FAIL, false, "too_large" },
	/* for now */
	{ SMTP_RECIPIENT, "451 4.7.1 greylisted", MAIL_RETRY, false, "refused_for_now" },
	{ SMTP_RECIPIENT, "452 4.2.2 full", MAIL_RETRY, false, "refused_for_now" },
	{ SMTP_SENDER, "421 4.7.0 too many", MAIL_RETRY, false, "refused_for_now" },
	{ SMTP_END, "451 4.3.0 no", MAIL_RETRY, false, "refused_for_now" },
	/* the same for every mail */
	{ SMTP_SENDER, "553 5.7.1 not your address", MAIL_HOLD, false, "sender_refused" },
	{ SMTP_SENDER, "530 5.7.0 must issue STARTTLS first", MAIL_HOLD, false, "sender_refused" },
	{ SMTP_CONNECTING, "554 no service", MAIL_HOLD, false, "greeting_refused" },
	{ SMTP_CONNECTING, "421 busy", MAIL_HOLD, false, "greeting_refused" },
};

static void
answers_decide(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct smtp_result result = refusal(refusals[i].stage, refusals[i].answer);
		const struct mail_judgement judgement = mail_judge(&result);
		if (judgement.verdict != refusals[i].verdict || judgement.bounced != refusals[i].bounced ||
		    strcmp(judgement.reason, refusals[i].reason) != 0)
			fail_msg("%s: %d %s", refusals[i].answer, judgement.verdict, judgement.reason);
		assert_true((judgement.verdict == MAIL_HOLD) == (mail_hint(judgement.reason) != NULL));
	}
}

static const struct {
	enum smtp_end end;
	enum smtp_stage stage;
	enum mail_verdict verdict;
} ends[] = {
	{ SMTP_ACCEPTED, SMTP_END, MAIL_SENT }, { SMTP_LOST, SMTP_CONNECTING, MAIL_HOLD },
	{ SMTP_LOST, SMTP_SENDER, MAIL_RETRY }, { SMTP_LOST, SMTP_END, MAIL_RETRY },
	{ SMTP_BAD_TLS, SMTP_CONNECTING, MAIL_HOLD }, { SMTP_BAD_LOGIN, SMTP_CONNECTING, MAIL_HOLD },
	{ SMTP_NO_UTF8, SMTP_CONNECTING, MAIL_FAIL }, { SMTP_BAD_ADDRESS, SMTP_CONNECTING, MAIL_FAIL },
	{ SMTP_ABANDONED, SMTP_RECIPIENT, MAIL_RETURN }, { SMTP_ABANDONED, SMTP_END, MAIL_RETRY }, /* the server may have it */
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
		assert_true(third >= 48000 && third <= 72000); /* the last repeats */
		assert_true(mail_hold_ms(1, random) >= 4000 && mail_hold_ms(1, random) <= 6000);
		assert_true(mail_hold_ms(2, random) >= 8000 && mail_hold_ms(2, random) <= 12000);
		assert_true(mail_hold_ms(1000, random) >= 480000 && mail_hold_ms(1000, random) <= 720000);
	}
}

static const struct {
	const char *content;
	bool clean, with_utf8;
} contents[] = {
	{ "A: b\r\n\r\nc\r\n", true, true },
	{ "\r\n", true, true },
	{ "", false, false },
	{ "A: b", false, false },
	{ "A: b\n", false, false },
	{ "A: b\r\rc\r\n", false, false },
	{ "A: b\nB: c\r\n", false, false },
	{ "A: b\r\n\r", false, false },
	{ "A: \xc3\xbc\r\n", false, true },
};

static void
only_clean_bytes_are_sent(void **state UNUSED)
{
	char line[1002];
	for (size_t i = 0; i < ARRAY_SIZE(contents); i++) {
		assert_int_equal(mail_content_is_clean(slice_of(contents[i].content), false), contents[i].clean);
		assert_int_equal(mail_content_is_clean(slice_of(contents[i].content), true), contents[i].with_utf8);
	}
	memset(line, 'a', sizeof(line));
	memcpy(line + 998, "\r\n", 2);
	assert_true(mail_content_is_clean((struct slice){ line, 1000 }, false));
	memcpy(line + 998, "a\r\n", 3);
	assert_false(mail_content_is_clean((struct slice){ line, 1001 }, false));
	assert_false(mail_content_is_clean((struct slice){ "a\0b\r\n", 5 }, true));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_decide),
		cmocka_unit_test(ends_decide),
		cmocka_unit_test(pauses_grow),
		cmocka_unit_test(only_clean_bytes_are_sent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
