/* SPDX-License-Identifier: MIT
 * What a mail shows of a lead comes from its payload: the same renderer, read back. */
#include "deliver/mail/compose.h"

#include <string.h>

#include "base/buffer.h"
#include "base/encode.h"
#include "base/log.h"
#include "base/random.h"
#include "engine/payload.h"
#include "identity/address_token.h"
#include "mail/kinds.h"
#include "store/store.h"
#include "store/texts/campaign_texts.h"
#include "text/text.h"
#include "json/reader.h"

enum { SHOWN_DEPTH = 32, MS_PER_S = 1000 };

struct composition {
	struct store *store;
	struct pool *pool;
	const struct queued_mail *request;
	const struct payload_settings *settings;
	struct payload_subject *subject;
	enum text_language language;
	struct mail_values values;
	struct slice templates[TEMPLATE_PLACES];
};

/* ---- values of payloads ---- */

static const struct {
	struct slice key, member; /* member: of an object; absent: of the payload itself */
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

static bool
read_payload(const struct composition *c, const struct payload_subject *subject, bool full, struct mail_values *values)
{
	struct payload_reader reading = { .pool = c->pool, .values = values };
	struct json_problem problem;
	struct buffer payload;
	buffer_init(&payload, PAYLOAD_MAX_BYTES);
	payload_write(&payload, c->settings, subject, (struct payload_view){ .full = full });
	const bool good = buffer_ok(&payload) && json_read(buffer_slice(&payload), SHOWN_DEPTH, take_value, &reading, &problem);
	buffer_free(&payload);
	return good;
}

/* ---- the campaign's texts ---- */

/* Of its pages (docs/pages.md). */
static const struct {
	struct slice text;
	enum mail_name name;
} page_texts[] = {
	{ SLICE("page.privacy_url"), MAIL_PRIVACY_URL },
	{ SLICE("page.logo_url"), MAIL_LOGO_URL },
};

static const struct slice place_names[TEMPLATE_PLACES] = {
	[TEMPLATE_SUBJECT] = SLICE("subject"),
	[TEMPLATE_TEXT] = SLICE("text"),
	[TEMPLATE_HTML] = SLICE("html"),
};

/* The text for the language, else the one for every language; absent: none. */
static struct slice
find_text(const struct composition *c, const struct campaign_text *texts, size_t count, struct slice name)
{
	struct slice found = SLICE_NONE;
	for (size_t i = 0; i < count; i++) {
		const bool own = slice_equal(texts[i].language, text_language_code(c->language));
		if (slice_equal(texts[i].name, name) && (own || (texts[i].language.size == 0 && !slice_present(found))))
			found = texts[i].value;
	}
	return found;
}

static enum result
add_texts(struct composition *c)
{
	struct campaign_text *texts;
	size_t count;
	const struct slice kind = message_kind_name(c->request->kind);
	enum result result = store_read_texts(c->store, c->pool, c->request->campaign_id, SLICE("page."), &texts, &count);
	for (size_t i = 0; result == RESULT_OK && i < ARRAY_SIZE(page_texts); i++)
		c->values.of[page_texts[i].name] = find_text(c, texts, count, page_texts[i].text);
	if (result == RESULT_OK)
		result = store_read_texts(c->store, c->pool, c->request->campaign_id, SLICE("mail."), &texts, &count);
	for (size_t i = 0; result == RESULT_OK && i < TEMPLATE_PLACES; i++)
		c->templates[i] =
		    find_text(c, texts, count, POOL_JOIN(c->pool, SLICE("mail."), kind, SLICE("."), place_names[i]));
	return result;
}

/* ---- values of the kind ---- */

static struct slice
link_with_token(const struct composition *c, const char *page, enum address_purpose purpose)
{
	const struct lead *lead = c->subject->lead;
	char digits[DECIMAL_SIZE];
	const struct address_claim claim = { .purpose = purpose,
		.campaign_id = lead->campaign_id,
		.social_id = lead->social_id,
		.address_key = lead->email_key,
		.expires_s = c->request->now_ms / MS_PER_S + ADDRESS_TOKEN_S };
	if (c->settings->base_url.size == 0)
		return SLICE_NONE;
	return POOL_JOIN(c->pool, c->settings->base_url, SLICE("/c/"), encode_decimal(lead->campaign_id, digits), SLICE("/"),
	    slice_of(page), SLICE("/"), address_token_make(c->pool, c->settings->server_secret, &claim));
}

/* Each may set `drop`: what the mail is about is gone. */
typedef enum result add_values(struct composition *c, struct slice *drop);

static enum result
add_confirmation(struct composition *c, struct slice *drop)
{
	const struct lead *lead = c->subject->lead;
	if (lead->verified_email && !lead->opted_out)
		*drop = SLICE("verified");
	c->values.of[MAIL_CONFIRM_URL] = link_with_token(c, "confirm", ADDRESS_CONFIRM);
	return RESULT_OK;
}

static enum result
add_erasure(struct composition *c, struct slice *drop UNUSED)
{
	c->values.of[MAIL_CONFIRM_URL] = link_with_token(c, "erase", ADDRESS_ERASE);
	return RESULT_OK;
}

static enum result
add_reward(struct composition *c, struct slice *drop)
{
	struct definitions definitions;
	const enum result result = store_find_definitions(c->store, c->pool, c->subject->lead->campaign_id, &definitions);
	*drop = SLICE("reward_removed");
	for (size_t i = 0; result == RESULT_OK && i < definitions.reward_count; i++)
		if (definitions.rewards[i].id == c->request->ref) {
			c->values.of[MAIL_REWARD] = definitions.rewards[i].subject;
			*drop = SLICE_NONE;
		}
	return result;
}

/* As the public sees it. */
static enum result
add_referred(struct composition *c, struct slice *drop)
{
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = c->request->ref };
	struct payload_subject *subject;
	struct mail_values values = { 0 };
	const enum result result = store_look_up(c->store, c->pool, c->request->campaign_id, &reference, &subject);
	if (result == RESULT_NOT_FOUND)
		*drop = SLICE("referral_deleted");
	else if (result == RESULT_OK && read_payload(c, subject, false, &values))
		c->values.of[MAIL_REFERRED_NAME] = values.of[MAIL_DISPLAY_NAME];
	return result == RESULT_NOT_FOUND ? RESULT_OK : result;
}

static add_values *const adders[MESSAGE_KINDS] = {
	[MESSAGE_VERIFY] = add_confirmation,
	[MESSAGE_REWARD] = add_reward,
	[MESSAGE_REFERRAL] = add_referred,
	[MESSAGE_ERASE_CONFIRM] = add_erasure,
};

/* ---- the mail ---- */

static struct slice
reason_to_drop(const struct payload_subject *subject)
{
	if (!slice_present(subject->lead->email_key))
		return SLICE("no_address");
	if (subject->lead->fraudulent)
		return SLICE("fraudulent");
	return subject->campaign->account_suspended ? SLICE("suspended") : SLICE_NONE;
}

/* A look-up is valid until the next one: what is needed later is copied. */
static bool
add_common(struct composition *c)
{
	const struct payload_subject *subject = c->subject;
	c->language = TEXT_LANGUAGE_DEFAULT;
	if (slice_present(subject->campaign->language) && !text_language_parse(subject->campaign->language, &c->language))
		log_warning("unknown_language", LOG_UINT("campaign", subject->campaign->id));
	if (!read_payload(c, subject, true, &c->values))
		return false;
	c->values.of[MAIL_CAMPAIGN_NAME] = pool_copy(c->pool, subject->campaign->name);
	c->values.of[MAIL_POSITION] = text_number(c->pool, c->language, subject->score_rank);
	c->values.of[MAIL_SCORE] = text_number(c->pool, c->language, subject->lead->score);
	c->values.of[MAIL_REFERRALS] = text_number(c->pool, c->language, subject->lead->referrals);
	return true;
}

static enum result
build(const struct composition *c, const struct mail_senders *senders, struct slice email, struct composed_mail *mail)
{
	unsigned char random[12];
	struct mail_message message;
	struct slice problem;
	random_bytes(random, sizeof(random));
	struct mail_content content = { .kind = c->request->kind,
		.language = c->language,
		.values = c->values,
		.from = senders->from,
		.reply_to = senders->reply_to,
		.to = email,
		.id = encode_hex(c->pool, (struct slice){ (const char *)random, sizeof(random) }),
		.time_ms = c->request->now_ms };
	memcpy(content.templates, c->templates, sizeof(content.templates));
	if (!mail_compose(c->pool, &content, &message, &problem)) {
		log_error("mail_not_composed", LOG_UINT("message", c->request->id),
		    LOG_UINT("campaign", c->request->campaign_id), LOG_BYTES("problem", problem));
		return RESULT_FAILED;
	}
	mail->recipient = message.recipient;
	mail->content = message.bytes;
	mail->message_id = POOL_JOIN(c->pool, SLICE("<"), content.id, SLICE("@"), senders->from.address.domain, SLICE(">"));
	return RESULT_OK;
}

enum result
mail_compose_request(
    const void *context, struct store *store, struct pool *pool, const struct queued_mail *request, struct composed_mail *mail)
{
	const struct lead_reference reference = { .identity = LEAD_BY_ID, .id = request->lead_id };
	struct composition c = { .store = store, .pool = pool, .request = request };
	enum result result = store_payload_settings(store, &c.settings);
	*mail = (struct composed_mail){ .drop = SLICE_NONE };
	if (result == RESULT_OK)
		result = store_look_up(store, pool, request->campaign_id, &reference, &c.subject);
	if (result != RESULT_OK) {
		mail->drop = result == RESULT_NOT_FOUND ? SLICE("lead_deleted") : SLICE_NONE;
		return result == RESULT_NOT_FOUND ? RESULT_OK : result == RESULT_FAILED ? RESULT_UNAVAILABLE : result;
	}
	mail->drop = reason_to_drop(c.subject);
	if (slice_present(mail->drop))
		return RESULT_OK;
	if (!add_common(&c)) {
		log_error("mail_not_composed", LOG_UINT("message", request->id), LOG_UINT("campaign", request->campaign_id),
		    LOG_STR("problem", "the payload cannot be read"));
		return RESULT_FAILED;
	}
	const struct slice email = pool_copy(pool, c.subject->lead->email);
	result = add_texts(&c);
	if (result == RESULT_OK && adders[request->kind] != NULL)
		result = adders[request->kind](&c, &mail->drop);
	if (result != RESULT_OK || slice_present(mail->drop))
		return result;
	return build(&c, context, email, mail);
}
