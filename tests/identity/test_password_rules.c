/* SPDX-License-Identifier: MIT
 * Which passwords are refused (docs/users.md 3). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "identity/password_rules.h"

static const struct password_context ada = { SLICE("ada.lovelace@engine.example"), SLICE("Augusta Ada King"),
	SLICE("leads.agency.example") };

static const struct {
	const char *password;
	enum password_verdict verdict;
} cases[] = {
	{ "", PASSWORD_TOO_SHORT },
	{ "Xk93!mfZ0q-", PASSWORD_TOO_SHORT },
	{ "Xk93!mfZ0q-7", PASSWORD_FITS },
	{ "correct horse battery staple", PASSWORD_FITS },
	{ "drei kleine Esel im Regen", PASSWORD_FITS },
	{ "leads from a green bicycle", PASSWORD_FITS },
	{ "928374650192", PASSWORD_FITS },
	{ "ключ от старой двери", PASSWORD_FITS },
	/* no rules about kinds of characters or about blanks */
	{ "  8ounces of  rain ", PASSWORD_FITS },
	{ "aaaaaaaaaaaa", PASSWORD_MONOTONOUS },
	{ "abababababab", PASSWORD_MONOTONOUS },
	{ "aabbccddaabb", PASSWORD_MONOTONOUS },
	{ "krokodilkrokodil", PASSWORD_MONOTONOUS },
	{ "xyzuvxyzuvxyzuv", PASSWORD_MONOTONOUS },
	{ "123456789012", PASSWORD_MONOTONOUS },
	{ "1234567890qwertz", PASSWORD_MONOTONOUS },
	{ "qwertyuiop123", PASSWORD_MONOTONOUS },
	{ "ABCDEFGHIJKL", PASSWORD_MONOTONOUS },
	{ "zyxwvutsrqponm", PASSWORD_MONOTONOUS },
	{ "adalovelace1815", PASSWORD_PERSONAL },
	{ "LoveLace!2026", PASSWORD_PERSONAL },
	{ "augusta-king-1", PASSWORD_PERSONAL },
	{ "engine.example", PASSWORD_PERSONAL },
	{ "agency2026!!", PASSWORD_PERSONAL },
	{ "Leadhook2026!", PASSWORD_PERSONAL },
	{ "leadhookleadhook1", PASSWORD_PERSONAL },
	{ "Password1234", PASSWORD_COMMON },
	{ "P@ssw0rd2026!", PASSWORD_COMMON },
	{ "password!!!!", PASSWORD_COMMON },
	{ "Summer2026!!", PASSWORD_COMMON },
	{ "Sommer20262026", PASSWORD_COMMON },
	{ "iloveyou1234", PASSWORD_COMMON },
	{ "welcome-home9welcome", PASSWORD_FITS },
	{ "admin123admin", PASSWORD_COMMON },
	{ "1Qwerty2Dragon3", PASSWORD_COMMON },
	{ "Willkommen123", PASSWORD_COMMON },
	{ "sunshine princess", PASSWORD_COMMON },
	{ "sunshine princess monkey", PASSWORD_FITS },
};

static void
passwords_are_judged(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const enum password_verdict verdict = password_judge(pool, slice_of(cases[i].password), &ada);
		if (verdict != cases[i].verdict)
			fail_msg("%s: %d", cases[i].password, (int)verdict);
	}
}

/* Words that are personal for one user are not for another. */
static void
words_of_others_may_be_used(void **state UNUSED)
{
	const struct password_context none = { .email = SLICE_NONE };
	assert_int_equal(password_judge(pool, SLICE("adalovelace1815"), &none), PASSWORD_FITS);
	assert_int_equal(password_judge(pool, SLICE("Leadhook2026!"), &none), PASSWORD_PERSONAL);
	/* an email address without a word of four letters */
	const struct password_context brief = { .email = SLICE("a.b@cd.ef.gh.ij") };
	assert_int_equal(password_judge(pool, SLICE("a.b@cd.ef.gh.ij"), &brief), PASSWORD_PERSONAL);
	/* words that overlap */
	const struct password_context lead = { .host = SLICE("lead.example") };
	assert_int_equal(password_judge(pool, SLICE("Leadhook2026!"), &lead), PASSWORD_PERSONAL);
}

static void
the_longest_password(void **state UNUSED)
{
	char *text = pool_alloc(pool, PASSWORD_MAX + 1);
	for (size_t i = 0; i <= PASSWORD_MAX; i++)
		text[i] = (char)(' ' + i * i % 89);
	assert_int_equal(password_judge(pool, (struct slice){ text, PASSWORD_MAX }, &ada), PASSWORD_FITS);
	assert_int_equal(password_judge(pool, (struct slice){ text, PASSWORD_MAX + 1 }, &ada), PASSWORD_TOO_LONG);
}

static void
every_verdict_has_a_text(void **state UNUSED)
{
	for (unsigned i = 0; i <= PASSWORD_COMMON; i++)
		assert_true(password_verdict_text((enum password_verdict)i).size > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(passwords_are_judged, begin, end),
		cmocka_unit_test_setup_teardown(words_of_others_may_be_used, begin, end),
		cmocka_unit_test_setup_teardown(the_longest_password, begin, end),
		cmocka_unit_test_setup_teardown(every_verdict_has_a_text, begin, end),
	};
	return cmocka_run_group_tests_name("identity/password_rules", tests, NULL, NULL);
}
