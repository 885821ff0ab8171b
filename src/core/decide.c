/* SPDX-License-Identifier: MIT
 * Commands applied to the working set, the events they make, and their rendering. */
#include "core/decide.h"

#include <stdlib.h>

#include "core/custom_fields.h"

/* One command on its way. */
struct step {
	struct pool *pool;
	struct working_set *set;
	struct decide_supplies *supplies;
	struct decision *decision;
	const struct command *command;
	struct working_campaign *campaign;
	struct slice social_id; /* for a new lead */
	struct outcome *outcome;
};

static struct working_campaign *
find_campaign(struct working_set *set, uint64_t id)
{
	for (size_t i = 0; i < set->campaign_count; i++)
		if (set->campaigns[i].campaign.id == id)
			return &set->campaigns[i];
	return NULL;
}

/* Leads are named by bytes: which of its identities is compared is the offset of a slice in struct lead. */
static struct working_lead *
find_lead(const struct step *step, size_t identity, struct slice value)
{
	if (!slice_present(value))
		return NULL;
	for (size_t i = 0; i < step->set->lead_count; i++) {
		struct working_lead *candidate = &step->set->leads[i];
		const struct slice *own = (const struct slice *)((const char *)&candidate->lead + identity);
		if (candidate->lead.campaign_id == step->command->campaign_id && slice_present(*own) &&
		    slice_equal(*own, value))
			return candidate;
	}
	return NULL;
}

#define FIND_LEAD(step, field, value) find_lead((step), offsetof(struct lead, field), (value))

static uint64_t
take_id(struct id_range *range)
{
	if (range->next >= range->end)
		abort(); /* whoever supplies ids counts them by SIGNUP_EVENTS_MAX */
	return range->next++;
}

static void
fail(struct step *step, enum failure failure, struct slice detail)
{
	*step->outcome = (struct outcome){ .failure = failure, .detail = detail };
}

/* contract.md 4.7: the event and its deliveries; without a subscribed webhook, nothing. */
static void
make_event(struct step *step, enum event_type type, const struct snapshot *snapshot)
{
	struct decision *d = step->decision;
	struct made_event *event = NULL;
	for (size_t i = 0; i < step->set->webhook_count; i++) {
		const struct webhook *webhook = &step->set->webhooks[i];
		if (webhook->campaign_id != snapshot->lead.campaign_id || (webhook->events & EVENT_BIT(type)) == 0 ||
		    webhook->state == WEBHOOK_GONE)
			continue;
		if (event == NULL) {
			d->events = pool_grow(step->pool, d->events, d->event_count, &d->event_capacity, sizeof(*d->events));
			event = &d->events[d->event_count++];
			*event = (struct made_event){
				.id = history_id(step->set->now_ms, take_id(&step->supplies->event_ids)),
				.campaign_id = snapshot->lead.campaign_id,
				.lead_id = snapshot->lead.id,
				.type = type,
				.snapshot = snapshot,
			};
		}
		d->deliveries =
		    pool_grow(step->pool, d->deliveries, d->delivery_count, &d->delivery_capacity, sizeof(*d->deliveries));
		d->deliveries[d->delivery_count++] = (struct made_delivery){
			.id = history_id(step->set->now_ms, take_id(&step->supplies->delivery_ids)),
			.event_id = event->id,
			.webhook_id = webhook->id,
			.lead_id = snapshot->lead.id,
			.type = type,
			.form = webhook->form,
		};
	}
}

static struct snapshot *
take_snapshot(struct step *step, const struct working_lead *lead)
{
	struct snapshot *snapshot = POOL_NEW(step->pool, struct snapshot);
	struct campaign *campaign = POOL_NEW(step->pool, struct campaign);
	*campaign = step->campaign->campaign;
	snapshot->lead = lead->lead;
	snapshot->subject = payload_subject_of(campaign, &snapshot->lead);
	return snapshot;
}

/* The lead that a sign-up is about (4.3.1 to 4.3.3), or NULL for a new one; false when it fails. */
static bool
match_lead(struct step *step, struct working_lead **match)
{
	const struct signup *signup = &step->command->as.signup;
	struct working_lead *by_email = FIND_LEAD(step, email_key, signup->email_key);
	struct working_lead *by_phone = FIND_LEAD(step, phone, signup->phone);
	struct working_lead *lead = by_email != NULL ? by_email : by_phone;
	if (slice_present(signup->subject)) {
		lead = FIND_LEAD(step, social_id, signup->subject);
		if (lead == NULL) {
			fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
			return false;
		}
	}
	if ((by_email != NULL && by_email != lead) || (by_phone != NULL && by_phone != lead)) {
		fail(step, FAILURE_CONFLICTING_IDENTIFIERS, SLICE_NONE);
		return false;
	}
	if (lead == NULL && signup->must_exist) {
		fail(step, FAILURE_LEAD_NOT_FOUND, SLICE_NONE);
		return false;
	}
	*match = lead;
	return true;
}

/* 4.3.4: what is missing is added; what is there is replaced only with a key, and is then no longer verified. */
static void
update_identities(struct step *step, struct lead *lead)
{
	const struct signup *signup = &step->command->as.signup;
	bool may_replace = step->command->account_id != 0;
	if (slice_present(signup->email_key) && !slice_equal(signup->email_key, lead->email_key) &&
	    (may_replace || !slice_present(lead->email_key))) {
		lead->email = signup->email;
		lead->email_key = signup->email_key;
		lead->email_hash = lead_email_hash(step->pool, lead->campaign_id, signup->email_key);
		lead->verified_email = false;
	}
	if (slice_present(signup->phone) && !slice_equal(signup->phone, lead->phone) &&
	    (may_replace || !slice_present(lead->phone))) {
		lead->phone = signup->phone;
		lead->phone_hash = lead_phone_hash(step->pool, lead->campaign_id, signup->phone);
		lead->verified_phone = false;
	}
}

static void
replace_if(bool given, struct slice *place, struct slice value)
{
	if (given && slice_present(value))
		*place = value;
}

/* 4.3.6 */
static void
update_fields(const struct signup *signup, struct lead *lead)
{
	replace_if(true, &lead->uid, signup->uid);
	replace_if(true, &lead->redirect_url, signup->redirect_url);
	replace_if(signup->replace_ip, &lead->ip, signup->ip);
	replace_if(signup->replace_user_agent, &lead->user_agent, signup->user_agent);
	replace_if(!slice_present(lead->utm), &lead->utm, signup->utm);
}

static void
update_lead(struct step *step, struct working_lead *match, struct slice custom_fields)
{
	const struct signup *signup = &step->command->as.signup;
	struct lead *lead = &match->lead;
	update_identities(step, lead);
	update_fields(signup, lead);
	lead->custom_fields = custom_fields;
	lead->counter++;
	if (!signup->keep_opt_out)
		lead->opted_out = false;
	lead->updated_ms = step->set->now_ms;
	if (match->change == LEAD_AS_LOADED)
		match->change = LEAD_CHANGED;
}

static struct working_lead *
add_lead(struct step *step, struct slice custom_fields)
{
	const struct signup *signup = &step->command->as.signup;
	struct working_set *set = step->set;
	struct campaign *campaign = &step->campaign->campaign;
	/* 4.6: unknown and foreign referrers are ignored */
	const struct working_lead *referrer = FIND_LEAD(step, social_id, signup->referrer_id);
	struct lead lead = {
		.id = take_id(&step->supplies->lead_ids),
		.campaign_id = campaign->id,
		.subscription_number = ++campaign->last_subscription_number,
		.counter = 1,
		.social_id = step->social_id,
		.parent_id = referrer == NULL ? 0 : referrer->lead.id,
		.parent_social_id = referrer == NULL ? SLICE_NONE : referrer->lead.social_id,
		.custom_fields = custom_fields,
		.utm = signup->utm,
		.uid = signup->uid,
		.redirect_url = signup->redirect_url,
		.ip = signup->ip,
		.user_agent = signup->user_agent,
		.referrer = signup->referrer,
		.source = signup->source,
		.source_id = signup->source_id,
		.signup_url = signup->signup_url,
		.session_id = signup->session_id,
		.request_id = signup->request_id,
		.created_ms = set->now_ms,
		.updated_ms = set->now_ms,
	};
	update_identities(step, &lead);
	campaign->lead_count++;
	step->campaign->changed = true;
	set->leads = pool_grow(step->pool, set->leads, set->lead_count, &set->lead_capacity, sizeof(*set->leads));
	set->leads[set->lead_count] = (struct working_lead){ lead, LEAD_CREATED };
	return &set->leads[set->lead_count++];
}

/* The lead as the sign-up left it, or NULL when it failed. */
static struct snapshot *
decide_signup(struct step *step)
{
	const struct signup *signup = &step->command->as.signup;
	struct working_lead *lead;
	struct slice custom_fields, problem;
	if (campaign_has_ended(&step->campaign->campaign, step->set->now_ms)) {
		fail(step, FAILURE_CAMPAIGN_ENDED, SLICE_NONE);
		return NULL;
	}
	if (!match_lead(step, &lead))
		return NULL;
	if (!custom_fields_merge(step->pool, lead == NULL ? SLICE_NONE : lead->lead.custom_fields, signup->custom_fields,
		signup->custom_field_count, &step->supplies->custom_fields, &custom_fields, &problem)) {
		fail(step, FAILURE_INVALID_PARAMETER, problem);
		return NULL;
	}
	bool created = lead == NULL;
	if (created)
		lead = add_lead(step, custom_fields);
	else
		update_lead(step, lead, custom_fields);
	struct snapshot *snapshot = take_snapshot(step, lead);
	step->decision->changes = true;
	make_event(step, created ? EVENT_NEW_SIGNUP : EVENT_REPEAT_SIGNUP, snapshot);
	if (created)
		make_event(step, EVENT_NEW_SIGNUP_NOT_EXCLUDED, snapshot);
	return snapshot;
}

void
decide(struct pool *pool, struct working_set *set, const struct command *const *commands, size_t count,
    struct decide_supplies *supplies, struct outcome *outcomes, struct decision *decision)
{
	*decision = (struct decision){ .answers = POOL_ARRAY(pool, count, struct snapshot *) };
	for (size_t i = 0; i < count; i++) {
		struct step step = { pool, set, supplies, decision, commands[i], find_campaign(set, commands[i]->campaign_id),
			supplies->social_ids[i], &outcomes[i] };
		outcomes[i] = (struct outcome){ 0 };
		enum failure refused =
		    campaign_refuses(step.campaign == NULL ? NULL : &step.campaign->campaign, commands[i]->account_id);
		if (refused != FAILURE_NONE) {
			fail(&step, refused, SLICE_NONE);
			continue;
		}
		switch (commands[i]->kind) {
		case COMMAND_SIGNUP:
			decision->answers[i] = decide_signup(&step);
			break;
		}
	}
}

static struct slice
rendered(struct pool *pool, const struct buffer *out)
{
	if (!buffer_ok(out))
		abort(); /* the settings' bounds keep every lead below PAYLOAD_MAX_BYTES */
	return pool_copy(pool, buffer_slice(out));
}

/* One growing buffer for all, whose contents are copied. */
void
decide_render(struct pool *pool, const struct command *const *commands, size_t count, const struct payload_settings *settings,
    struct outcome *outcomes, struct decision *decision)
{
	struct buffer out;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	for (size_t i = 0; i < count; i++) {
		if (decision->answers[i] == NULL)
			continue;
		buffer_clear(&out);
		payload_write(&out, settings, &decision->answers[i]->subject, commands[i]->view);
		outcomes[i].body = rendered(pool, &out);
	}
	for (size_t i = 0; i < decision->event_count; i++) {
		struct made_event *event = &decision->events[i];
		buffer_clear(&out);
		payload_write_event(&out, settings, &event->snapshot->subject, event->type);
		event->payload = rendered(pool, &out);
	}
	buffer_free(&out);
}
