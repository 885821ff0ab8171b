/* SPDX-License-Identifier: MIT */
#include "compose/mail_preview.h"

#include <inttypes.h>

#include "compose/subject.h"
#include "engine/payload.h"
#include "store/find.h"

/* `path`: what follows the URL of the campaign; NULL: the sample is `value`. */
static const struct {
	enum mail_name name;
	struct slice value;
	const char *path;
} samples[] = {
	{ MAIL_FIRST_NAME, SLICE("Ada"), NULL },
	{ MAIL_DISPLAY_NAME, SLICE("Ada L."), NULL },
	{ MAIL_POSITION, SLICE("42"), NULL },
	{ MAIL_SCORE, SLICE("7"), NULL },
	{ MAIL_REFERRALS, SLICE("3"), NULL },
	{ MAIL_SHARE_URL, SLICE_NONE, "?kid=SAMPLE0000" },
	{ MAIL_STATUS_URL, SLICE_NONE, "/s/SAMPLE0000/sample" },
	{ MAIL_CONFIRM_URL, SLICE_NONE, "/confirm/sample" },
	{ MAIL_UNSUBSCRIBE_URL, SLICE_NONE, "/sample-unsubscribe" },
	{ MAIL_CODE, SLICE("123456"), NULL },
	{ MAIL_CODE_URL, SLICE_NONE, "/code" },
	{ MAIL_REWARD, SLICE("T-shirt"), NULL },
	{ MAIL_REFERRED_NAME, SLICE("Grace"), NULL },
	{ MAIL_NEW_REFERRALS, SLICE("2"), NULL },
	{ MAIL_REFERRED_NAMES, SLICE("Grace H., Alan T."), NULL },
	{ MAIL_NEXT_REWARD, SLICE("T-shirt"), NULL },
	{ MAIL_POINTS_TO_NEXT, SLICE("3"), NULL },
};
/* Values that are samples even in the preview for a lead: they come from the occasion of a mail, or are made only for a mail
 * that is sent. Other values that the lead does not have stay empty, as in the mail. */
static const mail_names about_others = MAIL_NAME_BIT(MAIL_REWARD) | MAIL_NAME_BIT(MAIL_REFERRED_NAME) |
				       MAIL_NAME_BIT(MAIL_NEW_REFERRALS) | MAIL_NAME_BIT(MAIL_REFERRED_NAMES) |
				       MAIL_NAME_BIT(MAIL_NEXT_REWARD) | MAIL_NAME_BIT(MAIL_POINTS_TO_NEXT) |
				       MAIL_NAME_BIT(MAIL_CODE) | MAIL_NAME_BIT(MAIL_CODE_URL);

static void
add_samples(struct mail_subject *s, mail_names wanted, struct slice base_url)
{
	const struct slice base = base_url.size > 0 ? base_url : SLICE("https://example.org");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		if ((MAIL_NAME_BIT(samples[i].name) & wanted) != 0)
			s->values.of[samples[i].name] = samples[i].path == NULL
							    ? samples[i].value
							    : pool_printf(s->pool, "%.*s/c/%" PRIu64 "%s", SLICE_ARGS(base),
								  s->campaign_id, samples[i].path);
}

/* Fills in samples and the campaign's values, without a lead. */
static enum result
make_up(struct mail_subject *s, const struct campaign *campaign, struct slice to, struct slice base_url)
{
	s->language = s->fixed_language != NULL ? *s->fixed_language : mail_subject_language(campaign, SLICE_NONE);
	add_samples(s, ~about_others, base_url);
	s->values.of[MAIL_CAMPAIGN_NAME] = campaign->name;
	s->email = slice_present(to) ? to : SLICE("ada@example.org");
	return own_templates_read(s->store, s->pool,
	    &(struct template_query){ s->campaign_id, s->kind, s->language, s->drafts, base_url }, &s->templates, &s->values);
}

static enum result
show(const struct mail_subject *s, const struct mail_senders *senders, struct preview *preview)
{
	struct message_parts parts;
	struct mail_message message;
	const struct mail_content content = mail_subject_content(s, senders);
	preview->language = s->language;
	preview->drop = s->drop;
	preview->to = s->email;
	if (!mail_render(s->pool, &content, &parts, &preview->problem))
		return RESULT_REFUSED;
	preview->subject = parts.subject;
	preview->text = parts.text;
	preview->html = parts.html;
	if (!slice_present(senders->from.address.text) || !slice_present(s->email))
		return RESULT_OK;
	if (!message_build(s->pool, &parts, &message, &preview->problem))
		return RESULT_REFUSED;
	preview->message = message.bytes;
	return RESULT_OK;
}

enum result
mail_preview(const struct mail_senders *senders, struct store *store, struct pool *pool, const struct preview_request *request,
    struct preview *preview)
{
	struct campaign campaign;
	const struct payload_settings *settings;
	struct mail_subject s = { .store = store,
		.pool = pool,
		.campaign_id = request->campaign_id,
		.kind = request->kind,
		.is_preview = true,
		.fixed_language = request->language,
		.drafts = request->drafts };
	*preview = (struct preview){ .problem = SLICE("the lead cannot be read") };
	enum result result = store_find_campaign(store, pool, request->campaign_id, &campaign, &s.now_ms);
	preview->has_campaign = result == RESULT_OK;
	if (result == RESULT_OK)
		result = store_payload_settings(store, &settings);
	if (result != RESULT_OK)
		return result;
	result = request->lead != NULL ? mail_subject_find(&s, request->lead)
				       : make_up(&s, &campaign, request->to, settings->base_url);
	add_samples(&s, about_others, settings->base_url);
	return result == RESULT_OK ? show(&s, senders, preview) : result;
}
