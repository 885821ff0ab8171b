/* SPDX-License-Identifier: MIT */
#include "engine/payload.h"

#include <string.h>

#include "base/encode.h"
#include "base/panic.h"
#include "crypto/digest.h"
#include "engine/custom_fields.h"
#include "engine/id_list.h"
#include "engine/person_name.h"
#include "engine/visitors.h"
#include "identity/link.h"
#include "identity/signed_token.h"
#include "os/clock.h"
#include "json/writer.h"

/* The state of a writer of payloads. */
struct payload_writer {
	struct pool *pool;
	struct json_writer writer;
	const struct payload_settings *settings;
	const struct campaign *campaign;
	const struct lead *lead;
	const struct payload_subject *subject;
	struct payload_view view;
};

/* Replaces the rank, which is the first member. */
struct slice
payload_standing_with_rank(struct pool *pool, struct slice standing, uint64_t rank)
{
	char digits[DECIMAL_SIZE];
	struct slice rest = slice_sub(standing, slice_find(standing, ','), standing.size);
	return POOL_JOIN(pool, SLICE("{\"rank\":"), encode_decimal(rank, digits), rest);
}

/* `who` is hashed into the template: the lead's email address in the full view, otherwise its social id. */
static struct slice
avatar_url(struct pool *pool, struct slice template, const struct slice *who)
{
	static const struct slice place = { "{hash}", 6 };
	if (template.size == 0)
		return SLICE_NONE;
	struct digest hash = digest_sha256(who, 1);
	struct slice hex = encode_hex(pool, digest_slice(&hash));
	for (size_t at = 0; at + place.size <= template.size; at++)
		if (slice_starts_with(slice_sub(template, at, template.size), place))
			return POOL_JOIN(
			    pool, slice_sub(template, 0, at), hex, slice_sub(template, at + place.size, template.size));
	return template;
}

/* ---- entries of leaderboards ---- */

/* Returns the URL with the value of each parameter `d` in its query replaced. */
static struct slice
with_default(struct pool *pool, struct slice url, struct slice value)
{
	struct buffer out;
	const size_t end = slice_find(url, '#'), query = slice_find(slice_sub(url, 0, end), '?');
	struct slice rest = slice_sub(url, query + 1, end), part;
	if (query >= end)
		return url;
	buffer_init(&out, url.size * (1 + 3 * value.size)); /* more than enough */
	buffer_add(&out, slice_sub(url, 0, query));
	for (bool first = true; slice_next(&rest, '&', &part); first = false) {
		buffer_add_byte(&out, first ? '?' : '&');
		const bool is_default = slice_starts_with(part, SLICE("d="));
		buffer_add(&out, is_default ? SLICE("d=") : part);
		if (is_default)
			encode_percent(&out, value);
	}
	buffer_add(&out, slice_sub(url, end, url.size));
	struct slice changed = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return changed;
}

static struct slice
standing_avatar(struct pool *pool, const struct lead *lead, const struct standing_view *view)
{
	const struct slice value = view->style.avatar_default, template = view->settings->avatar_url;
	if (template.size == 0) /* only the avatar server understands keywords */
		return slice_find(value, ':') < value.size ? value : SLICE_NONE;
	const bool by_email = view->full && slice_present(lead->email_key);
	return avatar_url(pool, with_default(pool, template, value), by_email ? &lead->email_key : &lead->social_id);
}

/* A string, number or boolean as a text; absent for anything else. */
static struct slice
field_text(struct pool *pool, const struct lead *lead, struct slice name)
{
	const struct custom_fields fields = custom_fields_read(pool, lead->custom_fields);
	for (size_t i = 0; i < fields.count; i++) {
		const struct custom_field *field = &fields.items[i];
		if (!slice_equal(field->name, name))
			continue;
		if (slice_present(field->text))
			return field->text.size > 0 ? field->text : SLICE_NONE;
		const bool scalar = memchr("[{\"n", field->json.data[0], 4) == NULL;
		return scalar ? field->json : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* Absent when there is none. */
static struct slice
shown_name(struct pool *pool, const struct person_name *names, const struct standing_view *view)
{
	return view->full || view->names == LEADERBOARD_FULL ? person_whole_name(pool, names)
							     : short_name(pool, names->given, names->family, view->names);
}

static struct slice
standing_description(struct pool *pool, const struct lead *lead, const struct person_name *names, const struct standing_view *view)
{
	const struct standing_style *style = &view->style;
	if (slice_equal(style->description, STANDING_SOCIAL_ID))
		return lead->social_id;
	if (slice_equal(style->description, STANDING_FIRST_NAME))
		return view->full || view->names == LEADERBOARD_FULL
			   ? names->given
			   : short_name(pool, names->given, SLICE_NONE, LEADERBOARD_FIRST);
	if (slice_equal(style->description, STANDING_FULL_NAME))
		return shown_name(pool, names, view);
	return style->personal ? field_text(pool, lead, style->description) : SLICE_NONE;
}

void
payload_write_standing(
    struct json_writer *writer, struct pool *pool, const struct lead *lead, uint64_t rank, const struct standing_view *view)
{
	const struct standing_style *style = &view->style;
	const struct person_name names = person_name_of(pool, lead);
	const struct slice name = shown_name(pool, &names, view);
	struct slice text = SLICE_NONE;
	if (slice_present(style->description))
		text = standing_description(pool, lead, &names, view);
	json_begin_object(writer);
	json_put_u64(writer, SLICE("rank"), rank);
	json_put_text(writer, SLICE("social_id"), lead->social_id);
	json_put_text(writer, SLICE("display_name"),
	    slice_present(text)   ? text
	    : slice_present(name) ? name
	    : view->full          ? person_address_name(pool, lead)
				  : person_masked_name(pool, lead));
	json_put_u64(writer, SLICE("contest_score"), lead->score);
	if (slice_present(style->description))
		json_put_text(writer, SLICE("lead_description"), text);
	if (slice_present(style->avatar_default))
		json_put_text(writer, SLICE("avatar"), standing_avatar(pool, lead, view));
	json_end_object(writer);
}

/* Returns the URL with `name=social_id` in its query, before a fragment. */
static struct slice
url_with_id(struct payload_writer *r, struct slice url, struct slice name)
{
	if (url.size == 0)
		return SLICE_NONE;
	size_t end = slice_find(url, '#');
	struct slice front = slice_sub(url, 0, end);
	struct slice join = slice_find(front, '?') == front.size ? SLICE("?") : SLICE("&");
	if (slice_ends_with(front, SLICE("?")) || slice_ends_with(front, SLICE("&")))
		join = SLICE("");
	return POOL_JOIN(r->pool, front, join, name, SLICE("="), r->lead->social_id, slice_sub(url, end, url.size));
}

static void
put_unsubscribe_url(struct payload_writer *r)
{
	json_name(&r->writer, SLICE("unsubscribe_url"));
	/* in the public view, anyone could opt out any lead by this link */
	if (!r->view.full || r->settings->base_url.size == 0) {
		json_null(&r->writer);
		return;
	}
	const struct lead_token_owner owner = { r->campaign->id, r->lead->social_id, 0, r->lead->opt_out_epoch };
	const struct slice token = lead_token(r->pool, r->settings->server_secret, LEAD_TOKEN_OPT_OUT, &owner);
	char digits[DECIMAL_SIZE];
	struct slice url = POOL_JOIN(r->pool, r->settings->base_url, SLICE("/opt-out/"),
	    encode_decimal(r->campaign->id, digits), SLICE("/"), r->lead->social_id, SLICE("/"), token);
	json_begin_object(&r->writer);
	json_put_text(&r->writer, SLICE("default"), url);
	json_put_text(&r->writer, SLICE("safe"), POOL_JOIN(r->pool, url, SLICE("?safe=1")));
	json_end_object(&r->writer);
}

/* Whether the caller sees nothing that depends on unverified leads (docs/api.md 4.1.11). */
static bool
hides_unverified(const struct payload_writer *r)
{
	return (!r->view.full || r->view.own) && campaign_hides_unverified(r->campaign);
}

uint32_t
payload_known_leads(const struct campaign *campaign, const struct lead *lead)
{
	if (!campaign_hides_unverified(campaign))
		return campaign->counters.leads;
	return campaign->counters.verified + (lead_is_verified(lead) ? 0 : 1);
}

#define HIDDEN UINT64_MAX

/* Writes HIDDEN as null. */
static void
put_number(struct payload_writer *r, struct slice key, uint64_t number)
{
	json_name(&r->writer, key);
	if (number != HIDDEN)
		json_u64(&r->writer, number);
	else
		json_null(&r->writer);
}

static void
put_numbers(struct payload_writer *r)
{
	/* ids and numbers between those of two known leads would show whether a sign-up made one */
	const bool hides = hides_unverified(r);
	const uint64_t number = hides ? HIDDEN : r->lead->subscription_number;
	put_number(r, SLICE("id"), hides ? HIDDEN : r->lead->id);
	json_put_text(&r->writer, SLICE("social_id"), r->lead->social_id);
	json_put_u64(&r->writer, SLICE("campaign_id"), r->campaign->id);
	json_put_u64(&r->writer, SLICE("list_id"), r->campaign->id);
	put_number(r, SLICE("rank"), number);
	put_number(r, SLICE("rank_relative_position"), hides ? HIDDEN : number - 1);
	put_number(r, SLICE("subscription_number"), number);
	/* it would show anyone but the lead itself whether an address has signed up */
	put_number(r, SLICE("counter"), hides && !r->view.own ? HIDDEN : r->lead->counter);
	const uint32_t leads = hides ? payload_known_leads(r->campaign, r->lead) : r->campaign->counters.leads;
	json_put_u64(&r->writer, SLICE("lead_count"), (uint64_t)leads + r->campaign->jump_start);
	json_put_u64(&r->writer, SLICE("contest_score"), r->lead->score);
	json_put_u64(&r->writer, SLICE("contest_score_rank"), r->subject->score_rank);
	json_put_u64(&r->writer, SLICE("contest_score_rank_relative_position"), r->subject->score_rank - 1);
}

static void
put_display(struct payload_writer *r)
{
	const struct person_name names = person_name_of(r->pool, r->lead);
	const struct slice name = person_whole_name(r->pool, &names);
	const bool by_email = r->view.full && slice_present(r->lead->email_key);
	char when[CLOCK_RFC3339_SIZE];
	clock_rfc3339(r->lead->created_ms, when);
	json_put_text(&r->writer, SLICE("first_name"), names.given);
	json_put_text(&r->writer, SLICE("given_name"), names.given);
	json_put_text(&r->writer, SLICE("family_name"), names.family);
	json_put_text(&r->writer, SLICE("display_name"),
	    slice_present(name) ? name
	    : r->view.full      ? person_address_name(r->pool, r->lead)
				: person_masked_name(r->pool, r->lead));
	json_put_text(&r->writer, SLICE("avatar"),
	    avatar_url(r->pool, r->settings->avatar_url, by_email ? &r->lead->email_key : &r->lead->social_id));
	json_put_text(&r->writer, SLICE("when"), slice_of(when));
	json_put_boolean(&r->writer, SLICE("verified"), lead_is_verified(r->lead));
	json_put_boolean(&r->writer, SLICE("verified_email"), r->lead->verified_email);
	json_put_boolean(&r->writer, SLICE("verified_phone_number"), r->lead->verified_phone);
	json_put_boolean(&r->writer, SLICE("waitlisted"), r->lead->waitlisted);
	json_put_boolean(&r->writer, SLICE("enhanced"), false);
	json_put_boolean(&r->writer, SLICE("anonymous"), false);
}

/* Without a key, a URL that another request without a key stored is not shown: anyone can send one for a known email. */
static struct slice
shown_redirect_url(const struct payload_writer *r)
{
	bool shown = r->view.full || r->lead->redirect_by_key || r->subject->redirect_sent;
	return shown ? r->lead->redirect_url : SLICE_NONE;
}

/* The campaign's hosted page; absent if it has none. */
static struct slice
page_url(const struct payload_writer *r)
{
	if (!r->campaign->pages || r->settings->base_url.size == 0)
		return SLICE_NONE;
	return link_to_page(r->pool, r->settings->base_url, r->campaign->id, SLICE(""));
}

/* The campaign's page or, if it has none, the lead's hosted page: a URL with the token opens it as the lead itself. */
static struct slice
status_url(struct payload_writer *r)
{
	const struct slice page = page_url(r);
	if (slice_present(r->campaign->status_url) || !slice_present(page))
		return url_with_id(r, r->campaign->status_url, SLICE("kolid"));
	const struct slice url = POOL_JOIN(r->pool, page, SLICE("/s/"), r->lead->social_id);
	if (!r->view.full && !r->view.own)
		return url;
	const struct lead_token_owner owner = { r->campaign->id, r->lead->social_id, r->lead->id, r->lead->token_epoch };
	return POOL_JOIN(r->pool, url, SLICE("/"), lead_token(r->pool, r->settings->server_secret, LEAD_TOKEN_STATUS, &owner));
}

static void
put_urls(struct payload_writer *r)
{
	const struct slice landing_url = slice_present(r->campaign->landing_url) ? r->campaign->landing_url : page_url(r);
	const struct slice social_url = url_with_id(r, landing_url, SLICE("kid"));
	json_put_text(&r->writer, SLICE("social_url"), social_url);
	if (r->view.url)
		json_put_text(&r->writer, SLICE("url"), social_url);
	json_put_text(&r->writer, SLICE("redirect_url"), url_with_id(r, shown_redirect_url(r), SLICE("kolid")));
	json_put_text(&r->writer, SLICE("thankyou_url"), url_with_id(r, r->campaign->thankyou_url, SLICE("kolid")));
	json_put_text(&r->writer, SLICE("status_url"), status_url(r));
	put_unsubscribe_url(r);
}

/* Removed actions and tags are not shown. */
static void
put_actions(struct payload_writer *r)
{
	struct slice rest = r->lead->action_ids;
	uint64_t id;
	json_name(&r->writer, SLICE("completed_actions"));
	json_begin_array(&r->writer);
	while (id_list_next(&rest, &id))
		if (definitions_action(r->subject->definitions, id) != NULL)
			json_u64(&r->writer, id);
	json_end_array(&r->writer);
}

static void
put_tags(struct payload_writer *r)
{
	struct slice rest = r->lead->tag_ids;
	uint64_t id;
	json_name(&r->writer, SLICE("tags"));
	json_begin_array(&r->writer);
	while (id_list_next(&rest, &id)) {
		const struct tag *tag = definitions_tag(r->subject->definitions, id);
		if (tag == NULL)
			continue;
		json_begin_object(&r->writer);
		json_put_u64(&r->writer, SLICE("tag_id"), id);
		json_put_text(&r->writer, SLICE("name"), tag->name);
		json_end_object(&r->writer);
	}
	json_end_array(&r->writer);
}

/* Writers of the fields that a payload shows under their own names. */
#define PUT_BOOL json_put_boolean
#define PUT_TEXT json_put_text
#define PUT_U32 json_put_u64
#define PUT_PERSONAL_PERSONAL(type, column) PUT_##type(&r->writer, SLICE(#column), r->lead->column);
#define PUT_PERSONAL_FULL_VIEW(type, column)
#define PUT_PERSONAL_BY_CODE(type, column)
#define PUT_FULL_PERSONAL(type, column)
#define PUT_FULL_FULL_VIEW(type, column) PUT_##type(&r->writer, SLICE(#column), r->lead->column);
#define PUT_FULL_BY_CODE(type, column)

/* The lead itself also sees a number that could not be added because it belongs to another lead: hiding it would reveal
 * that. */
static struct slice
shown_number(const struct payload_writer *r)
{
	const struct lead *lead = r->lead;
	const bool may_wait = !slice_present(lead->phone) && r->view.own && hides_unverified(r);
	return may_wait ? lead_waiting_number(r->pool, r->campaign, lead) : lead->phone;
}

static void
put_personal(struct payload_writer *r)
{
	const struct lead *lead = r->lead;
	json_put_text(&r->writer, SLICE("email"), lead->email);
	json_put_text(&r->writer, SLICE("phone_number"), shown_number(r));
	json_put_raw(
	    &r->writer, SLICE("custom_fields"), slice_present(lead->custom_fields) ? lead->custom_fields : SLICE("{}"));
	json_put_text(&r->writer, SLICE("parent_id"), lead->parent_social_id);
	json_put_raw(&r->writer, SLICE("utm"), slice_present(lead->utm) ? lead->utm : SLICE("{}"));
	put_tags(r);
#define PUT(type, column, read_for, written, in_payload) PUT_PERSONAL_##in_payload(type, column)
	LEAD_FIELDS(PUT)
#undef PUT
}

static void
put_pair(struct payload_writer *r, struct slice key, uint64_t direct, uint64_t indirect)
{
	json_name(&r->writer, key);
	json_begin_object(&r->writer);
	put_number(r, SLICE("direct"), direct);
	put_number(r, SLICE("indirect"), indirect);
	json_end_object(&r->writer);
}

static void
put_referrals(struct payload_writer *r)
{
	const struct lead *lead = r->lead;
	const bool hides = hides_unverified(r);
	const bool has_verified = campaign_counts_verified(r->campaign);
	const uint32_t direct = hides ? 0 : lead->unverified_direct, indirect = hides ? 0 : lead->unverified_indirect;
	json_put_u64(&r->writer, SLICE("referrals"), lead->referrals);
	put_pair(r, SLICE("unverified_leads"), hides ? HIDDEN : direct, hides ? HIDDEN : indirect);
	put_pair(r, SLICE("verified_leads"), has_verified ? lead->verified_direct : HIDDEN,
	    has_verified ? lead->verified_indirect : HIDDEN);
	put_pair(r, SLICE("influence"), direct + lead->verified_direct, indirect + lead->verified_indirect);
}

/* The page for codes (docs/api.md 4.1.14), if the campaign sends any. */
static struct slice
code_url(struct pool *pool, const struct payload_settings *settings, const struct campaign *campaign)
{
	const bool by_mail = settings->sends_mail && campaign_mails_codes(campaign);
	const bool by_text = settings->sends_texts && campaign->verify_phone;
	return settings->base_url.size > 0 && (by_mail || by_text)
		   ? link_to_page(pool, settings->base_url, campaign->id, SLICE("/code"))
		   : SLICE_NONE;
}

/* For pages: what the lead still has to do (docs/api.md 4.1.11, check_mail). Absent if there is nothing. */
static void
put_awaited(struct payload_writer *r)
{
	const struct lead *lead = r->lead;
	if ((r->view.full && !r->view.own) || !r->settings->sends_mail || !r->campaign->verify_email ||
	    !slice_present(lead->email) || lead->verified_email)
		return;
	json_put_boolean(&r->writer, SLICE("check_mail"), true);
	if (!r->view.skip_urls)
		json_put_text(&r->writer, SLICE("code_url"), code_url(r->pool, r->settings, r->campaign));
}

static void
put_lead(struct payload_writer *r)
{
	put_numbers(r);
	put_display(r);
	if (!r->view.skip_urls)
		put_urls(r);
	if (!r->view.skip_actions)
		put_actions(r);
	if (r->view.full || !r->campaign->privacy)
		put_personal(r);
	put_referrals(r);
	put_awaited(r);
	if (!r->view.full)
		return;
#define PUT(type, column, read_for, written, in_payload) PUT_FULL_##in_payload(type, column)
	LEAD_FIELDS(PUT)
#undef PUT
	const struct slice claim = lead_claim_name(r->lead->claimed);
	if (slice_present(claim))
		json_put_text(&r->writer, SLICE("claimed"), claim);
}

/* The extra fields of events. */
static const struct slice extra_fields[EVENT_TYPES] = {
	[EVENT_SCORE_CHANGE] = SLICE("__score_change"),
	[EVENT_MARKED_AS_FRAUDULENT] = SLICE("__fraudulent"),
	[EVENT_REFERRAL] = SLICE("__referral"),
	[EVENT_TAGGED] = SLICE("__tagged"),
	[EVENT_REWARD_LEVEL] = SLICE("__reward_level"),
};

void
payload_write(struct buffer *out, const struct payload_settings *settings, const struct payload_subject *subject,
    struct payload_view view)
{
	require(subject->score_rank > 0);
	struct payload_writer r = { pool_new(), { 0 }, settings, subject->campaign, subject->lead, subject, view };
	json_writer_init(&r.writer, out);
	json_begin_object(&r.writer);
	put_lead(&r);
	json_end_object(&r.writer);
	pool_free(&r.pool);
}

void
payload_write_withheld(struct buffer *out, struct pool *pool, const struct payload_settings *settings,
    const struct campaign *campaign, const struct signup *signup, struct payload_view view)
{
	const bool is_mailed = slice_present(signup->email) && settings->sends_mail && campaign_mails_known_leads(campaign);
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("id"), SLICE_NONE);
	json_put_text(&writer, SLICE("social_id"), SLICE_NONE);
	json_put_u64(&writer, SLICE("campaign_id"), campaign->id);
	json_put_u64(&writer, SLICE("list_id"), campaign->id);
	json_put_boolean(&writer, SLICE("check_mail"), is_mailed);
	if (!view.skip_urls) {
		json_put_text(&writer, SLICE("redirect_url"), signup->redirect_url);
		json_put_text(&writer, SLICE("thankyou_url"), campaign->thankyou_url);
		json_put_text(&writer, SLICE("code_url"), code_url(pool, settings, campaign));
	}
	json_end_object(&writer);
}

struct payload_view
payload_webhook_view(const struct campaign *campaign)
{
	return (struct payload_view){ .full = true, .url = campaign->compat };
}

static void
write_event(struct buffer *out, struct slice payload, struct slice name, struct slice extra_name, struct slice extra)
{
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_begin_object_with(&writer, payload);
	json_put_text(&writer, SLICE("__event"), name);
	if (slice_present(extra))
		json_put_raw(&writer, extra_name, extra);
	json_end_object(&writer);
}

void
payload_write_event(struct buffer *out, struct slice payload, enum event_type event, struct slice extra)
{
	write_event(out, payload, event_name(event), extra_fields[event], extra);
}

void
payload_write_test(struct buffer *out, struct slice payload)
{
	write_event(out, payload, SLICE("test"), SLICE_NONE, SLICE_NONE);
}
