/* SPDX-License-Identifier: MIT
 * lead erase, lead report: what is stored about a person. */
#include <inttypes.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/commands.h"
#include "admin/values.h"
#include "base/clock.h"
#include "store/removal/removal.h"
#include "json/writer.h"

enum { TRIES = 4, REMOTE_MS = 2000, REPORT_MAX_BYTES = 256 * 1024 * 1024 };

static bool
exists(struct admin_call *call, uint64_t campaign_id)
{
	struct campaign campaign;
	int64_t now_ms;
	return store_find_campaign(call->store, call->pool, campaign_id, &campaign, &now_ms) != RESULT_NOT_FOUND;
}

/* The address of the options, and the campaign. Returns 0, or a status after reporting the error. */
static int
read_person(struct admin_call *call, struct person *person)
{
	static const struct value_option campaign[] = { { OPTION_CAMPAIGN, value_id, 0, "the id of a campaign" } };
	struct lead_reference reference = { 0 };
	*person = (struct person){ 0 };
	const int status = admin_lead_reference(call, &reference);
	if (status != EX_OK)
		return status;
	if (!values_take(call, campaign, ARRAY_SIZE(campaign), &person->campaign_id))
		return EX_DATAERR;
	if (person->campaign_id != 0 && !exists(call, person->campaign_id))
		return admin_fail(call, PROBLEM_NOT_FOUND, "there is no campaign %" PRIu64, person->campaign_id);
	const bool phone = reference.identity == LEAD_BY_PHONE;
	person->channel = phone ? CHANNEL_PHONE : CHANNEL_EMAIL;
	person->address = reference.value;
	person->typed = slice_trim(slice_of(call->options[phone ? OPTION_PHONE : OPTION_EMAIL]));
	return EX_OK;
}

/* ---- erase ---- */

/* *done: false when a remote call has worked for long enough, and the dispatcher goes on. */
static int
erase(struct admin_call *call, const unsigned char id[REMOVAL_ID_SIZE], struct removal_counts *counts, bool *done)
{
	unsigned failures = 0;
	const int64_t end_ms = clock_monotonic_ms() + REMOTE_MS;
	for (*done = false; !*done && (!call->is_remote || clock_monotonic_ms() < end_ms);) {
		const enum result result = store_continue_erasure(call->store, id, counts, done);
		if (result == RESULT_OK) {
			failures = 0;
			continue;
		}
		if (result == RESULT_FAILED)
			return admin_answer(call, result);
		if (call->is_remote)
			break;
		if (++failures == TRIES)
			return admin_fail(call, PROBLEM_INCOMPLETE,
			    "the database is out of reach: the dispatcher erases the rest; leadhook status shows whether any "
			    "is left");
		sleep(1);
	}
	return EX_OK;
}

static void
report_counts(struct output *output, const struct removal_counts *counts)
{
	output_u64(output, "leads", counts->leads);
	output_u64(output, "events", counts->events);
	output_u64(output, "pending_deliveries", counts->pending);
	output_u64(output, "ended_deliveries", counts->ended);
	output_u64(output, "messages", counts->messages);
	output_u64(output, "inbound_calls", counts->calls);
}

/* Leads of others that have the address in a field of theirs. */
static enum result
report_mentions(struct admin_call *call, const struct person *person)
{
	if ((caller_rights(call->caller) & RIGHT_LEADS) == 0) {
		output_text(call->output, "mentioned_by", SLICE_NONE);
		return RESULT_OK;
	}
	struct mention *mentions;
	size_t count;
	const enum result result = store_find_mentions(call->store, call->pool, person, &mentions, &count);
	struct slice *leads = POOL_ARRAY(call->pool, count, struct slice);
	for (size_t i = 0; i < count; i++)
		leads[i] =
		    pool_printf(call->pool, "%" PRIu64 "/%.*s", mentions[i].campaign_id, SLICE_ARGS(mentions[i].social_id));
	if (result == RESULT_OK)
		output_texts(call->output, "mentioned_by", leads, count);
	return result;
}

int
admin_lead_erase(struct admin_call *call)
{
	struct erase_request request = { .importable = call->options[OPTION_IMPORTABLE] != NULL };
	struct removal_counts counts = { 0 };
	unsigned char id[REMOVAL_ID_SIZE];
	size_t leads;
	int status = read_person(call, &request.person);
	if (status != EX_OK)
		return status;
	const enum result result = store_begin_erasure(call->store, &request, id, &leads);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	bool done = false;
	status = erase(call, id, &counts, &done);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	report_counts(call->output, &counts);
	output_boolean(call->output, "done", done);
	return admin_answer(call, report_mentions(call, &request.person));
}

/* ---- report ---- */

static void
write_sections(const struct report_section *report, size_t count, struct json_writer *json)
{
	json_begin_object(json);
	for (size_t i = 0; i < count; i++) {
		json_key(json, slice_of(report[i].name));
		json_begin_array(json);
		for (size_t k = 0; k < report[i].count; k++)
			json_raw(json, report[i].items[k]);
		json_end_array(json);
	}
	json_end_object(json);
}

static enum result
write_lead(struct admin_call *call, const struct lead *lead, struct json_writer *json)
{
	struct report_section report[REPORT_SECTIONS];
	const enum result result = store_report_lead(call->store, call->pool, lead->id, report);
	if (result == RESULT_OK)
		write_sections(report, REPORT_SECTIONS, json);
	return result;
}

static enum result
write_leads(struct admin_call *call, const struct lead *leads, size_t count, struct json_writer *json)
{
	enum result result = RESULT_OK;
	json_begin_array(json);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		result = write_lead(call, &leads[i], json);
	json_end_array(json);
	return result;
}

/* What has been written since the last time. */
static enum result
take(struct admin_call *call, struct buffer *out, enum result result, const char *name)
{
	if (result == RESULT_OK && !buffer_ok(out))
		result = RESULT_FAILED;
	if (result == RESULT_OK)
		output_json(call->output, name, pool_copy(call->pool, buffer_slice(out)));
	buffer_clear(out);
	return result;
}

static enum result
report(struct admin_call *call, const struct person *person, const struct lead *leads, size_t count)
{
	struct report_section found[REPORT_FOUND_SECTIONS];
	struct buffer out;
	struct json_writer json;
	buffer_init(&out, REPORT_MAX_BYTES);
	json_writer_init(&json, &out);
	output_record(call->output);
	enum result result = take(call, &out, write_leads(call, leads, count, &json), "leads");
	if (result == RESULT_OK)
		result = store_report_found(call->store, call->pool, person, leads, count, found);
	json_writer_init(&json, &out);
	if (result == RESULT_OK)
		write_sections(found, REPORT_FOUND_SECTIONS, &json);
	result = take(call, &out, result, "found");
	buffer_free(&out);
	return result == RESULT_OK ? report_mentions(call, person) : result;
}

int
admin_lead_report(struct admin_call *call)
{
	struct person person;
	struct lead *leads;
	size_t count;
	const int status = read_person(call, &person);
	if (status != EX_OK)
		return status;
	enum result result = store_find_leads_of(call->store, call->pool, &person, &leads, &count);
	if (result == RESULT_OK)
		result = report(call, &person, leads, count);
	return admin_answer(call, result);
}
