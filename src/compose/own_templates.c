/* SPDX-License-Identifier: MIT */
#include "compose/own_templates.h"

#include "store/texts/campaign_texts.h"

static const struct slice parts[TEMPLATE_PLACES] = {
	[TEMPLATE_SUBJECT] = SLICE("subject"),
	[TEMPLATE_TEXT] = SLICE("text"),
	[TEMPLATE_HTML] = SLICE("html"),
};

/* Texts of the campaign's pages that mails show (docs/pages.md). */
static const struct {
	struct slice text;
	enum mail_name name;
} page_texts[] = {
	{ SLICE("page.privacy_url"), MAIL_PRIVACY_URL },
	{ SLICE("page.imprint_url"), MAIL_IMPRINT_URL },
	{ SLICE("page.logo_url"), MAIL_LOGO_URL },
};

struct slice
own_template_part(enum template_place place)
{
	return parts[place];
}

bool
own_template_find(struct slice part, enum template_place *place)
{
	const size_t found = slice_place_in(part, parts, TEMPLATE_PLACES);
	if (found < TEMPLATE_PLACES)
		*place = (enum template_place)found;
	return found < TEMPLATE_PLACES;
}

struct slice
own_template_name(struct pool *pool, enum message_kind kind, enum template_place place)
{
	return POOL_JOIN(pool, SLICE(OWN_TEMPLATE_PREFIX), message_kind_name(kind), SLICE("."), parts[place]);
}

/* The text for the language, otherwise the text for every language; NULL: there is neither. */
static const struct campaign_text *
find_text(const struct campaign_texts *texts, enum text_language language, struct slice name)
{
	const struct campaign_text *found = NULL;
	for (size_t i = 0; i < texts->count; i++) {
		const struct campaign_text *text = &texts->list[i];
		const bool own = slice_equal(text->language, text_language_code(language));
		if (slice_equal(text->name, name) && (own || (text->language.size == 0 && found == NULL)))
			found = text;
	}
	return found;
}

/* Turns values that are paths on this host into URLs. */
static void
complete(struct pool *pool, struct slice base_url, struct mail_values *values)
{
	const size_t host = slice_find(base_url, ':') + sizeof("://") - 1;
	const struct slice rest = slice_sub(base_url, host, base_url.size);
	const struct slice origin = slice_sub(base_url, 0, host + slice_find(rest, '/'));
	for (size_t i = 0; i < ARRAY_SIZE(page_texts); i++) {
		struct slice *value = &values->of[page_texts[i].name];
		if (slice_starts_with(*value, SLICE("/")) && base_url.size > 0)
			*value = POOL_JOIN(pool, origin, *value);
	}
}

enum result
own_templates_read(struct store *store, struct pool *pool, const struct template_query *query, struct own_templates *templates,
    struct mail_values *values)
{
	struct campaign_texts texts;
	const struct campaign_text *found;
	enum result result = store_read_texts(store, pool, query->campaign_id, SLICE("page."), &texts);
	*templates = (struct own_templates){ .sources = { SLICE_NONE } };
	if (result == RESULT_OK && (found = find_text(&texts, query->language, SLICE("page.accent"))) != NULL)
		templates->accent = found->value;
	if (result == RESULT_OK && (found = find_text(&texts, query->language, SLICE("page.dark_accent"))) != NULL)
		templates->dark_accent = found->value;
	for (size_t i = 0; result == RESULT_OK && i < ARRAY_SIZE(page_texts); i++)
		if ((found = find_text(&texts, query->language, page_texts[i].text)) != NULL)
			values->of[page_texts[i].name] = found->value;
	complete(pool, query->base_url, values);
	if (result == RESULT_OK)
		result =
		    store_read_draft_texts(store, pool, query->campaign_id, SLICE(OWN_TEMPLATE_PREFIX), query->drafts, &texts);
	for (size_t i = 0; result == RESULT_OK && i < TEMPLATE_PLACES; i++) {
		const struct slice name = own_template_name(pool, query->kind, (enum template_place)i);
		if ((found = find_text(&texts, query->language, name)) == NULL)
			continue;
		templates->sources[i] = found->value;
		templates->languages[i] = found->language;
	}
	return result;
}
