/* SPDX-License-Identifier: MIT
 * lead erase, lead report: what is stored about a person. */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <sysexits.h>

#include "admin/data/repeat.h"
#include "admin/leads/named_lead.h"
#include "operation/value_types.h"
#include "os/clock.h"
#include "store/removal/erase.h"
#include "store/removal/person_report.h"

/* REMOTE_MS, ERASURES_MAX: limits of calls over HTTP; the latter limits the unfinished erasures of an account. */
enum { REMOTE_MS = 2000, REPORT_MS = 1000, ERASURES_MAX = 20 };

struct person_arguments {
	struct named_lead named;
	uint64_t campaign_id; /* 0: all */
	bool forget;
	struct slice after;
};
#define PLACE(member) offsetof(struct person_arguments, member)
#define PERSON                                                                                            \
	OPTION("email", value_lead_email, PLACE(named)), OPTION("phone", value_lead_phone, PLACE(named)), \
	    OPTION("campaign", value_campaign, PLACE(campaign_id))
static const struct parameter erase_parameters[] = { PERSON, OPTION("forget", value_on, PLACE(forget)) };
static const struct parameter report_parameters[] = { PERSON, OPTION("after", value_text, PLACE(after)) };
#undef PLACE

/* Reads the given address and the campaign. Returns 0, or a status after reporting the error. */
static int
read_person(struct operation_call *call, struct person *person)
{
	const struct person_arguments *arguments = ARGUMENTS(call, struct person_arguments);
	const struct lead_reference *reference = &arguments->named.references[0];
	const int status = named_lead_check(call, &arguments->named);
	struct campaign campaign;
	int64_t now_ms;
	*person = (struct person){ .campaign_id = arguments->campaign_id,
		.channel = reference->identity == LEAD_BY_PHONE ? CHANNEL_PHONE : CHANNEL_EMAIL,
		.address = reference->value,
		.typed = slice_trim(arguments->named.typed) };
	if (status == EX_OK && person->campaign_id != 0 &&
	    store_find_campaign(call->store, call->pool, person->campaign_id, &campaign, &now_ms) == RESULT_NOT_FOUND)
		return operation_fail(call, PROBLEM_NOT_FOUND, "there is no campaign %" PRIu64, person->campaign_id);
	return status;
}

/* ---- erase ---- */

static enum result
go_on(struct store *store, const void *id, struct removal_counts *counts, bool *done)
{
	return store_continue_erasure(store, id, counts, done);
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
	output_u64(output, "confirmations", counts->confirmations);
	output_u64(output, "jobs", counts->jobs);
	output_u64(output, "claims", counts->claims);
}

/* Lists other leads whose data contain the address; null if the caller may not read leads, or there was not enough time to find
 * all of them. */
static enum result
report_mentions(struct operation_call *call, const struct person *person, int64_t end_ms)
{
	if (!caller_has_right(call->caller, RIGHT_LEADS)) {
		output_text(call->output, "mentioned_by", SLICE_NONE);
		return RESULT_OK;
	}
	struct mentions found;
	const enum result result = store_find_mentions(call->store, call->pool, person, end_ms, &found);
	struct slice *leads = POOL_ARRAY(call->pool, found.count, struct slice);
	for (size_t i = 0; i < found.count; i++)
		leads[i] = pool_printf(
		    call->pool, "%" PRIu64 "/%.*s", found.items[i].campaign_id, SLICE_ARGS(found.items[i].social_id));
	if (result == RESULT_OK && (found.all || found.count == MENTIONS_MAX))
		output_texts(call->output, "mentioned_by", leads, found.count);
	else if (result == RESULT_OK)
		output_text(call->output, "mentioned_by", SLICE_NONE);
	return result;
}

static int
run_lead_erase(struct operation_call *call)
{
	struct erase_request request = { .importable = ARGUMENTS(call, struct person_arguments)->forget,
		.most = call->is_remote ? ERASURES_MAX : 0 };
	const int64_t end_ms = call->is_remote ? clock_monotonic_ms() + REMOTE_MS : CLOCK_NEVER;
	struct removal_counts counts = { 0 };
	unsigned char id[ERASURE_ID_SIZE];
	size_t leads;
	int status = read_person(call, &request.person);
	if (status != EX_OK)
		return status;
	const enum result result = store_begin_erasure(call->store, &request, id, &leads);
	if (result == RESULT_TOO_MANY)
		return operation_fail(
		    call, PROBLEM_TOO_MANY_JOBS, "%d erasures of the account have not ended: try again later", ERASURES_MAX);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	bool done = false;
	const struct removal erasure = { .go_on = go_on, .what = id, .end_ms = end_ms };
	status = removal_finish(call, &erasure, &counts, &done);
	if (status != EX_OK)
		return status;
	output_record(call->output);
	report_counts(call->output, &counts);
	output_boolean(call->output, "done", done);
	return operation_answer(call, report_mentions(call, &request.person, end_ms));
}

/* ---- report ---- */

/* Parses "LEAD.SECTION.FIRST.SECOND", in which the last two numbers are larger by one than in the place. */
static bool
parse_place(struct slice text, struct report_place *place)
{
	uint64_t numbers[4] = { 0 };
	struct slice part;
	size_t count = 0;
	while (slice_next(&text, '.', &part))
		if (count == ARRAY_SIZE(numbers) || !slice_to_u64(part, INT64_MAX, &numbers[count++]))
			return false;
	if (count != ARRAY_SIZE(numbers) || numbers[1] > UINT_MAX)
		return false;
	*place = (struct report_place){ numbers[0], (unsigned)numbers[1], (int64_t)numbers[2] - 1, (int64_t)numbers[3] - 1 };
	return store_is_report_place(place);
}

static void
add_item(struct output *output, const struct report_item *item)
{
	output_record(output);
	output_text(output, "section", slice_of(item->section));
	output_u64_or_null(output, "lead", item->lead_id);
	output_json(output, "data", item->data);
}

/* Outputs one part of the report, which is as large as an answer may be. */
static int
answer_part(struct operation_call *call, const struct person *person, struct report_place place)
{
	struct report_part part;
	const enum result result =
	    store_report_part(call->store, call->pool, person, clock_monotonic_ms() + REPORT_MS, &place, &part);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	for (size_t i = 0; i < part.count; i++)
		add_item(call->output, &part.items[i]);
	if (part.more)
		call->next = pool_printf(call->pool, "%" PRIu64 ".%u.%" PRId64 ".%" PRId64, place.lead_id, place.section,
		    place.first + 1, place.second + 1);
	return EX_OK;
}

/* Prints the items of an array, one per line. */
static bool
print_part(FILE *out, struct pool *pool, const struct report_part *part, bool *first)
{
	bool good = true;
	for (size_t i = 0; i < part->count && good; i++) {
		struct output *item = output_new(pool, OUTPUT_OBJECT);
		add_item(item, &part->items[i]);
		good = fputs(*first ? "" : ",", out) >= 0 && output_print_json(item, out);
		*first = false;
	}
	return good;
}

/* Prints all parts one after another, so that only one is in memory. */
static int
print_report(struct operation_call *call, const struct person *person, struct report_place place)
{
	struct report_part part = { .more = true };
	enum result result = RESULT_OK;
	bool good = fputs("[\n", call->out) >= 0, first = true;
	call->writes_out = true;
	while (result == RESULT_OK && part.more && good) {
		struct pool *pool = pool_new();
		result = store_report_part(call->store, pool, person, CLOCK_NEVER, &place, &part);
		good = result != RESULT_OK || print_part(call->out, pool, &part, &first);
		pool_free(&pool);
	}
	if (result == RESULT_OK && !(good && fputs("]\n", call->out) >= 0 && fflush(call->out) == 0))
		return operation_fail(call, PROBLEM_INTERNAL, "the report cannot be written");
	return operation_answer(call, result);
}

static int
run_lead_report(struct operation_call *call)
{
	const struct slice after = ARGUMENTS(call, struct person_arguments)->after;
	struct report_place place = REPORT_BEGINNING;
	struct person person;
	const int status = read_person(call, &person);
	if (status != EX_OK)
		return status;
	if (slice_present(after) && !parse_place(after, &place))
		return operation_fail_value(
		    call, PROBLEM_INVALID, "after", "expected the place that the part before has named");
	return call->is_remote ? answer_part(call, &person, place) : print_report(call, &person, place);
}

OPERATION(lead_erase, "lead erase", "--email|--phone VALUE [--campaign ID] [--forget]",
    "delete all that is stored about a person", run_lead_erase, PARAMETERS(erase_parameters, struct person_arguments),
    HTTP(POST, "campaigns/{campaign}/erase", RIGHT_CHANGE), .effect = CHANGES, .cost = SEARCHES, .needs_password = true);
OPERATION(lead_report, "lead report", "--email|--phone VALUE [--campaign ID] [--after PLACE]",
    "show all that is stored about a person", run_lead_report, PARAMETERS(report_parameters, struct person_arguments),
    .shape = OUTPUT_ARRAY, HTTP(POST, "campaigns/{campaign}/report", RIGHT_LEADS), .effect = CHANGES, .cost = SEARCHES);
