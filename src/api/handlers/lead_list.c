/* SPDX-License-Identifier: MIT */
#include "api/handlers/lead_list.h"

#include "api/call/call_answers.h"
#include "api/call/campaign_definitions.h"
#include "api/call/fetch.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "os/clock.h"

enum { PAGE_LEADS = 50 };

/* A page ends with the lead that exceeds this, because the total size of leads is not bounded. */
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
		json_raw(&writer, SLICE("")); /* the comma before a value written without the writer */
		payload_write(&call->response->body, settings, &subjects[i], view);
		if (call->response->body.size > PAGE_BYTES && i + 1 < page->count) {
			next = page->leads[i].subscription_number;
			break;
		}
	}
	json_end_array(&writer);
	json_key(&writer, SLICE("next"));
	if (next != 0)
		json_string(&writer, pool_printf(call->request->pool, "%u", (unsigned)next));
	else
		json_null(&writer);
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

/* The number of the last lead on the page before, so that a cursor reveals nothing about other accounts. */
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
	if (read.result == RESULT_OK)
		write_page(call, &page, subjects, settings, param_view(call));
	else
		call_fail(call, call_failure(read.result));
}
