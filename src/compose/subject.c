/* SPDX-License-Identifier: MIT
 * The values of a lead are read from its payload, so that mails show the same as payloads. */
#include "compose/subject.h"

#include <string.h>

#include "base/buffer.h"
#include "base/duration.h"
#include "base/encode.h"
#include "compose/compose.h"
#include "engine/payload.h"
#include "engine/visitors.h"
#include "identity/link.h"
#include "identity/signed_token.h"
#include "os/random.h"
#include "store/codes/lead_codes.h"
#include "store/find.h"
#include "store/lead_pages.h"
#include "store/shown_leads.h"
#include "text/text.h"
#include "json/reader.h"

enum { SHOWN_DEPTH = 32, ID_BYTES = 12 };

/* A search. The lead that was looked up is valid until the next look-up, so what is needed later is copied. */
struct search {
	struct mail_subject *s;
	struct pool *pool;
	const struct payload_settings *settings;
	const struct payload_subject *found;
	const struct lead *lead;
};

/* ---- values of payloads ---- */

static const struct {
	struct slice key, member; /* `member` of the object `key`; absent: `key` is the value itself */
	enum mail_name name;
} shown[] = {
	{ SLICE("first_name"), SLICE_NONE, MAIL_FIRST_NAME },
	{ SLICE("display_name"), SLICE_NONE, MAIL_DISPLAY_NAME },
	{ SLICE("social_url"), SLICE_NONE, MAIL_SHARE_URL },
	{ SLICE("status_url"), SLICE_NONE, MAIL_STATUS_URL },
	{ SLICE("unsubscribe_url"), SLICE("safe"), MAIL_UNSUBSCRIBE_URL },
};

struct payload_reader {
	struct pool *pool;
	struct slice key, member;
	struct mail_values *values;
};

static bool
take_value(void *context, const struct json_event *event)
{
	struct payload_reader *r = context;
	if (event->type == JSON_KEY && event->depth == 1) {
		r->key = pool_copy(r->pool, event->text);
		r->member = SLICE_NONE;
	} else if (event->type == JSON_KEY && event->depth == 2) {
		r->member = pool_copy(r->pool, event->text);
	}
	if (event->type != JSON_STRING)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (slice_equal(shown[i].key, r->key) && event->depth == (slice_present(shown[i].member) ? 2 : 1) &&
		    (!slice_present(shown[i].member) || slice_equal(shown[i].member, r->member)))
			r->values->of[shown[i].name] = pool_copy(r->pool, event->text);
	return true;
}

static const struct payload_view full_view = { .full = true }, public_view = { .full = false };

static bool
read_payload(
    const struct search *c, const struct payload_subject *subject, struct payload_view view, struct mail_values *values)
{
	struct payload_reader reading = { .pool = c->pool, .values = values };
	struct json_problem problem;
	struct buffer payload;
	buffer_init(&payload, PAYLOAD_MAX_BYTES);
	payload_write(&payload, c->settings, subject, view);
	const bool good = buffer_ok(&payload) && json_read(buffer_slice(&payload), SHOWN_DEPTH, take_value, &reading, &problem);
	buffer_free(&payload);
	return good;
}

/* ---- values of the kind ---- */

static struct slice
link_with_token(const struct search *c, const char *page, enum address_purpose purpose)
{
	const struct lead *lead = c->lead;
	const struct address_claim claim = { .purpose = purpose,
		.campaign_id = lead->campaign_id,
		.social_id = lead->social_id,
		.address_key = lead->email_key,
		.expires_s = (c->s->now_ms + ADDRESS_TOKEN_MS) / SECOND_MS };
	if (c->settings->base_url.size == 0)
		return SLICE_NONE;
	const struct slice token = address_token_make(c->pool, c->settings->server_secret, &claim);
	return link_to_page(c->pool, c->settings->base_url, lead->campaign_id,
	    POOL_JOIN(c->pool, SLICE("/"), slice_of(page), SLICE("/"), token));
}

/* Adds the values of a kind of mail. Sets *drop if the subject of the mail no longer exists, or does not concern the recipient.
 */
typedef enum result add_values(struct search *c, struct slice *drop);

static enum result
add_confirmation(struct search *c, struct slice *drop)
{
	const struct lead *lead = c->lead;
	if (lead->verified_email && !lead->opted_out)
		*drop = SLICE("verified");
	c->s->values.of[MAIL_CONFIRM_URL] = link_with_token(c, "confirm", ADDRESS_CONFIRM);
	if (c->s->is_preview || !campaign_mails_codes(c->found->campaign))
		return RESULT_OK;
	c->s->code = c->s->values.of[MAIL_CODE] = lead_code_random(c->s->pool);
	c->s->values.of[MAIL_CODE_URL] = link_to_page(c->pool, c->settings->base_url, lead->campaign_id, SLICE("/code"));
	return RESULT_OK;
}

static enum result
add_erasure(struct search *c, struct slice *drop UNUSED)
{
	c->s->values.of[MAIL_CONFIRM_URL] = link_with_token(c, "erase", ADDRESS_ERASE);
	return RESULT_OK;
}

static enum result
add_reward(struct search *c, struct slice *drop)
{
	struct definitions definitions;
	const enum result result = store_find_definitions(c->s->store, c->pool, c->lead->campaign_id, &definitions);
	*drop = SLICE("reward_removed");
	for (size_t i = 0; result == RESULT_OK && i < definitions.reward_count; i++)
		if (definitions.rewards[i].id == c->s->ref) {
			c->s->values.of[MAIL_REWARD] = definitions.rewards[i].subject;
			*drop = SLICE_NONE;
		}
	return result;
}

/* Adds the name of the referred lead as the public sees it. */
static enum result
add_referred(struct search *c, struct slice *drop)
{
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = c->s->ref };
	struct payload_subject *subject;
	struct mail_values values = { 0 };
	const enum result result = store_look_up(c->s->store, c->pool, c->s->campaign_id, &reference, &subject);
	if (result == RESULT_NOT_FOUND)
		*drop = SLICE("referral_deleted");
	else if (result == RESULT_OK && read_payload(c, subject, public_view, &values))
		c->s->values.of[MAIL_REFERRED_NAME] = values.of[MAIL_DISPLAY_NAME];
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

/* A person's name as the public sees it, cleaned for mails; absent: none. Returns false if it cannot be read. */
static bool
read_name(const struct search *c, const struct payload_subject *subject, struct slice *name)
{
	struct mail_values values = { 0 }, clean;
	if (!read_payload(c, subject, public_view, &values))
		return false;
	const struct mail_values shown_name = { .of = { [MAIL_REFERRED_NAME] = values.of[MAIL_DISPLAY_NAME] } };
	mail_values_clean(c->pool, &shown_name, &clean);
	*name = clean.of[MAIL_REFERRED_NAME];
	return true;
}

/* "Grace H., Alan T. and 3 more": the newest leads that have a name. */
static enum result
join_names(struct search *c, const uint64_t *ids, size_t count)
{
	enum { NAMES_MAX = 5, TRIED_MAX = 2 * NAMES_MAX };
	struct slice names = SLICE_NONE, name;
	size_t named = 0;
	for (size_t i = 0; i < count && i < TRIED_MAX && named < NAMES_MAX; i++) {
		const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = ids[i] };
		struct payload_subject *subject;
		const enum result result = store_look_up(c->s->store, c->pool, c->s->campaign_id, &reference, &subject);
		if (result != RESULT_OK && result != RESULT_NOT_FOUND)
			return result;
		if (result == RESULT_NOT_FOUND || !read_name(c, subject, &name) || name.size == 0)
			continue;
		names = named++ == 0 ? name : POOL_JOIN(c->pool, names, SLICE(", "), name);
	}
	if (named > 0 && named < count)
		names = POOL_JOIN(c->pool, names, SLICE(" "),
		    TEXT_FILL(c->pool, text_find(c->s->language, TEXT_NAMES_MORE),
			{ "number", text_number(c->pool, c->s->language, count - named) }));
	c->s->values.of[MAIL_REFERRED_NAMES] = names;
	return RESULT_OK;
}

static void
add_next_reward(struct search *c)
{
	const struct definitions *definitions = c->found->definitions;
	const struct reward_level *next = NULL;
	for (size_t i = 0; i < definitions->reward_count; i++)
		if (definitions->rewards[i].required_points > c->lead->score &&
		    (next == NULL || definitions->rewards[i].required_points < next->required_points))
			next = &definitions->rewards[i];
	if (next == NULL)
		return;
	c->s->values.of[MAIL_NEXT_REWARD] = pool_copy(c->pool, next->subject);
	c->s->values.of[MAIL_POINTS_TO_NEXT] = text_number(c->pool, c->s->language, next->required_points - c->lead->score);
}

/* Uses the recipient's lead first, because the look-ups of the other leads replace it. */
static enum result
add_digest(struct search *c, struct slice *drop)
{
	uint64_t *ids;
	size_t count;
	const uint64_t lead_id = c->lead->id;
	add_next_reward(c);
	const enum result result = store_find_digest(c->s->store, c->pool, lead_id, c->s->ref, &ids, &count);
	if (result != RESULT_OK || count == 0) {
		*drop = SLICE("referral_deleted");
		return result;
	}
	c->s->values.of[MAIL_NEW_REFERRALS] = text_number(c->pool, c->s->language, count);
	return join_names(c, ids, count);
}

static const struct {
	add_values *add;
	bool needs_ref;
} adders[MESSAGE_KINDS] = {
	[MESSAGE_VERIFY] = { add_confirmation, false },
	[MESSAGE_REWARD] = { add_reward, true },
	[MESSAGE_REFERRAL] = { add_referred, true },
	[MESSAGE_DIGEST] = { add_digest, true },
	[MESSAGE_ERASE_CONFIRM] = { add_erasure, false },
};

/* ---- all values ---- */

/* A lead that is flagged because it has proven nothing confirms its address with a verify mail. Every flagged lead can delete
 * itself, because anyone can sign up another person's address in a way that gets the lead flagged. */
static bool
is_for_flagged(const struct lead *lead, enum message_kind kind)
{
	return kind == MESSAGE_ERASE_CONFIRM || (kind == MESSAGE_VERIFY && lead_is_unproven(lead));
}

static struct slice
reason_to_drop(const struct payload_subject *found, enum message_kind kind)
{
	if (!slice_present(found->lead->email_key))
		return SLICE("no_address");
	if (found->lead->fraudulent && !is_for_flagged(found->lead, kind))
		return SLICE("fraudulent");
	/* a claim gets no other mails (docs/api.md 4.1.11) */
	const bool is_of_address = kind == MESSAGE_VERIFY || kind == MESSAGE_ERASE_CONFIRM;
	if (!is_of_address && lead_claim_gets_no_link(found->campaign, found->lead, CHANNEL_EMAIL))
		return SLICE("claimed");
	return found->campaign->account_suspended ? SLICE("suspended") : SLICE_NONE;
}

enum text_language
mail_subject_language(const struct campaign *campaign, struct slice lead_language)
{
	return TEXT_LANGUAGE_FIRST(campaign->language, lead_language);
}

static bool
add_common(struct search *c)
{
	struct mail_subject *s = c->s;
	const struct payload_subject *found = c->found;
	s->language =
	    s->fixed_language != NULL ? *s->fixed_language : mail_subject_language(found->campaign, found->lead->language);
	s->drop = reason_to_drop(found, s->kind);
	s->email = pool_copy(s->pool, found->lead->email);
	if (!read_payload(c, found, full_view, &s->values))
		return false;
	s->values.of[MAIL_CAMPAIGN_NAME] = pool_copy(s->pool, found->campaign->name);
	/* without points, a rank means nothing */
	if (found->lead->score > 0)
		s->values.of[found->shares_rank ? MAIL_SHARED_POSITION : MAIL_POSITION] =
		    text_number(s->pool, s->language, found->score_rank);
	s->values.of[MAIL_SCORE] = text_number(s->pool, s->language, found->lead->score);
	s->values.of[MAIL_REFERRALS] = text_number(s->pool, s->language, found->lead->referrals);
	return true;
}

/* The values of the kind are added last, because they may look up another lead. */
enum result
mail_subject_find(struct mail_subject *s, const struct lead_reference *lead)
{
	struct search search = { .s = s, .pool = s->pool };
	struct payload_subject *found;
	struct slice gone = SLICE_NONE;
	enum result result = store_payload_settings(s->store, &search.settings);
	if (result == RESULT_OK)
		result = store_look_up(s->store, s->pool, s->campaign_id, lead, &found);
	if (result != RESULT_OK)
		return result;
	search.found = found;
	search.lead = found->lead;
	if (!add_common(&search))
		return RESULT_REFUSED;
	result = own_templates_read(s->store, s->pool,
	    &(struct template_query){ s->campaign_id, s->kind, s->language, s->drafts, search.settings->base_url },
	    &s->templates, &s->values);
	if (result == RESULT_OK && adders[s->kind].add != NULL && !(s->is_preview && adders[s->kind].needs_ref))
		result = adders[s->kind].add(&search, &gone);
	if (result == RESULT_OK && !slice_present(s->drop))
		s->drop = gone;
	return result;
}

static struct slice
random_id(struct pool *pool)
{
	unsigned char random[ID_BYTES];
	random_bytes(random, sizeof(random));
	return encode_hex(pool, (struct slice){ (const char *)random, sizeof(random) });
}

struct mail_content
mail_subject_content(const struct mail_subject *s, const struct mail_senders *senders)
{
	struct mail_content content = { .kind = s->kind,
		.design = { s->language, s->templates.accent, s->templates.dark_accent },
		.values = s->values,
		.from = senders->from,
		.reply_to = senders->reply_to,
		.to = s->email,
		.id = random_id(s->pool),
		.time_ms = s->now_ms };
	memcpy(content.templates, s->templates.sources, sizeof(content.templates));
	return content;
}
