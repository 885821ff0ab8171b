/* SPDX-License-Identifier: MIT
 * The rules of docs/api.md 4.3, 4.4 and 4.7 for sign-ups, decided without a database: single commands, batches, and thousands
 * of random histories in which a batch must have the same result as its commands one by one. */
#include "decide_world.h"

#include <inttypes.h>

#include "engine/custom_fields.h"
#include "engine/visitors.h"

/* docs/api.md 4.3 rule 5: two requests for the same new email make one lead, one new_signup and one repeat_signup. */
static void
the_same_email_twice_in_a_batch_is_one_lead(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("a@x.org", NULL) }, 2);
	assert_int_equal(w->set.lead_count, 1);
	assert_int_equal(w->set.campaigns[0].campaign.counters.leads, 1);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP, EVENT_NEW_SIGNUP_NOT_EXCLUDED, EVENT_REPEAT_SIGNUP);
	assert_contains(w->outcomes[0].body, "\"counter\":1,");
	assert_contains(w->outcomes[1].body, "\"counter\":2,");
	assert_int_equal(w->set.leads[0]->change, ROW_CREATED);
}

/* docs/api.md 4.5: the payload shows the lead as its own command leaves it. */
static void
each_command_sees_its_own_state(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("b@x.org", NULL), signup("c@x.org", NULL) }, 3);
	assert_contains(w->outcomes[0].body, "\"lead_count\":101,");
	assert_contains(w->outcomes[1].body, "\"lead_count\":102,");
	assert_contains(w->outcomes[2].body, "\"rank\":3,\"rank_relative_position\":2,\"subscription_number\":3,");
	assert_contains(w->decision.events[0].payload, "\"lead_count\":101,");
	assert_contains(w->decision.events[0].payload, "\"__event\":\"new_signup\"}");
}

static bool
shows(struct slice payload, const char *name)
{
	return strstr(payload.data, name) != NULL;
}

/* docs/api.md 4.5, 4.7: events show the lead in full view, regardless of the answer's view. */
static void
events_show_the_whole_lead_in_every_view(void **state)
{
	static const struct payload_view views[] = { { .full = true }, { .full = true, .skip_urls = true },
		{ .full = true, .skip_actions = true }, { .full = false } };
	struct world *w = *state;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		struct command command = signup(pool_printf(w->pool, "%zu@x.org", i).data, NULL);
		command.view = views[i];
		run(w, &command, 1);
		struct slice body = w->outcomes[0].body, payload = w->decision.events[0].payload;
		assert_true(shows(payload, "\"social_url\":") && shows(payload, "\"completed_actions\":") &&
			    shows(payload, "\"fraudulent\":"));
		assert_int_equal(shows(body, "\"social_url\":"), !views[i].skip_urls);
		assert_int_equal(shows(body, "\"completed_actions\":"), !views[i].skip_actions);
		assert_int_equal(shows(body, "\"fraudulent\":"), views[i].full);
		assert_int_equal(slice_starts_with(payload, slice_sub(body, 0, body.size - 1)), i == 0);
		settle(w);
	}
}

/* docs/api.md 4.1.11, Not verified: values that grow with each sign-up of the campaign, and the views that show them. */
static void
numbers_of_sign_ups_are_hidden_with_the_leads(void **state)
{
	static const char numbers[] = "\"rank\":1,\"rank_relative_position\":0,\"subscription_number\":1,\"counter\":";
	static const char nulls[] = "\"rank\":null,\"rank_relative_position\":null,\"subscription_number\":null,\"counter\":";
	static const struct {
		enum public_lookup lookup;
		struct payload_view view;
		bool verifies, hides;
	} rows[] = {
		{ PUBLIC_LOOKUP_ALL, { .own = true }, true, false },
		{ PUBLIC_LOOKUP_SOCIAL_ID, { .own = true }, false, false },
		{ PUBLIC_LOOKUP_SOCIAL_ID, { .full = true }, true, false },
		{ PUBLIC_LOOKUP_SOCIAL_ID, { .own = true }, true, true },
		{ PUBLIC_LOOKUP_SOCIAL_ID, { .full = true, .own = true }, true, true },
		{ PUBLIC_LOOKUP_NONE, { .own = false }, true, true },
	};
	struct world *w = *state;
	const struct lead lead = {
		.id = 1, .subscription_number = 1, .counter = 1, .social_id = SLICE("0000000009"), .email = SLICE("a@x.org")
	};
	struct buffer out;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct campaign campaign = {
			.id = CAMPAIGN, .public_lookup = rows[i].lookup, .verify_email = rows[i].verifies
		};
		const struct payload_subject subject = { .campaign = &campaign, .lead = &lead, .score_rank = 1 };
		buffer_clear(&out);
		payload_write(&out, &settings, &subject, rows[i].view);
		const struct slice body = pool_copy(w->pool, buffer_slice(&out));
		assert_contains(body, rows[i].hides ? nulls : numbers);
		assert_int_equal(slice_starts_with(body, SLICE("{\"id\":null,\"social_id\":\"")), rows[i].hides);
	}
	buffer_free(&out);
}

/* docs/api.md 4.6: the referrer is set once; the referred lead may be in the same batch. */
static void
referrer_and_referred_in_one_batch(void **state)
{
	struct world *w = *state;
	struct slice first_id = social_id_make(w->pool, w->next_social_id);
	struct command batch[] = { signup("a@x.org", NULL), signup("b@x.org", NULL), signup("b@x.org", NULL),
		signup("c@x.org", NULL) };
	batch[1].as.signup.referrer_id = first_id;
	batch[2].as.signup.referrer_id = SLICE("0000000009");
	batch[3].as.signup.referrer_id = SLICE("UNKNOWN999");
	run(w, batch, 4);
	assert_int_equal(w->set.leads[1]->lead.parent_id, w->set.leads[0]->lead.id);
	assert_contains(w->outcomes[2].body, pool_printf(w->pool, "\"parent_id\":\"%.*s\"", SLICE_ARGS(first_id)).data);
	assert_contains(w->outcomes[3].body, "\"parent_id\":null");
}

/* docs/requirements.md "States and transitions" */
static void
a_repeated_signup_resets_the_opt_out(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL) }, 1);
	settle(w);
	struct command again = signup("a@x.org", NULL);
	w->set.leads[0]->lead.opted_out = true;
	again.as.signup.keep_opt_out = true;
	run(w, &again, 1);
	assert_true(w->set.leads[0]->lead.opted_out);
	again.as.signup.keep_opt_out = false;
	run(w, &again, 1);
	assert_false(w->set.leads[0]->lead.opted_out);
	assert_int_equal(w->set.leads[0]->lead.counter, 3);
}

/* leadhook(1), lead set: an edit is not a sign-up. It makes no event of its own, and is possible after the campaign's end. */
static void
an_edit_is_no_signup(void **state)
{
	struct world *w = *state;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("b@x.org", NULL) }, 2);
	settle(w);
	struct lead *lead = &w->set.leads[0]->lead;
	lead->opted_out = lead->verified_email = true;
	struct command edit = signup("c@x.org", NULL);
	edit.as.signup.edits = true;
	edit.as.signup.subject = lead->social_id;
	w->set.campaigns[0].campaign.ended_ms = 1;
	run(w, &edit, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	assert_slice(lead->email, "c@x.org");
	assert_true(lead->opted_out && !lead->verified_email);
	assert_int_equal(lead->counter, 1);
	assert_int_equal(w->decision.event_count, 0);
	edit = signup("b@x.org", NULL);
	edit.as.signup.edits = true;
	edit.as.signup.subject = lead->social_id;
	run(w, &edit, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_CONFLICTING_IDENTIFIERS);
	edit.as.signup.edits = false;
	run(w, &edit, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_CAMPAIGN_ENDED);
}

/* docs/api.md 4.3 rule 6 */
static void
fields_of_an_existing_lead_are_merged(void **state)
{
	struct world *w = *state;
	struct custom_field first[] = { { SLICE("plan"), SLICE("\"pro\""), SLICE_NONE },
		{ SLICE("seats"), SLICE("3"), SLICE_NONE } };
	struct custom_field second[] = { { SLICE("plan"), SLICE_NONE, SLICE_NONE }, { SLICE("seats"), SLICE("4"), SLICE_NONE },
		{ SLICE("first_name"), SLICE("\"Ann\""), SLICE_NONE } };
	struct command a = signup("a@x.org", NULL), b = signup("a@x.org", NULL);
	a.as.signup.custom_fields = first;
	a.as.signup.custom_field_count = 2;
	a.as.signup.source = SLICE("API");
	a.as.signup.referrer = SLICE("https://first.example");
	a.as.signup.ip = SLICE("192.0.2.1");
	b = a;
	b.as.signup.custom_fields = second;
	b.as.signup.custom_field_count = 3;
	b.as.signup.utm = SLICE("{\"source\":\"x\"}");
	b.as.signup.uid = SLICE("u-1");
	b.as.signup.source = SLICE("form");
	b.as.signup.referrer = SLICE("https://second.example");
	b.as.signup.ip = SLICE("192.0.2.2");
	run(w, (struct command[]){ a, b }, 2);
	assert_contains(w->outcomes[0].body, "\"custom_fields\":{\"plan\":\"pro\",\"seats\":3}");
	assert_contains(w->outcomes[1].body, "\"custom_fields\":{\"seats\":4,\"first_name\":\"Ann\"}");
	assert_contains(w->outcomes[1].body, "\"first_name\":\"Ann\"");
	assert_contains(w->outcomes[1].body, "\"utm\":{\"source\":\"x\"}");
	assert_contains(w->outcomes[1].body, "\"uid\":\"u-1\"");
	assert_contains(w->outcomes[1].body, "\"referrer\":\"https://first.example\"");
	assert_contains(w->outcomes[1].body, "\"ip\":\"192.0.2.1\"");
	assert_slice(w->set.leads[0]->lead.source, "API");
	b.as.signup.replace_ip = true;
	b.as.signup.utm = SLICE("{\"source\":\"y\"}");
	run(w, &b, 1);
	assert_contains(w->outcomes[0].body, "\"ip\":\"192.0.2.2\"");
	assert_contains(w->outcomes[0].body, "\"utm\":{\"source\":\"x\"}");
}

/* docs/api.md 1, Caps: the limits apply to the merged fields, not only to those of the request. */
static void
too_many_custom_fields_are_refused(void **state)
{
	struct world *w = *state;
	struct custom_field fields[3] = { { SLICE("a"), SLICE("1"), SLICE_NONE }, { SLICE("b"), SLICE("1"), SLICE_NONE },
		{ SLICE("c"), SLICE("1"), SLICE_NONE } };
	w->id_supply.custom_fields.fields = 2;
	struct command command = signup("a@x.org", NULL);
	command.as.signup.custom_fields = fields;
	command.as.signup.custom_field_count = 2;
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
	command.as.signup.custom_fields = fields + 2;
	command.as.signup.custom_field_count = 1;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_INVALID_PARAMETER);
	assert_int_equal(w->set.leads[0]->lead.counter, 1);
	w->id_supply.custom_fields = (struct custom_field_limits){ 50, 12, 0 };
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_INVALID_PARAMETER);
	assert_int_equal(w->set.leads[0]->change, ROW_AS_LOADED);
}

/* docs/api.md 1.3: without a key, the limits are lower for every address, and stored fields never make a sign-up fail. */
static void
without_a_key_custom_fields_are_fewer(void **state)
{
	struct world *w = *state;
	struct custom_field large[] = { { SLICE("a"), SLICE("\"12345\""), SLICE_NONE },
		{ SLICE("b"), SLICE("1"), SLICE_NONE } };
	struct custom_field junk[] = { { SLICE("x"), SLICE("\"1234567\""), SLICE_NONE } };
	struct command command = signup("a@x.org", NULL), stranger = command;
	stranger.account_id = stranger.rights = 0;
	command.as.signup.custom_fields = large;
	command.as.signup.custom_field_count = 2;
	w->id_supply.custom_fields = (struct custom_field_limits){ 2, 100, 18 }; /* {"a":"12345","b":1} has 19 bytes */
	stranger.as.signup = command.as.signup;
	run(w, &stranger, 1);
	assert_failure(w, 0, FAILURE_INVALID_PARAMETER);
	assert_contains(w->outcomes[0].detail, "at most 18 bytes");
	stranger.as.signup.custom_fields = junk;
	stranger.as.signup.custom_field_count = 1;
	run(w, &stranger, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
	assert_slice(w->set.leads[0]->lead.custom_fields, "{\"x\":\"1234567\"}");
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
	assert_slice(w->set.leads[0]->lead.custom_fields, "{\"a\":\"12345\",\"b\":1}");
	run(w, &stranger, 1); /* the sign-up counts, and its fields displace no keyed field */
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
	assert_slice(w->set.leads[0]->lead.custom_fields, "{\"a\":\"12345\",\"b\":1}");
	assert_int_equal(w->set.leads[0]->lead.counter, 3);
	stranger.as.signup.custom_fields = large; /* the same answer as for an unknown address */
	stranger.as.signup.custom_field_count = 2;
	run(w, &stranger, 1);
	assert_failure(w, 0, FAILURE_INVALID_PARAMETER);
}

/* docs/api.md 6; 1.5, order of checks */
static void
closed_campaigns_refuse(void **state)
{
	struct world *w = *state;
	struct campaign *c = &w->set.campaigns[0].campaign;
	struct command command = signup("a@x.org", NULL), other = signup("a@x.org", NULL), foreign = signup("a@x.org", NULL);
	other.campaign_id = 99;
	foreign.account_id = ACCOUNT + 1;
	c->ends_ms = w->set.now_ms + 1;
	run(w, (struct command[]){ command, other, foreign }, 3);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	assert_failure(w, 1, FAILURE_CAMPAIGN_NOT_FOUND);
	assert_failure(w, 2, FAILURE_CAMPAIGN_NOT_FOUND);
	c->ends_ms = w->set.now_ms;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_CAMPAIGN_ENDED);
	c->account_suspended = true;
	run(w, &command, 1);
	assert_failure(w, 0, FAILURE_ACCOUNT_SUSPENDED);
}

/* docs/api.md 4.7: without a subscribed webhook, no event is stored; each subscribed webhook gets a delivery of the event. */
static void
events_follow_subscriptions(void **state)
{
	struct world *w = *state;
	const struct webhook webhooks[] = {
		{ .id = 1, .campaign_id = CAMPAIGN, .events = EVENT_BIT(EVENT_NEW_SIGNUP) },
		{ .id = 2, .campaign_id = CAMPAIGN, .events = EVENT_BIT(EVENT_NEW_SIGNUP), .form = true },
		{ .id = 3, .campaign_id = CAMPAIGN, .events = EVENT_BIT(EVENT_DELETED) },
	};
	w->set.campaigns[0].webhooks = webhooks;
	w->set.campaigns[0].webhook_count = 3;
	run(w, (struct command[]){ signup("a@x.org", NULL), signup("a@x.org", NULL) }, 2);
	ASSERT_EVENTS(w, EVENT_NEW_SIGNUP);
	assert_int_equal(w->decision.delivery_count, 2);
	assert_int_equal(w->decision.deliveries[0].webhook_id, 1);
	assert_false(w->decision.deliveries[0].form);
	assert_int_equal(w->decision.deliveries[1].webhook_id, 2);
	assert_true(w->decision.deliveries[1].form);
	assert_int_equal(w->decision.deliveries[1].event_id, w->decision.events[0].id);
	assert_int_equal(w->decision.events[0].deliveries, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(w->decision.deliveries[i].id, w->decision.events[0].id + 1 + i);
	assert_int_equal(w->history_ids.next, 4); /* these three are reserved */
	assert_int_equal(w->decision.events[0].id >> 36, (uint64_t)NOW / 86400);
}

/* A generator with a seed, so that failures can be repeated. */
static uint64_t
next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static struct command
random_signup(struct pool *pool, uint64_t *seed)
{
	uint64_t r = next_random(seed);
	struct slice email = r & 1 || !(r & 2) ? pool_printf(pool, "u%" PRIu64 "@x.org", r >> 8 & 7) : SLICE_NONE;
	struct slice phone = r & 2 ? pool_printf(pool, "+493012345%" PRIu64, r >> 12 & 7) : SLICE_NONE;
	struct command command = signup(email.data, phone.data);
	if (r & 4)
		command.account_id = command.rights = 0;
	command.campaign_id += r >> 16 & 1;
	command.as.signup.must_exist = (r >> 20 & 7) == 0;
	command.as.signup.points = (int32_t)(r >> 40 & 7) - 2;
	command.as.signup.ip = pool_printf(pool, "192.0.2.%" PRIu64, r >> 44 & 1);
	if ((r >> 24 & 1) == 0)
		command.as.signup.referrer_id = social_id_make(pool, 1 + (r >> 28 & 63));
	if (command.as.signup.must_exist && command.account_id != 0) {
		command.as.signup.subject = command.as.signup.referrer_id;
		command.as.signup.referrer_id = SLICE_NONE;
	}
	return command;
}

static struct lead_reference *
pool_copy_reference(struct pool *pool, struct lead_reference reference)
{
	struct lead_reference *copy = POOL_NEW(pool, struct lead_reference);
	*copy = reference;
	return copy;
}

static struct command
random_command(struct pool *pool, uint64_t *seed)
{
	struct command command = random_signup(pool, seed);
	uint64_t r = next_random(seed);
	struct lead_reference lead = { .identity = LEAD_BY_EMAIL,
		.value = pool_printf(pool, "u%" PRIu64 "@x.org", r >> 8 & 7) };
	switch (r % 8) {
	case 0:
		command.as.points =
		    (struct points_call){ pool_copy_reference(pool, lead), 1, (int32_t)(r >> 16 & 15) - 7, 0, SLICE_NONE };
		command.kind = COMMAND_POINTS;
		break;
	case 1:
		command.as.completion = (struct completion){ .lead = lead, .action_id = 1 + (r >> 16 & 1) };
		command.kind = COMMAND_COMPLETION;
		break;
	case 2:
	case 3:
	case 4:
		command.as.change = (struct lead_change){
			.action = (enum lead_action)(r >> 16 & 0xff) % LEAD_ACTIONS, .lead = lead, .tag_id = 1
		};
		command.kind = COMMAND_CHANGE;
		break;
	default:
		break;
	}
	return command;
}

static void
vary_settings(struct world *w, uint64_t history)
{
	struct campaign *c = &w->set.campaigns[0].campaign;
	c->points_signup = history & 1;
	c->points_direct = 3;
	c->points_indirect = history >> 1 & 1;
	c->points_verified = 2;
	c->require_verification = history >> 2 & 1;
	c->max_per_ip = history >> 3 & 1 ? 3 : 0;
	c->ip_counted_to = history >> 4 & 1 ? IP_COUNTED_ALL : 20;
}

enum { HOURS_MAX = 64 };
/* The rows of lead_hours. */
struct hours {
	struct hour_change rows[HOURS_MAX];
	size_t count;
};

static void
add_hour(struct hours *hours, const struct hour_change *change, uint32_t sign)
{
	size_t i = 0;
	while (i < hours->count && (hours->rows[i].campaign_id != change->campaign_id || hours->rows[i].hour != change->hour ||
				       hours->rows[i].source_class != change->source_class))
		i++;
	assert_true(i < HOURS_MAX);
	if (i == hours->count)
		hours->rows[hours->count++] = (struct hour_change){
			.campaign_id = change->campaign_id, .hour = change->hour, .source_class = change->source_class
		};
#define ADD(type, column, member) hours->rows[i].counters.member += sign * change->counters.member;
	CAMPAIGN_COUNTERS(ADD)
#undef ADD
	hours->rows[i].deleted += sign * change->deleted;
}

static void
add_hours(struct hours *hours, const struct decision *decision)
{
	for (size_t i = 0; i < decision->hour_count; i++)
		add_hour(hours, &decision->hours[i], 1);
}

static bool
has_referred(const struct world *w, uint64_t lead_id)
{
	for (size_t i = 0; i < w->set.link_count; i++)
		if (w->set.links[i]->link.level == 1 && w->set.links[i]->link.ancestor_id == lead_id)
			return true;
	return false;
}

/* docs/statistics.md 1: the sums of all changes equal the numbers of existing and of deleted leads. */
static void
assert_recount(const struct world *w, struct hours *hours)
{
	static const struct campaign_counters none;
	for (size_t i = 0; i < w->set.lead_count; i++) {
		const struct lead *l = &w->set.leads[i]->lead;
		const bool gone = w->set.leads[i]->gone;
		const struct hour_change counted = {
			.campaign_id = l->campaign_id,
			.hour = (uint32_t)(l->created_ms / 3600000),
			.source_class = l->source_class,
			.counters = { !gone, !gone && lead_is_verified(l), !gone && l->waitlisted,
			    !gone && l->removed_from_waitlist, !gone && l->fraudulent, !gone && l->opted_out,
			    !gone && l->parent_id != 0, !gone && l->parent_id != 0 && lead_is_verified(l),
			    !gone && has_referred(w, l->id) },
			.deleted = gone,
		};
		add_hour(hours, &counted, UINT32_MAX);
	}
	for (size_t i = 0; i < hours->count; i++) {
		assert_memory_equal(&hours->rows[i].counters, &none, sizeof(none));
		assert_int_equal(hours->rows[i].deleted, 0);
	}
}

/* docs/architecture.md: clients cannot tell how commands are batched. */
static void
a_batch_equals_its_commands_one_by_one(void **state)
{
	(void)state;
	for (uint64_t history = 1; history <= 300; history++) {
		uint64_t seed = history * UINT64_C(0x9e3779b97f4a7c15);
		void *one_state, *many_state;
		open_world(&one_state);
		open_world(&many_state);
		struct world *one = one_state, *many = many_state;
		vary_settings(one, history);
		vary_settings(many, history);
		struct hours of_one = { .count = 0 }, of_many = { .count = 0 };
		for (int round = 0; round < 4; round++) {
			one->set.now_ms = many->set.now_ms += 1800000;
			struct command batch[COMMANDS_MAX];
			size_t count = 1 + next_random(&seed) % 32, events = 0;
			for (size_t i = 0; i < count; i++)
				batch[i] = random_command(one->pool, &seed);
			run(many, batch, count);
			add_hours(&of_many, &many->decision);
			for (size_t i = 0; i < count; i++) {
				run(one, &batch[i], 1);
				add_hours(&of_one, &one->decision);
				settle(one);
				assert_int_equal(one->outcomes[0].failure, many->outcomes[i].failure);
				assert_slices_equal(one->outcomes[0].body, many->outcomes[i].body);
				for (size_t k = 0; k < one->decision.event_count; k++, events++) {
					assert_int_equal(one->decision.events[k].type, many->decision.events[events].type);
					assert_slices_equal(
					    one->decision.events[k].payload, many->decision.events[events].payload);
				}
			}
			settle(many);
			assert_int_equal(events, many->decision.event_count);
			assert_int_equal(one->set.lead_count, many->set.lead_count);
		}
		assert_recount(one, &of_one);
		assert_recount(many, &of_many);
		close_world(&one_state);
		close_world(&many_state);
	}
}

static void
a_large_jump_start_does_not_wrap(void **state)
{
	struct world *w = *state;
	w->set.campaigns[0].campaign.jump_start = UINT32_MAX;
	struct command command = signup("a@example.org", NULL);
	run(w, &command, 1);
	assert_contains(w->outcomes[0].body, "\"lead_count\":4294967296,");
}

/* An unexpected stored value has no fields and is not an error. */
static void
a_stored_value_that_is_not_an_object_has_no_fields(void **state)
{
	struct world *w = *state;
	static const struct slice values[] = { SLICE("1"), SLICE("\"a\""), SLICE("null"), SLICE("true"), SLICE("[]"),
		SLICE("[1,2]"), SLICE("[{}]"), SLICE("{\"a\":{}}"), SLICE("{\"a\":[[1]]}"), SLICE("{\"a\":"), SLICE("") };
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		assert_int_equal(custom_fields_read(w->pool, values[i]).count, 0);
	assert_int_equal(custom_fields_read(w->pool, SLICE("{\"a\":[1],\"b\":null}")).count, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_same_email_twice_in_a_batch_is_one_lead),
		WORLD_TEST(events_show_the_whole_lead_in_every_view),
		WORLD_TEST(numbers_of_sign_ups_are_hidden_with_the_leads),
		WORLD_TEST(each_command_sees_its_own_state),
		WORLD_TEST(referrer_and_referred_in_one_batch),
		WORLD_TEST(a_repeated_signup_resets_the_opt_out),
		WORLD_TEST(an_edit_is_no_signup),
		WORLD_TEST(fields_of_an_existing_lead_are_merged),
		WORLD_TEST(too_many_custom_fields_are_refused),
		WORLD_TEST(without_a_key_custom_fields_are_fewer),
		WORLD_TEST(closed_campaigns_refuse),
		WORLD_TEST(events_follow_subscriptions),
		WORLD_TEST(a_large_jump_start_does_not_wrap),
		WORLD_TEST(a_stored_value_that_is_not_an_object_has_no_fields),
		cmocka_unit_test(a_batch_equals_its_commands_one_by_one),
	};
	return cmocka_run_group_tests_name("engine/decide/decide", tests, NULL, NULL);
}
