/* SPDX-License-Identifier: MIT */
#include "api/handlers/lead_calls.h"

#include "api/call/bots.h"
#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/fetch.h"
#include "api/call/forms.h"
#include "api/call/lead_argument.h"
#include "api/call/limits.h"
#include "api/call/param_values.h"
#include "api/call/signup_arguments.h"
#include "engine/visitors.h"
#include "http/http_text.h"
#include "identity/social_id.h"
#include "os/clock.h"
#include "store/lead_pages.h"

/* Runs the command of a sign-up, and answers with the lead. */
static struct outcome
run(struct call *call, const struct command *command, const struct signup_arguments *arguments)
{
	const struct outcome outcome = call_execute(call, command);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, signup_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* Whether the caller may send `must_exist`, which shows whether the lead exists. A token proves nothing here, because it may be
 * that of another lead. */
static bool
may_demand_lead(struct call *call, const struct signup *signup)
{
	return !signup->must_exist || call_has_right(call, RIGHT_CHANGE) ||
	       call_may_see(call, &(struct lead_reference){ .identity = LEAD_BY_EMAIL });
}

/* Answers a bot as if the sign-up had succeeded. */
static struct outcome
pretend(struct call *call, const struct command *command, const struct signup_arguments *arguments)
{
	struct outcome outcome = { .failure = FAILURE_LEAD_NOT_FOUND };
	if (command->as.signup.must_exist) {
		call_fail(call, outcome.failure);
		return outcome;
	}
	outcome.failure = FAILURE_NONE;
	outcome.body = call_pretend_lead(call, &command->as.signup, command->view);
	if (slice_present(outcome.body))
		call_answer(call, signup_note_ignored(call, arguments, outcome.body));
	return outcome;
}

/* Runs the command, unless a rule against bots is broken. */
static struct outcome
sign_up(struct call *call, struct command command, const struct signup_arguments *arguments)
{
	struct outcome outcome = { .failure = FAILURE_PROOF_REQUIRED };
	switch (call_check_bots(call, arguments, &command.as.signup)) {
	case BOTS_FAIL:
		return outcome;
	case BOTS_PRETEND:
		return pretend(call, &command, arguments);
	case BOTS_PASS:
		break;
	}
	outcome = run(call, &command, arguments);
	if (outcome.failure == FAILURE_NONE)
		call_count_proof(call, &command.as.signup);
	if (outcome.created)
		call->api->last_lead_id = outcome.lead_id;
	return outcome;
}

/* Keeps a sign-up from sending a code by text if the caller's address has requested too many. */
static void
limit_codes(struct call *call, struct signup *signup)
{
	signup->no_code =
	    call->account_id == 0 && slice_present(signup->phone) && call_sends_codes(call) && !call_pass_code(call);
}

/* Over the limit of new leads, only known leads may sign up: must_exist is forced. If that would show which leads exist, all
 * sign-ups are refused, and all are counted. Leads are counted after they are created, so simultaneous calls can exceed the
 * limit. */
void
handle_signup(struct call *call)
{
	struct signup_arguments arguments;
	struct limit_verdict verdict;
	if (!signup_read(call, SIGNUP_BY_FORM, &arguments))
		return;
	/* HEAD on GET /v1/.../subscribe: nothing is created, the body is empty */
	if (!may_demand_lead(call, &arguments.signup) || call->response->head)
		return;
	struct command command = { .kind = COMMAND_SIGNUP, .view = param_view(call), .as.signup = arguments.signup };
	if (call_is_form(call)) /* the answer is one of the URLs */
		command.view.skip_urls = false;
	const bool must_be_known = !arguments.signup.must_exist && !call_may_add_lead(call, &verdict);
	const bool shows_known = visitor_may_see(&call->campaign, LEAD_BY_EMAIL, VISITOR_STRANGER);
	if (must_be_known && !shows_known) {
		call_refuse_new_lead(call, &verdict);
		return;
	}
	command.as.signup.must_exist = arguments.signup.must_exist || must_be_known;
	limit_codes(call, &command.as.signup);
	const struct outcome outcome = sign_up(call, command, &arguments);
	if (outcome.created || (!shows_known && outcome.failure == FAILURE_NONE))
		call_count_new_lead(call);
	if (must_be_known && outcome.failure == FAILURE_LEAD_NOT_FOUND)
		call_refuse_new_lead(call, &verdict);
}

/* Answers with a lead, or fails. */
static void
show_lead(struct call *call, struct lead_reference lead, struct payload_view view)
{
	struct outcome outcome;
	const struct look_up look_up = { call->campaign.id, lead, view, .standing = false };
	fetch_lead(call, call->api->store, &look_up, &outcome);
	if (outcome.failure == FAILURE_NONE)
		call_answer(call, outcome.body);
	else
		call_fail(call, outcome.failure);
}

void
handle_lookup(struct call *call)
{
	struct lead_reference lead;
	if (!lead_read(call, &lead))
		return;
	struct payload_view view = param_view(call);
	view.own = !view.full && lead.own;
	if (call_may_see(call, &lead))
		show_lead(call, lead, view);
}

/* The path names the lead: identifiers among the parameters are ignored. */
void
handle_lead_of_path(struct call *call)
{
	struct lead_reference own, lead = { .identity = LEAD_BY_SOCIAL_ID };
	if (!lead_read_owner(call, &own))
		return;
	const bool known = social_id_parse(call->request->pool, call->request->segments[2], &lead.value);
	struct payload_view view = param_view(call);
	view.own = !view.full && known && own.own && slice_equal(own.value, lead.value);
	if (view.own)
		lead = own;
	if (!call_may_see(call, &lead))
		return;
	if (known)
		show_lead(call, lead, view);
	else
		call_fail(call, FAILURE_LEAD_NOT_FOUND);
}

/* Reads the id that follows the campaign's in the path. Returns false if it is invalid: then the call has failed. */
static bool
read_id(struct call *call, enum failure failure, uint64_t *id)
{
	return (slice_to_u64(call->request->segments[3], INT64_MAX, id) && *id != 0) || call_fail(call, failure);
}

void
handle_complete_action(struct call *call)
{
	struct lead_reference lead;
	uint64_t id;
	if (!read_id(call, FAILURE_ACTION_NOT_FOUND, &id) || !lead_read(call, &lead))
		return;
	const struct command command = { .kind = COMMAND_COMPLETION, .as.completion = { .lead = lead, .action_id = id } };
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}

void
handle_tag_lead(struct call *call)
{
	struct signup_arguments arguments;
	uint64_t id;
	if (!read_id(call, FAILURE_TAG_NOT_FOUND, &id) || !signup_read(call, SIGNUP_BY_TAGGING, &arguments))
		return;
	const struct command command = {
		.kind = COMMAND_TAGGING, .view = param_view(call), .as.tagging = { .signup = arguments.signup, .tag_id = id }
	};
	run(call, &command, &arguments);
}

/* ---- actions that pages complete ---- */

enum { DATA_MAX_BYTES = 1024, DATA_JSON_MAX_BYTES = 1024 * 1024 };

/* Whether the name is a leaf of `data`, as in `data[a][b]`. */
static bool
is_member(struct slice base, struct slice name)
{
	if (!slice_starts_with(name, base) || name.size == base.size)
		return false;
	for (name = slice_sub(name, base.size, name.size); name.size > 0;) {
		const size_t end = slice_find(name, ']');
		if (name.data[0] != '[' || end == name.size)
			return false;
		name = slice_sub(name, end + 1, name.size);
	}
	return true;
}

/* Writes the object of which the parameters `data[…]` are the leaves. Returns false if there are none. */
static bool
write_leaves(struct pool *pool, const struct http_params *params, struct slice base, struct json_writer *writer)
{
	struct document_node *root = document_new(pool);
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_param *param = http_params_at(params, i);
		if (is_member(base, param->name))
			param_tree_add(pool, root, param);
	}
	const struct document_node *object = document_child(root, base);
	if (object == NULL)
		return false;
	document_write(object, writer);
	return true;
}

/* The text of `data`: a single value unchanged, anything else as JSON. It is only informative: it is cut if it is too long, and
 * never fails the call. */
static struct slice
read_data(struct call *call)
{
	const struct slice name = param_name(PARAM_DATA);
	const struct http_value *value = http_params_value(call->params, name);
	struct slice text = SLICE_NONE;
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, DATA_JSON_MAX_BYTES);
	json_writer_init(&writer, &out);
	if (value == NULL) {
		if (write_leaves(call->request->pool, call->params, name, &writer))
			text = buffer_slice(&out);
	} else if (!http_value_string(value, &text)) {
		http_value_write(value, &writer);
		text = buffer_slice(&out);
	}
	text = http_text_cut(text, DATA_MAX_BYTES);
	text = text.size > 0 ? pool_copy(call->request->pool, text) : SLICE_NONE;
	buffer_free(&out);
	return text;
}

/* False: the call has failed. */
static bool
read_completion(struct call *call, struct completion *completion)
{
	struct slice id;
	if (!lead_read_social_id(call, &completion->lead) || !param_read_text(call, PARAM_ACTION_ID, &id))
		return false;
	if (slice_present(id) && (!slice_to_u64(id, INT64_MAX, &completion->action_id) || completion->action_id == 0))
		return call_fail(call, FAILURE_ACTION_NOT_FOUND);
	completion->message = read_data(call);
	return true;
}

void
handle_action(struct call *call)
{
	struct command command = { .kind = COMMAND_COMPLETION };
	if (!read_completion(call, &command.as.completion))
		return;
	const enum visitor visitor = command.as.completion.lead.own ? VISITOR_OWNER : VISITOR_STRANGER;
	if (!call_has_right(call, RIGHT_CHANGE) && !visitor_may_change(&call->campaign, visitor)) {
		call_fail_stranger(call);
		return;
	}
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer(call, SLICE("{\"message\":\"Lead added to action\"}"));
}

/* ---- lists ---- */

enum { PAGE_LEADS = 50 };

/* A page ends with the lead that exceeds this size, because the total size of the leads of a page has no limit. */
enum { PAGE_BYTES = 4 * 1024 * 1024 };

static void
write_page(struct call *call, const struct lead_page *page, const struct payload_subject *subjects,
    const struct payload_settings *settings, struct payload_view view)
{
	struct json_writer writer = call_begin(call);
	uint32_t next = page->next;
	json_begin_object(&writer);
	json_key(&writer, SLICE("leads"));
	json_begin_array(&writer);
	for (size_t i = 0; i < page->count; i++) {
		json_raw(&writer, SLICE("")); /* adds the comma before a value that is written without the writer */
		payload_write(&call->response->body, settings, &subjects[i], view);
		if (call->response->body.size > PAGE_BYTES && i + 1 < page->count) {
			next = page->leads[i].subscription_number;
			break;
		}
	}
	json_end_array(&writer);
	json_put_text(&writer, SLICE("next"), next == 0 ? SLICE_NONE : pool_printf(call->request->pool, "%u", (unsigned)next));
	json_end_object(&writer);
}

/* A page of leads with the data of their payloads. */
static enum result
fetch_page(struct call *call, struct store *store, const struct lead_filter *filter, struct lead_page *page,
    struct payload_subject **subjects, const struct payload_settings **settings)
{
	struct pool *pool = call->request->pool;
	enum result result = store_list_leads(store, pool, call->campaign.id, filter, page);
	if (result == RESULT_OK)
		result = store_show_leads(store, pool, call->campaign.id, page->leads, page->count, subjects);
	return result == RESULT_OK ? store_payload_settings(store, settings) : result;
}

/* Reads the cursor: the number of the last lead on the previous page, which reveals nothing about other accounts. */
static bool
read_cursor(struct call *call, uint32_t *after)
{
	const struct http_param *given;
	struct slice text;
	uint64_t number = 0;
	if (!param_read_given(call, PARAM_CURSOR, &given, &text))
		return false;
	if (slice_present(text) && (!slice_to_u64(text, UINT32_MAX, &number) || number == 0))
		return call_fail_parameter(call, given->name, "must be what the page before gave as next");
	*after = (uint32_t)number;
	return true;
}

static bool
read_since(struct call *call, int64_t *since_ms)
{
	const struct http_param *given;
	struct slice text;
	return param_read_given(call, PARAM_SINCE, &given, &text) &&
	       (!slice_present(text) || clock_parse_rfc3339(text, since_ms) ||
		   call_fail_parameter(call, given->name, "must be a time (2026-11-21T03:38:13Z) or a date"));
}

static bool
read_tag(struct call *call, uint64_t *tag_id)
{
	struct slice text;
	return param_read_text(call, PARAM_TAG, &text) &&
	       (!slice_present(text) || definitions_read_tag(call, text, TAG_BY_ID | TAG_BY_NAME, tag_id));
}

/* False: the call has failed. */
static bool
read_filter(struct call *call, struct lead_filter *filter)
{
	return param_read_limit(call, &filter->limit) && read_cursor(call, &filter->after) &&
	       param_read_choice(call, PARAM_VERIFIED, &filter->verified) &&
	       param_read_choice(call, PARAM_WAITLISTED, &filter->waitlisted) &&
	       param_read_choice(call, PARAM_FRAUDULENT, &filter->fraudulent) &&
	       param_read_choice(call, PARAM_OPTED_OUT, &filter->opted_out) && read_since(call, &filter->since_ms) &&
	       read_tag(call, &filter->tag_id);
}

void
handle_list_leads(struct call *call)
{
	struct lead_filter filter = { .limit = PAGE_LEADS };
	struct lead_page page;
	struct payload_subject *subjects;
	const struct payload_settings *settings;
	if (!read_filter(call, &filter))
		return;
	struct list_read read = { .call = call };
	while (fetch_reads(&read))
		read.result = fetch_page(call, read.store, &filter, &page, &subjects, &settings);
	if (call_check_result(call, read.result))
		write_page(call, &page, subjects, settings, param_view(call));
}
