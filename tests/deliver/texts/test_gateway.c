/* SPDX-License-Identifier: MIT
 * docs/mail.md 8: the text with a code, the gateway's requests, and what its answers mean. */
#include "unit.h"

#include <string.h>

#include "with_pool.h"

#include "deliver/texts/code_text.h"
#include "deliver/texts/gateway.h"
#include "identity/phone.h"

static const struct text_gateway plain = {
	.url = "https://gateway.example/send",
	.headers = { "Authorization: Basic a2V5", "", "X-Key: 1" },
	.body = { "to={to}&from=Us&text={text}", 27 },
	.sent_status = { "200, 201", 8 },
	.retry_status = { "429 503", 7 },
	.sent_text = { "", 0 },
	.calling_codes = { "49 1415", 7 },
};

#define ASSERT_TEXT(slice, text) assert_true(slice_equal((slice), SLICE(text)))

/* docs/mail.md 8.2 */
static void
a_request_is_escaped_for_its_type(void **state UNUSED)
{
	struct text_gateway json = plain;
	struct attempt attempt;
	gateway_request(pool, &plain, SLICE("+4915112345678"), SLICE("a&b {to}\n@x #1"), &attempt);
	ASSERT_TEXT(attempt.body, "to=%2B4915112345678&from=Us&text=a%26b%20%7Bto%7D%0A%40x%20%231");
	assert_int_equal(attempt.header_count, 3);
	ASSERT_TEXT(attempt.headers[0], "Content-Type: application/x-www-form-urlencoded");
	ASSERT_TEXT(attempt.headers[1], "Authorization: Basic a2V5");
	ASSERT_TEXT(attempt.headers[2], "X-Key: 1");
	json.format = GATEWAY_JSON;
	json.body = SLICE("{\"a\":[{\"to\":\"{to}\"}],\"text\":\"{text}\"}");
	gateway_request(pool, &json, SLICE("+4915112345678"), SLICE("a \"b\"\\\n{to}"), &attempt);
	ASSERT_TEXT(attempt.body, "{\"a\":[{\"to\":\"+4915112345678\"}],\"text\":\"a \\\"b\\\"\\\\\\n{to}\"}");
	ASSERT_TEXT(attempt.headers[0], "Content-Type: application/json");
	assert_false(attempt.by_get);
}

/* docs/mail.md 8.2 */
static void
the_query_of_a_get_is_added_to_the_url(void **state UNUSED)
{
	struct text_gateway query = plain;
	struct attempt attempt;
	query.format = GATEWAY_QUERY;
	gateway_request(pool, &query, SLICE("+4915112345678"), SLICE("a&b#c"), &attempt);
	assert_true(attempt.by_get);
	assert_int_equal(attempt.body.size, 0);
	assert_int_equal(attempt.header_count, 2);
	ASSERT_TEXT(attempt.headers[0], "Authorization: Basic a2V5");
	const struct slice url = pool_printf(pool, "%s?to=%%2B4915112345678&from=Us&text=a%%26b%%23c", query.url);
	assert_string_equal(attempt.url, url.data);
	query.url = "https://gateway.example/send?key=1";
	gateway_request(pool, &query, SLICE("+4915112345678"), SLICE("x"), &attempt);
	assert_string_equal(attempt.url, "https://gateway.example/send?key=1&to=%2B4915112345678&from=Us&text=x");
}

/* docs/mail.md 8.3 */
static void
numbers_outside_the_list_get_nothing(void **state UNUSED)
{
	struct text_gateway none = plain;
	none.calling_codes = SLICE("");
	assert_false(slice_present(gateway_refusal(&plain, SLICE("+4915112345678"))));
	assert_false(slice_present(gateway_refusal(&plain, SLICE("+14155552671"))));
	ASSERT_TEXT(gateway_refusal(&plain, SLICE("+12125552671")), "calling_code");
	ASSERT_TEXT(gateway_refusal(&plain, SLICE("+33612345678")), "calling_code");
	ASSERT_TEXT(gateway_refusal(&none, SLICE("+4915112345678")), "calling_code");
}

static const struct {
	const char *number, *refusal, *despite; /* `despite`: the refusal where any number is permitted */
} kinds[] = {
	{ "+493012345678", "not_mobile", NULL }, /* a landline */
	{ "+495001234567", "not_mobile", NULL }, /* a range without numbers */
	{ "+4915999", "not_mobile", NULL }, { "+4980012345678", "not_mobile", NULL },
	{ "+499001234567", "special_rate", "special_rate" }, /* premium rate */
	{ "+4918012345", "special_rate", "special_rate" },   /* shared cost */
};

/* docs/mail.md 8.3 */
static void
only_mobile_phones_get_texts(void **state UNUSED)
{
	struct slice nonsense;
	const bool has_plans = !phone_parse(pool, SLICE("1234567"), SLICE("999"), &nonsense); /* with libphonenumber */
	struct text_gateway any = plain;
	any.any_number = true;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct slice number = slice_of(kinds[i].number);
		const char *const despite = has_plans ? kinds[i].despite : NULL;
		const struct slice refusal = gateway_refusal(&plain, number), left = gateway_refusal(&any, number);
		assert_true(has_plans ? slice_equal(refusal, slice_of(kinds[i].refusal)) : !slice_present(refusal));
		assert_true(despite != NULL ? slice_equal(left, slice_of(despite)) : !slice_present(left));
	}
}

static const struct {
	enum sender_error error;
	int status;
	const char *answer, *sent_text;
	enum gateway_verdict verdict;
} answers[] = {
	{ SENDER_OK, 200, "", "", GATEWAY_SENT },
	{ SENDER_OK, 201, "x", "", GATEWAY_SENT },
	{ SENDER_OK, 202, "", "", GATEWAY_REFUSED },
	{ SENDER_OK, 302, "", "", GATEWAY_REFUSED },
	{ SENDER_OK, 400, "", "", GATEWAY_REFUSED },
	{ SENDER_OK, 500, "", "", GATEWAY_REFUSED },
	{ SENDER_OK, 429, "", "", GATEWAY_RETRY },
	{ SENDER_OK, 503, "", "", GATEWAY_RETRY },
	{ SENDER_OK, 200, "{\n \"status\" : \"0\" }", "\"status\":\"0\"", GATEWAY_SENT },
	{ SENDER_OK, 200, "{\"status\":\"29\"}", "\"status\": \"0\"", GATEWAY_REFUSED },
	{ SENDER_OK, 200, "\"status\":\"0", "\"status\":\"0\"", GATEWAY_REFUSED },
	{ SENDER_TIMEOUT, 0, "", "", GATEWAY_UNKNOWN },
	{ SENDER_CONNECTION_LOST, 0, "", "", GATEWAY_UNKNOWN },
	{ SENDER_BAD_ANSWER, 200, "", "", GATEWAY_UNKNOWN },
	{ SENDER_REFUSED, 0, "", "", GATEWAY_HOLD },
	{ SENDER_CONNECT_TIMEOUT, 0, "", "", GATEWAY_HOLD },
	{ SENDER_NOT_RESOLVED, 0, "", "", GATEWAY_HOLD },
	{ SENDER_CERTIFICATE, 0, "", "", GATEWAY_HOLD },
	{ SENDER_FORBIDDEN_ADDRESS, 0, "", "", GATEWAY_HOLD },
	{ SENDER_TLS, 0, "", "", GATEWAY_HOLD },
	{ SENDER_INTERNAL, 0, "", "", GATEWAY_HOLD },
};

/* docs/mail.md 8.4 */
static void
each_answer_has_a_meaning(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		struct text_gateway gateway = plain;
		gateway.sent_text = slice_of(answers[i].sent_text);
		const struct attempt_result result = {
			.error = answers[i].error, .status = answers[i].status, .answer = slice_of(answers[i].answer)
		};
		if (gateway_judge(&gateway, &result) != answers[i].verdict)
			fail_msg("answer %zu is misjudged", i);
	}
}

/* docs/mail.md 8.4: errors that can occur before and after the request arrives */
static void
what_may_have_arrived_is_not_sent_again(void **state UNUSED)
{
	static const enum sender_error errors[] = { SENDER_TLS, SENDER_INTERNAL };
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct attempt_result result = { .error = errors[i] };
		assert_int_equal(gateway_judge(&plain, &result), GATEWAY_HOLD);
		result.connected = true;
		assert_int_equal(gateway_judge(&plain, &result), GATEWAY_UNKNOWN);
	}
}

/* docs/mail.md 8.4 */
static void
an_answer_is_stored_without_the_code(void **state UNUSED)
{
	ASSERT_TEXT(gateway_answer(pool, SLICE("sent 012345 to you, 0123450123456"), SLICE("012345")),
	    "sent ****** to you, ************6");
	ASSERT_TEXT(gateway_answer(pool, SLICE("012"), SLICE("012345")), "012");
	ASSERT_TEXT(gateway_answer(pool, SLICE("x012345"), SLICE("012345")), "x******");
	ASSERT_TEXT(gateway_answer(pool, SLICE("its id is 01234"), SLICE("012345")), "its id is 01234");
	/* the stored part of a longer answer may end inside the code */
	char text[SENDER_ANSWER_STORED];
	memset(text, '.', sizeof(text));
	memcpy(text + sizeof(text) - 5, "01234", 5);
	const struct slice cut = gateway_answer(pool, (struct slice){ text, sizeof(text) }, SLICE("012345"));
	assert_true(slice_ends_with(cut, SLICE(".*****")));
	assert_int_equal(cut.size, sizeof(text));
}

/* docs/mail.md 8.1: a text is one message: a name that does not fit, or has other characters, is left out. */
static void
a_text_is_one_message(void **state UNUSED)
{
	const struct slice code = SLICE("012345"), host = SLICE("example.org");
	ASSERT_TEXT(code_text(pool, TEXT_LANGUAGE_EN, SLICE(" Caf\xc3\xa9 "), host, code),
	    "012345 is your code for Caf\xc3\xa9.\n\n@example.org #012345");
	ASSERT_TEXT(
	    code_text(pool, TEXT_LANGUAGE_EN, SLICE("Caf\xc3\xa9"), SLICE_NONE, code), "012345 is your code for Caf\xc3\xa9.");
	static const char *const left_out[] = { "\xd0\x94\xd0\xb0", "Zo\xc3\xab", "a\nb",
		("a name of a hundred and forty characters, which is quite a lot for a campaign, or for anything else that "
		 "people have to read, or to say, often.") };
	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		ASSERT_TEXT(code_text(pool, TEXT_LANGUAGE_EN, slice_of(left_out[i]), host, code),
		    "Your code is 012345.\n\n@example.org #012345");
	for (int language = 0; language < TEXT_LANGUAGES; language++) {
		const struct slice text = code_text(pool, (enum text_language)language, SLICE("Name"), host, code);
		assert_true(gsm_septets(text) <= CODE_TEXT_MAX);
		assert_non_null(memmem(text.data, text.size, "Name", 4));
		assert_true(slice_ends_with(text, SLICE("\n@example.org #012345")));
	}
}

/* GSM 03.38 */
static void
characters_take_septets(void **state UNUSED)
{
	assert_int_equal(gsm_septets(SLICE("aZ0 \xc3\xa4\xc2\xa3@\n")), 8);
	assert_int_equal(gsm_septets(SLICE("[\xe2\x82\xac]")), 6);
	assert_true(gsm_septets(SLICE("\xc3\xab")) > CODE_TEXT_MAX);
	assert_true(gsm_septets(SLICE("`")) > CODE_TEXT_MAX);
	assert_true(gsm_septets(SLICE("\xff")) > CODE_TEXT_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_request_is_escaped_for_its_type, begin, end),
		cmocka_unit_test_setup_teardown(the_query_of_a_get_is_added_to_the_url, begin, end),
		cmocka_unit_test(numbers_outside_the_list_get_nothing),
		cmocka_unit_test_setup_teardown(only_mobile_phones_get_texts, begin, end),
		cmocka_unit_test(each_answer_has_a_meaning),
		cmocka_unit_test(what_may_have_arrived_is_not_sent_again),
		cmocka_unit_test_setup_teardown(an_answer_is_stored_without_the_code, begin, end),
		cmocka_unit_test_setup_teardown(a_text_is_one_message, begin, end),
		cmocka_unit_test(characters_take_septets),
	};
	return cmocka_run_group_tests_name("deliver/texts/gateway", tests, NULL, NULL);
}
