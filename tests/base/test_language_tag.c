/* SPDX-License-Identifier: MIT
 * docs/pages.md 5: language tags. */
#include "unit.h"

#include "base/language_tag.h"

static void
tags_have_one_form(void **state UNUSED)
{
	static const struct {
		const char *text, *tag, *language;
	} good[] = { { "de", "de", "de" }, { "DE-at", "de-AT", "de" }, { "pt_BR", "pt-BR", "pt" },
		{ "de_AT.UTF-8", "de-AT", "de" }, { "ca@valencia", "ca", "ca" }, { "zh-hANT-tw", "zh-Hant-TW", "zh" },
		{ "es-419", "es-419", "es" }, { "sr-Latn", "sr-Latn", "sr" }, { "de-1996", "de", "de" },
		{ "de-CH-1901", "de-CH", "de" }, { "gsw", "gsw", "gsw" }, { "en-", "en", "en" }, { "en-x-private", "en", "en" },
		{ "de-Latn-Latn", "de-Latn", "de" } };
	static const char *const bad[] = { "", "d", "german", "de AT", "1", "d1", "-de", "*", "x-de", "dé", "<b>", "de;q=1" };
	struct pool *pool = pool_new();
	struct slice tag = SLICE("unchanged");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(language_tag_parse(pool, slice_of(good[i].text), &tag));
		assert_slice(tag, good[i].tag);
		assert_true(tag.size <= LANGUAGE_TAG_MAX);
		assert_slice(language_tag_language(tag), good[i].language);
	}
	tag = SLICE("unchanged");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(language_tag_parse(pool, slice_of(bad[i]), &tag));
	assert_slice(tag, "unchanged");
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_have_one_form),
	};
	return cmocka_run_group_tests_name("base/language_tag", tests, NULL, NULL);
}
