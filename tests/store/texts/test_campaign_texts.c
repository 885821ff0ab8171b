/* SPDX-License-Identifier: MIT
 * Texts of campaigns: reads by prefix, changes that are judged as a whole. */
#include "unit.h"

#include "store/shown_leads.h"
#include "store/texts/campaign_texts.h"
#include "store/world.h"

#define PREFIX SLICE("page.")

struct judgement {
	bool accepts;
	size_t count; /* how many texts were judged last */
};

static bool
judge(void *context, struct pool *pool UNUSED, const struct campaign_texts *texts)
{
	struct judgement *judgement = context;
	judgement->count = texts->count;
	return judgement->accepts;
}

static enum result
change_in(struct world *w, uint64_t campaign, const struct campaign_text *changes, size_t count, struct judgement *judgement)
{
	const struct campaign_texts texts = { POOL_ARRAY(w->pool, count, struct campaign_text), count };
	struct text_change change = { .texts = &texts, .prefix = PREFIX, .judge = judge, .context = judgement };
	for (size_t i = 0; i < count; i++)
		texts.list[i] = changes[i];
	return store_change_texts(w->store, NULL, campaign, &change);
}

static enum result
change(struct world *w, const struct campaign_text *changes, size_t count, struct judgement *judgement)
{
	return change_in(w, w->campaign, changes, count, judgement);
}

static size_t
read_texts(struct world *w, uint64_t campaign, struct campaign_text **texts)
{
	struct campaign_texts read;
	assert_int_equal(store_read_texts(w->store, w->pool, campaign, PREFIX, &read), RESULT_OK);
	*texts = read.list;
	return read.count;
}

static void
texts_are_replaced_and_removed(void **state)
{
	struct world *w = *state;
	struct judgement accepts = { .accepts = true };
	struct campaign_text *texts;
	const struct campaign_text first[] = {
		{ SLICE("page.title"), SLICE(""), SLICE("One") },
		{ SLICE("page.title"), SLICE("de"), SLICE("Eins") },
		{ SLICE("page.css"), SLICE(""), SLICE("h1 {}") },
	};
	const struct campaign_text second[] = {
		{ SLICE("page.title"), SLICE(""), SLICE("Two") }, { SLICE("page.css"), SLICE(""), SLICE_NONE },
		{ SLICE("page.text"), SLICE(""), SLICE_NONE }, /* no such text is stored */
	};
	assert_int_equal(change(w, first, ARRAY_SIZE(first), &accepts), RESULT_OK);
	assert_int_equal(accepts.count, 3);
	assert_int_equal(change(w, second, ARRAY_SIZE(second), &accepts), RESULT_OK);
	assert_int_equal(accepts.count, 2);
	assert_int_equal(read_texts(w, w->campaign, &texts), 2);
	assert_slice(texts[0].value, "Two");
	assert_slice(texts[1].language, "de");
	assert_slice(texts[1].value, "Eins");
	assert_int_equal(read_texts(w, UNKNOWN_ID, &texts), 0);
	assert_int_equal(read_texts(w, add_campaign(w), &texts), 0);
}

/* CONSENTS_MAX: no more can be added. They do not belong to the texts of the page. */
static void
consents_are_apart_and_limited(void **state)
{
	struct world *w = *state;
	struct judgement accepts = { .accepts = true };
	struct campaign_text *texts, consent = { SLICE_NONE, SLICE(""), SLICE("I agree") };
	for (int i = 0; i <= CONSENTS_MAX; i++) {
		consent.name = pool_printf(w->pool, CONSENT_PREFIX "%016d", i);
		assert_int_equal(change(w, &consent, 1, &accepts), i < CONSENTS_MAX ? RESULT_OK : RESULT_TOO_MANY);
	}
	assert_int_equal(read_texts(w, w->campaign, &texts), 0);
	consent.value = SLICE_NONE;
	for (int i = 0; i < 2; i++) {
		consent.name = pool_printf(w->pool, CONSENT_PREFIX "%016d", i);
		assert_int_equal(change(w, &consent, 1, &accepts), RESULT_OK);
	}
	consent.value = SLICE("Again");
	assert_int_equal(change(w, &consent, 1, &accepts), RESULT_OK);
}

/* "NAME LANGUAGE VALUE;" for each text: the stored ones in their order, then the drafts. */
static const char *
read_drafts(struct world *w, const struct campaign_text *list, size_t count)
{
	const struct campaign_texts drafts = { POOL_ARRAY(w->pool, count, struct campaign_text), count };
	struct campaign_texts texts;
	struct slice shown = SLICE("");
	for (size_t i = 0; i < count; i++)
		drafts.list[i] = list[i];
	assert_int_equal(store_read_draft_texts(w->store, w->pool, w->campaign, PREFIX, &drafts, &texts), RESULT_OK);
	for (size_t i = 0; i < texts.count; i++) {
		const struct campaign_text *text = &texts.list[i];
		shown = POOL_JOIN(w->pool, shown, slice_sub(text->name, PREFIX.size, text->name.size), SLICE(" "),
		    text->language, SLICE(" "), text->value, SLICE(";"));
	}
	return pool_string(w->pool, shown);
}

/* A draft for one language replaces the text of that language; a draft for every language replaces all. */
static void
drafts_take_the_place_of_texts(void **state)
{
	struct world *w = *state;
	struct judgement accepts = { .accepts = true };
	struct campaign_text *texts;
	const struct campaign_text stored[] = {
		{ SLICE("page.text"), SLICE(""), SLICE("Text") },
		{ SLICE("page.title"), SLICE(""), SLICE("One") },
		{ SLICE("page.title"), SLICE("de"), SLICE("Eins") },
	};
	const struct campaign_text german = { SLICE("page.title"), SLICE("de"), SLICE("Zwei") };
	const struct campaign_text no_german = { SLICE("page.title"), SLICE("de"), SLICE_NONE };
	const struct campaign_text all[] = { { SLICE("page.title"), SLICE(""), SLICE("first") },
		{ SLICE("page.title"), SLICE(""), SLICE("Two") }, { SLICE("page.text"), SLICE(""), SLICE_NONE } };
	assert_int_equal(change(w, stored, ARRAY_SIZE(stored), &accepts), RESULT_OK);
	assert_string_equal(read_drafts(w, &german, 1), "text  Text;title  One;title de Zwei;");
	assert_string_equal(read_drafts(w, &no_german, 1), "text  Text;title  One;");
	assert_string_equal(read_drafts(w, all, ARRAY_SIZE(all)), "title  Two;");
	assert_string_equal(read_drafts(w, NULL, 0), "text  Text;title  One;title de Eins;");
	assert_int_equal(read_texts(w, w->campaign, &texts), ARRAY_SIZE(stored));
}

static void
only_the_prefix_is_read(void **state)
{
	struct world *w = *state;
	struct campaign_text *texts;
	root_run("INSERT INTO t_campaign_texts (campaign_id, name, value) VALUES (%u, 'mail.text', 'x'), (%u, 'pages', 'x'), "
		 "(%u, 'page.title', 'x')",
	    (unsigned)w->campaign, (unsigned)w->campaign, (unsigned)w->campaign);
	assert_int_equal(read_texts(w, w->campaign, &texts), 1);
	assert_slice(texts[0].name, "page.title");
}

static void
a_refused_change_changes_nothing(void **state)
{
	struct world *w = *state;
	struct judgement refuses = { .accepts = false };
	struct campaign_text *texts;
	const struct campaign_text text = { SLICE("page.title"), SLICE(""), SLICE("One") };
	struct campaign_versions before, after;
	assert_int_equal(store_find_versions(w->store, w->pool, w->campaign, &before), RESULT_OK);
	assert_int_equal(change(w, &text, 1, &refuses), RESULT_REFUSED);
	assert_int_equal(refuses.count, 1);
	assert_int_equal(read_texts(w, w->campaign, &texts), 0);
	refuses.accepts = true;
	assert_int_equal(change(w, &text, 1, &refuses), RESULT_OK);
	assert_int_equal(store_find_versions(w->store, w->pool, w->campaign, &after), RESULT_OK);
	assert_int_equal(after.settings, before.settings + 1);
	assert_int_equal(change_in(w, UNKNOWN_ID, &text, 1, &refuses), RESULT_NOT_FOUND);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(texts_are_replaced_and_removed),
		WORLD_TEST(consents_are_apart_and_limited),
		WORLD_TEST(drafts_take_the_place_of_texts),
		WORLD_TEST(only_the_prefix_is_read),
		WORLD_TEST(a_refused_change_changes_nothing),
	};
	return WORLD_MAIN(tests);
}
