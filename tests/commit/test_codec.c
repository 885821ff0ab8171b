/* SPDX-License-Identifier: MIT
 * docs/architecture.md 7: messages between responders and committer are decoded as they were encoded, and invalid
 * bytes are refused. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "commit/codec.h"
#include "with_pool.h"

enum { ENCODED_MAX = 64 * 1024, RANDOM_TRIES = 20000, RANDOM_BYTES = 400 };

static struct buffer encoded;

/* Returns a unique text. */
static struct slice
next_text(void)
{
	static unsigned number;
	return pool_printf(pool, "text %u", ++number);
}

static uint32_t
next_number(void)
{
	static uint32_t number = 1000;
	return ++number;
}

static struct lead_reference
next_lead(enum lead_identity identity)
{
	return (struct lead_reference){ identity, next_text(), next_number() + (UINT64_C(1) << 40), true, next_number() };
}

/* Every member has a unique value, except those that must be absent, empty or false. */
static struct signup
next_signup(bool on)
{
	static const size_t count = 3;
	struct custom_field *fields = POOL_ARRAY(pool, count, struct custom_field);
	for (size_t i = 0; i < count; i++)
		fields[i] = (struct custom_field){ next_text(), next_text(), i == 1 ? SLICE_NONE : next_text() };
	return (struct signup){
		.email = next_text(),
		.email_key = next_text(),
		.phone = on ? next_text() : SLICE_NONE,
		.subject = on ? next_text() : SLICE(""),
		.own_id = next_text(),
		.own_epoch = next_number(),
		.referrer_id = next_text(),
		.must_exist = on,
		.keep_opt_out = !on,
		.edits = on,
		.ends_bounce = !on,
		.custom_fields = fields,
		.custom_field_count = count,
		.utm = next_text(),
		.uid = next_text(),
		.redirect_url = next_text(),
		.ip = next_text(),
		.user_agent = next_text(),
		.replace_ip = on,
		.replace_user_agent = !on,
		.referrer = next_text(),
		.source = next_text(),
		.source_id = next_number() + (UINT64_C(1) << 40),
		.signup_url = next_text(),
		.session_id = next_text(),
		.request_id = next_text(),
		.proof = next_text(),
		.proof_expires_ms = (int64_t)next_number() + (INT64_C(1) << 41),
		.unproven = !on,
		.inbound = on,
		.referrer_is_page = !on,
		.points = -(int32_t)next_number(),
	};
}

/* Absent and empty are different. */
static void
same_text(struct slice got, struct slice want)
{
	assert_int_equal(slice_present(got), slice_present(want));
	assert_slices_equal(got, want);
}

static void
same_lead(const struct lead_reference *got, const struct lead_reference *want)
{
	assert_int_equal(got->identity, want->identity);
	same_text(got->value, want->value);
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->own, want->own);
	assert_int_equal(got->epoch, want->epoch);
}

static void
same_signup(const struct signup *got, const struct signup *want)
{
	same_text(got->email, want->email);
	same_text(got->email_key, want->email_key);
	same_text(got->phone, want->phone);
	same_text(got->subject, want->subject);
	same_text(got->own_id, want->own_id);
	assert_int_equal(got->own_epoch, want->own_epoch);
	same_text(got->referrer_id, want->referrer_id);
	assert_int_equal(got->must_exist, want->must_exist);
	assert_int_equal(got->keep_opt_out, want->keep_opt_out);
	assert_int_equal(got->edits, want->edits);
	assert_int_equal(got->ends_bounce, want->ends_bounce);
	assert_int_equal(got->custom_field_count, want->custom_field_count);
	for (size_t i = 0; i < want->custom_field_count; i++) {
		same_text(got->custom_fields[i].name, want->custom_fields[i].name);
		same_text(got->custom_fields[i].json, want->custom_fields[i].json);
		same_text(got->custom_fields[i].text, want->custom_fields[i].text);
	}
	same_text(got->utm, want->utm);
	same_text(got->uid, want->uid);
	same_text(got->redirect_url, want->redirect_url);
	same_text(got->ip, want->ip);
	same_text(got->user_agent, want->user_agent);
	assert_int_equal(got->replace_ip, want->replace_ip);
	assert_int_equal(got->replace_user_agent, want->replace_user_agent);
	same_text(got->referrer, want->referrer);
	same_text(got->source, want->source);
	assert_int_equal(got->source_id, want->source_id);
	same_text(got->signup_url, want->signup_url);
	same_text(got->session_id, want->session_id);
	same_text(got->request_id, want->request_id);
	same_text(got->proof, want->proof);
	assert_int_equal(got->proof_expires_ms, want->proof_expires_ms);
	assert_int_equal(got->unproven, want->unproven);
	assert_int_equal(got->inbound, want->inbound);
	assert_int_equal(got->referrer_is_page, want->referrer_is_page);
	assert_int_equal(got->points, want->points);
}

static struct command
next_command(enum command_kind kind, bool on)
{
	return (struct command){
		.kind = kind,
		.rights = (rights)next_number(),
		.campaign_id = next_number() + (UINT64_C(1) << 40),
		.account_id = next_number() + (UINT64_C(1) << 41),
		.owner_id = next_number() + (UINT64_C(1) << 42),
		.view = { .full = on, .skip_urls = !on, .skip_actions = on, .url = !on, .own = on },
	};
}

static void
same_command(const struct command *got, const struct command *want)
{
	assert_int_equal(got->kind, want->kind);
	assert_int_equal(got->rights, want->rights);
	assert_int_equal(got->campaign_id, want->campaign_id);
	assert_int_equal(got->account_id, want->account_id);
	assert_int_equal(got->owner_id, want->owner_id);
	assert_int_equal(got->view.full, want->view.full);
	assert_int_equal(got->view.skip_urls, want->view.skip_urls);
	assert_int_equal(got->view.skip_actions, want->view.skip_actions);
	assert_int_equal(got->view.url, want->view.url);
	assert_int_equal(got->view.own, want->view.own);
}

/* Encodes and decodes a request; checks its deadline. */
static struct commit_request
carry_request(struct commit_request request)
{
	struct commit_request got;
	request.deadline_ms = next_number() + (INT64_C(1) << 40);
	request.id = next_text();
	buffer_clear(&encoded);
	commit_encode_request(&encoded, &request);
	assert_true(buffer_ok(&encoded));
	assert_true(commit_decode_request(pool, buffer_slice(&encoded), &got));
	assert_int_equal(got.kind, request.kind);
	assert_int_equal(got.deadline_ms, request.deadline_ms);
	same_text(got.id, request.id);
	return got;
}

static struct commit_answer
carry_answer(struct commit_answer answer)
{
	struct commit_answer got;
	buffer_clear(&encoded);
	commit_encode_answer(&encoded, &answer);
	assert_true(buffer_ok(&encoded));
	assert_true(commit_decode_answer(pool, buffer_slice(&encoded), &got));
	assert_int_equal(got.kind, answer.kind);
	return got;
}

static struct command
carry_command(const struct command *command)
{
	struct command got =
	    carry_request((struct commit_request){ .kind = REQUEST_COMMAND, .as.command = *command }).as.command;
	same_command(&got, command);
	return got;
}

static void
test_signups(void **state UNUSED)
{
	for (int on = 0; on < 2; on++) {
		struct command command = next_command(COMMAND_SIGNUP, on);
		command.as.signup = next_signup(on);
		struct command got = carry_command(&command);
		same_signup(&got.as.signup, &command.as.signup);
	}
}

static void
test_a_signup_of_nothing(void **state UNUSED)
{
	struct command command = next_command(COMMAND_SIGNUP, true), got = carry_command(&command);
	same_signup(&got.as.signup, &(struct signup){ .points = 0 });
}

static void
test_taggings(void **state UNUSED)
{
	struct command command = next_command(COMMAND_TAGGING, true);
	command.as.tagging = (struct tagging){ next_signup(true), next_number(), true };
	struct command got = carry_command(&command);
	same_signup(&got.as.tagging.signup, &command.as.tagging.signup);
	assert_int_equal(got.as.tagging.tag_id, command.as.tagging.tag_id);
	assert_true(got.as.tagging.update);
}

static void
test_points(void **state UNUSED)
{
	struct lead_reference leads[] = { next_lead(LEAD_BY_EMAIL), next_lead(LEAD_BY_PHONE), next_lead(LEAD_BY_ID) };
	struct command command = next_command(COMMAND_POINTS, false);
	command.as.points = (struct points_call){ leads, ARRAY_SIZE(leads), -5, 77, next_text() };
	struct command got = carry_command(&command);
	const struct points_call *points = &got.as.points;
	assert_int_equal(points->points, -5);
	assert_int_equal(points->account_jobs, 77);
	same_text(points->message, command.as.points.message);
	assert_int_equal(points->lead_count, ARRAY_SIZE(leads));
	for (size_t i = 0; i < ARRAY_SIZE(leads); i++)
		same_lead(&points->leads[i], &leads[i]);
}

static void
test_completions(void **state UNUSED)
{
	struct command command = next_command(COMMAND_COMPLETION, true);
	command.as.completion = (struct completion){ next_lead(LEAD_BY_SOCIAL_ID), next_number(), next_text() };
	struct command got = carry_command(&command);
	same_lead(&got.as.completion.lead, &command.as.completion.lead);
	assert_int_equal(got.as.completion.action_id, command.as.completion.action_id);
	assert_true(slice_equal(got.as.completion.message, command.as.completion.message));
}

static void
test_changes(void **state UNUSED)
{
	for (unsigned action = 0; action < LEAD_ACTIONS; action++) {
		struct command command = next_command(COMMAND_CHANGE, true);
		struct lead_change *change = &command.as.change;
		*change = (struct lead_change){ (enum lead_action)action, next_lead(LEAD_BY_EMAIL), next_number(), next_text(),
			next_text(), action % 2 == 1, next_text(), next_text(), next_number(), next_number(), -5, next_text(),
			next_text() };
		struct command carried = carry_command(&command);
		const struct lead_change *got = &carried.as.change;
		assert_int_equal(got->action, action);
		same_lead(&got->lead, &change->lead);
		assert_int_equal(got->tag_id, change->tag_id);
		same_text(got->argument, change->argument);
		assert_int_equal(got->job_id, change->job_id);
		assert_int_equal(got->job_position, change->job_position);
		assert_int_equal(got->points, change->points);
		same_text(got->message, change->message);
		same_text(got->made_by, change->made_by);
		same_text(got->address, change->address);
		assert_int_equal(got->by_lead, change->by_lead);
		same_text(got->ip, change->ip);
		same_text(got->user_agent, change->user_agent);
	}
}

static void
test_look_ups(void **state UNUSED)
{
	struct commit_request request = { .kind = REQUEST_KEY };
	for (size_t i = 0; i < sizeof(request.as.key.bytes); i++)
		request.as.key.bytes[i] = (unsigned char)(i + 1);
	struct commit_request got = carry_request(request);
	assert_memory_equal(got.as.key.bytes, request.as.key.bytes, sizeof(request.as.key.bytes));
	got = carry_request((struct commit_request){ .kind = REQUEST_READINESS });
	assert_int_equal(got.kind, REQUEST_READINESS);
	got = carry_request((struct commit_request){ .kind = REQUEST_CAMPAIGN, .as.campaign_id = INT64_MAX });
	assert_int_equal(got.as.campaign_id, INT64_MAX);
	for (unsigned view = 0; view < 64; view++) {
		const struct look_up wanted = { 7 + view, next_lead(view % 2 == 0 ? LEAD_BY_PHONE : LEAD_BY_ID),
			{ (view & 1) != 0, (view & 2) != 0, (view & 4) != 0, (view & 16) != 0, (view & 32) != 0 },
			(view & 8) != 0,
			{ (view & 1) != 0 ? SLICE("plan") : SLICE_NONE, (view & 2) != 0 ? SLICE("mp") : SLICE_NONE,
			    (view & 4) != 0 } };
		got = carry_request((struct commit_request){ .kind = REQUEST_LOOK_UP, .as.look_up = wanted });
		assert_int_equal(got.as.look_up.campaign_id, wanted.campaign_id);
		assert_int_equal(got.as.look_up.reference.identity, wanted.reference.identity);
		assert_slices_equal(got.as.look_up.reference.value, wanted.reference.value);
		assert_int_equal(got.as.look_up.reference.id, wanted.reference.id);
		assert_int_equal(got.as.look_up.view.full, wanted.view.full);
		assert_int_equal(got.as.look_up.view.skip_urls, wanted.view.skip_urls);
		assert_int_equal(got.as.look_up.view.skip_actions, wanted.view.skip_actions);
		assert_int_equal(got.as.look_up.view.url, wanted.view.url);
		assert_int_equal(got.as.look_up.view.own, wanted.view.own);
		assert_int_equal(got.as.look_up.standing, wanted.standing);
		same_text(got.as.look_up.style.description, wanted.style.description);
		same_text(got.as.look_up.style.avatar_default, wanted.style.avatar_default);
		assert_int_equal(got.as.look_up.style.personal, wanted.style.personal);
	}
}

static void
test_outcomes(void **state UNUSED)
{
	struct commit_answer answer = { .kind = ANSWER_OUTCOME };
	for (unsigned failure = FAILURE_NONE; failure < FAILURE_COUNT; failure++) {
		answer.as.outcome = (struct outcome){ (enum failure)failure, failure % 2 == 1, failure % 2 == 0, false, false,
			(enum lead_showing)(failure % 3), failure + 1, next_text(), next_text(), { failure, UINT64_MAX },
			{ failure, UINT32_MAX, failure % 2 != 0 }, .queued = failure };
		struct outcome got = carry_answer(answer).as.outcome;
		assert_int_equal(got.failure, failure);
		assert_int_equal(got.created, failure % 2 == 1);
		assert_int_equal(got.claim_alone, failure % 2 == 0);
		assert_int_equal(got.showing, failure % 3);
		assert_int_equal(got.lead_id, failure + 1);
		assert_int_equal(got.queued, failure);
		same_text(got.detail, answer.as.outcome.detail);
		same_text(got.body, answer.as.outcome.body);
		assert_true(got.versions.settings == failure && got.versions.leads == UINT64_MAX);
		assert_true(got.place.score == failure && got.place.subscription_number == UINT32_MAX &&
			    got.place.fraudulent == (failure % 2 != 0));
	}
	answer.as.outcome = (struct outcome){ .body = SLICE("") };
	struct outcome got = carry_answer(answer).as.outcome;
	same_text(got.detail, SLICE_NONE);
	same_text(got.body, SLICE(""));
	assert_int_equal(carry_answer((struct commit_answer){ .kind = ANSWER_REFUSED }).kind, ANSWER_REFUSED);
}

static void
test_found_keys(void **state UNUSED)
{
	for (int on = 0; on < 2; on++) {
		const struct api_key key = { next_number(), next_number(), on, -(int64_t)next_number(), -(int64_t)next_number(),
			next_number(), next_number(), (rights)next_number(), 2, { next_number(), next_number() } };
		struct commit_answer answer = { ANSWER_KEY, RESULT_NOT_FOUND, next_number(), { .key = key } };
		struct commit_answer got = carry_answer(answer);
		assert_int_equal(got.result, RESULT_NOT_FOUND);
		assert_int_equal(got.read_ms, answer.read_ms);
		assert_int_equal(got.as.key.id, key.id);
		assert_int_equal(got.as.key.rights, key.rights);
		assert_int_equal(got.as.key.campaign_count, 2);
		assert_int_equal(got.as.key.campaigns[1], key.campaigns[1]);
		assert_int_equal(got.as.key.account_id, key.account_id);
		assert_int_equal(got.as.key.account_suspended, on);
		assert_int_equal(got.as.key.account_per_minute, key.account_per_minute);
		assert_int_equal(got.as.key.expires_ms, key.expires_ms);
		assert_int_equal(got.as.key.last_used_ms, key.last_used_ms);
		assert_int_equal(got.as.key.now_ms, key.now_ms);
	}
}

#define NEXT(type, column, member) .member = next_number(),
static struct campaign
next_campaign(bool on)
{
	return (struct campaign){
		.id = next_number(),
		.account_id = next_number(),
		.name = next_text(),
		.created_ms = next_number(),
		.account_suspended = on,
		.ended_ms = -1,
		.ends_ms = next_number() + (INT64_C(1) << 40),
		.jump_start = next_number(),
		.privacy = !on,
		.require_key = on,
		.compat = !on,
		.landing_url = next_text(),
		.thankyou_url = next_text(),
		.status_url = next_text(),
		.points_signup = next_number(),
		.points_direct = next_number(),
		.points_indirect = next_number(),
		.points_verified = next_number(),
		.require_verification = !on,
		.waitlist = on,
		.max_per_ip = next_number(),
		.blocked_email_domains = SLICE_NONE,
		.blocked_referrers = SLICE(""),
		.allowed_networks = next_text(),
		.last_subscription_number = next_number(),
		.ip_counted_to = IP_COUNTED_ALL,
		.hours_counted_from = next_number(),
		.sources_counted_to = next_number(),
		.counters = { CAMPAIGN_COUNTERS(NEXT) },
	};
}
#undef NEXT

static void
same_settings(const struct campaign *got, const struct campaign *want)
{
	assert_int_equal(got->compat, want->compat);
	same_text(got->landing_url, want->landing_url);
	same_text(got->thankyou_url, want->thankyou_url);
	same_text(got->status_url, want->status_url);
	assert_int_equal(got->points_signup, want->points_signup);
	assert_int_equal(got->points_direct, want->points_direct);
	assert_int_equal(got->points_indirect, want->points_indirect);
	assert_int_equal(got->points_verified, want->points_verified);
	assert_int_equal(got->require_verification, want->require_verification);
	assert_int_equal(got->waitlist, want->waitlist);
	assert_int_equal(got->max_per_ip, want->max_per_ip);
	same_text(got->blocked_email_domains, want->blocked_email_domains);
	same_text(got->blocked_referrers, want->blocked_referrers);
	same_text(got->allowed_networks, want->allowed_networks);
}

static void
same_campaign(const struct campaign *got, const struct campaign *want)
{
	assert_int_equal(got->id, want->id);
	assert_int_equal(got->account_id, want->account_id);
	same_text(got->name, want->name);
	assert_int_equal(got->created_ms, want->created_ms);
	assert_int_equal(got->account_suspended, want->account_suspended);
	assert_int_equal(got->ended_ms, want->ended_ms);
	assert_int_equal(got->ends_ms, want->ends_ms);
	assert_int_equal(got->jump_start, want->jump_start);
	assert_int_equal(got->privacy, want->privacy);
	assert_int_equal(got->require_key, want->require_key);
	same_settings(got, want);
	assert_int_equal(got->last_subscription_number, want->last_subscription_number);
	assert_int_equal(got->ip_counted_to, want->ip_counted_to);
	assert_int_equal(got->hours_counted_from, want->hours_counted_from);
	assert_int_equal(got->sources_counted_to, want->sources_counted_to);
	assert_memory_equal(&got->counters, &want->counters, sizeof(want->counters)); /* a struct without padding */
}

static void
test_found_campaigns(void **state UNUSED)
{
	for (int on = 0; on < 2; on++) {
		struct commit_answer answer = { ANSWER_CAMPAIGN, RESULT_OK, next_number(),
			{ .found = { .now_ms = next_number() } } };
		answer.as.found.campaign = next_campaign(on);
		struct commit_answer got = carry_answer(answer);
		assert_int_equal(got.result, RESULT_OK);
		assert_int_equal(got.read_ms, answer.read_ms);
		assert_int_equal(got.as.found.now_ms, answer.as.found.now_ms);
		same_campaign(&got.as.found.campaign, &answer.as.found.campaign);
	}
}

/* Decodes from memory of exactly this size, so that a sanitizer reports reads beyond it, and encodes again. */
static bool
survives(struct slice bytes, bool request)
{
	struct pool *own = pool_new();
	char *copy = malloc(bytes.size == 0 ? 1 : bytes.size);
	struct commit_request decoded_request;
	struct commit_answer answer;
	memcpy(copy, bytes.data, bytes.size);
	struct slice exact = { copy, bytes.size };
	bool good = request ? commit_decode_request(own, exact, &decoded_request) : commit_decode_answer(own, exact, &answer);
	buffer_clear(&encoded);
	if (good && request)
		commit_encode_request(&encoded, &decoded_request);
	else if (good)
		commit_encode_answer(&encoded, &answer);
	if (good)
		assert_slices_equal(buffer_slice(&encoded), bytes);
	free(copy);
	pool_free(&own);
	return good;
}

static void
bend(struct slice bytes, bool request)
{
	char *bent = malloc(bytes.size + 1);
	memcpy(bent, bytes.data, bytes.size);
	bent[bytes.size] = 0;
	assert_true(survives(bytes, request));
	assert_false(survives((struct slice){ bent, bytes.size + 1 }, request));
	for (size_t size = 0; size < bytes.size; size++)
		assert_false(survives(slice_sub(bytes, 0, size), request));
	for (size_t bit = 0; bit < bytes.size * 8; bit++) {
		bent[bit / 8] = (char)(bent[bit / 8] ^ (1 << bit % 8));
		(void)survives((struct slice){ bent, bytes.size }, request);
		bent[bit / 8] = (char)(bent[bit / 8] ^ (1 << bit % 8));
	}
	free(bent);
}

static void
test_altered_requests(void **state UNUSED)
{
	struct lead_reference leads[] = { next_lead(LEAD_BY_EMAIL), next_lead(LEAD_BY_ID) };
	struct command commands[] = { next_command(COMMAND_SIGNUP, true), next_command(COMMAND_TAGGING, true),
		next_command(COMMAND_POINTS, true), next_command(COMMAND_COMPLETION, true),
		next_command(COMMAND_CHANGE, true) };
	commands[0].as.signup = next_signup(true);
	commands[1].as.tagging = (struct tagging){ next_signup(false), 1, false };
	commands[2].as.points = (struct points_call){ leads, ARRAY_SIZE(leads), 1, 0, SLICE_NONE };
	commands[3].as.completion = (struct completion){ .lead = leads[0], .action_id = 1 };
	commands[4].as.change = (struct lead_change){ .lead = leads[1] };
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		carry_command(&commands[i]);
		bend(pool_copy(pool, buffer_slice(&encoded)), true);
	}
	carry_request((struct commit_request){ .kind = REQUEST_KEY });
	bend(pool_copy(pool, buffer_slice(&encoded)), true);
	carry_request((struct commit_request){ .kind = REQUEST_CAMPAIGN });
	bend(pool_copy(pool, buffer_slice(&encoded)), true);
	carry_request((struct commit_request){ .kind = REQUEST_LOOK_UP, .as.look_up.reference = leads[0] });
	bend(pool_copy(pool, buffer_slice(&encoded)), true);
	carry_request((struct commit_request){ .kind = REQUEST_READINESS });
	bend(pool_copy(pool, buffer_slice(&encoded)), true);
}

static void
test_altered_answers(void **state UNUSED)
{
	struct commit_answer answers[] = { { .kind = ANSWER_REFUSED }, { .kind = ANSWER_OUTCOME }, { .kind = ANSWER_KEY },
		{ .kind = ANSWER_CAMPAIGN }, { .kind = ANSWER_READINESS, .result = RESULT_WRONG_SCHEMA } };
	answers[1].as.outcome = (struct outcome){ .body = SLICE("{}") };
	answers[3].as.found.campaign = next_campaign(true);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		carry_answer(answers[i]);
		bend(pool_copy(pool, buffer_slice(&encoded)), false);
	}
}

static void
test_random_bytes(void **state UNUSED)
{
	char bytes[RANDOM_BYTES];
	srandom(1);
	for (int try = 0; try < RANDOM_TRIES; try++) {
		size_t size = (size_t)random() % sizeof(bytes);
		for (size_t i = 0; i < size; i++) /* small numbers, because these are more often valid lengths and choices */
			bytes[i] = (char)(random() % 2 == 0 ? random() % 4 : random());
		(void)survives((struct slice){ bytes, size }, try % 2 == 0);
	}
}

/* No memory is allocated for items that the bytes cannot hold. */
static void
test_a_count_beyond_the_bytes(void **state UNUSED)
{
	struct command command = next_command(COMMAND_POINTS, true);
	struct commit_request got;
	uint32_t many = 1000000;
	carry_command(&command);
	memcpy(encoded.data + encoded.size - sizeof(many), &many, sizeof(many));
	assert_false(commit_decode_request(pool, buffer_slice(&encoded), &got));
	assert_int_equal(got.as.command.as.points.lead_count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signups, begin, end),
		cmocka_unit_test_setup_teardown(test_a_signup_of_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_taggings, begin, end),
		cmocka_unit_test_setup_teardown(test_points, begin, end),
		cmocka_unit_test_setup_teardown(test_completions, begin, end),
		cmocka_unit_test_setup_teardown(test_changes, begin, end),
		cmocka_unit_test_setup_teardown(test_look_ups, begin, end),
		cmocka_unit_test_setup_teardown(test_outcomes, begin, end),
		cmocka_unit_test_setup_teardown(test_found_keys, begin, end),
		cmocka_unit_test_setup_teardown(test_found_campaigns, begin, end),
		cmocka_unit_test_setup_teardown(test_altered_requests, begin, end),
		cmocka_unit_test_setup_teardown(test_altered_answers, begin, end),
		cmocka_unit_test_setup_teardown(test_random_bytes, begin, end),
		cmocka_unit_test_setup_teardown(test_a_count_beyond_the_bytes, begin, end),
	};
	buffer_init(&encoded, ENCODED_MAX);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	buffer_free(&encoded);
	return failed;
}
