/* SPDX-License-Identifier: MIT
 * Operations about one lead, whose JSON is that of the API. */
#include "admin/leads/lead_operations.h"

#include <inttypes.h>

#include "admin/leads/named_lead.h"
#include "engine/id_list.h"
#include "json/reader.h"
#include "json/writer.h"
#include "operation/value_types.h"
#include "store/codes/lead_codes.h"
#include "store/operator/lead_names.h"
#include "store/shown_leads.h"

enum result
lead_render(struct operation_call *call, const struct payload_subject *subject, struct slice *json)
{
	const struct payload_settings *settings;
	struct buffer out;
	enum result result = store_payload_settings(call->store, &settings);
	if (result != RESULT_OK)
		return result;
	buffer_init(&out, PAYLOAD_MAX_BYTES);
	payload_write(&out, settings, subject, (struct payload_view){ .full = true });
	result = buffer_ok(&out) ? RESULT_OK : RESULT_FAILED;
	*json = pool_copy(call->pool, buffer_slice(&out));
	buffer_free(&out);
	return result;
}

void
lead_put_origin(struct json_writer *writer, const struct lead *lead)
{
	json_begin_object(writer);
	json_put_text(writer, SLICE("source"), lead->source);
	json_put_text(writer, SLICE("signup_url"), lead->signup_url);
	json_put_text(writer, SLICE("referrer"), lead->referrer);
	json_put_text(writer, SLICE("parent_id"), lead->parent_social_id);
	json_put_text(writer, SLICE("ip"), lead->ip);
	json_put_text(writer, SLICE("user_agent"), lead->user_agent);
	json_put_text(writer, SLICE("session_id"), lead->session_id);
	json_put_text(writer, SLICE("request_id"), lead->request_id);
	json_end_object(writer);
}

enum { SHOWN_DEPTH = 32 };

/* Converts a payload to one line per value. The name of a member of a nested object is like "utm.source"; an array becomes one
 * line. */
struct payload_flattener {
	struct output *output;
	struct pool *pool;
	struct slice keys[SHOWN_DEPTH + 1]; /* by depth */
	bool object_begun;                  /* the last event began an object */
	size_t arrays, array_depth;         /* arrays around the value; depth of the outermost one */
	struct buffer items;                /* the items of the outermost array */
};

static void
add_line(struct payload_flattener *flat, size_t depth, struct slice value)
{
	struct slice path = flat->keys[1];
	for (size_t i = 2; i <= depth; i++)
		path = pool_printf(flat->pool, "%.*s.%.*s", SLICE_ARGS(path), SLICE_ARGS(flat->keys[i]));
	output_text(flat->output, pool_string(flat->pool, path), pool_copy(flat->pool, value));
}

/* Separates items by commas, and values inside an item by spaces. */
static void
add_item(struct payload_flattener *flat, const struct json_event *event, struct slice text)
{
	if (flat->items.size > 0)
		buffer_add_text(&flat->items, event->depth == flat->array_depth + 1 ? ", " : " ");
	buffer_add(&flat->items, text);
}

static bool
flatten(void *context, const struct json_event *event)
{
	struct payload_flattener *flat = context;
	struct slice text = event->text;
	const bool object_begun = flat->object_begun;
	flat->object_begun = event->type == JSON_OBJECT_BEGIN;
	switch (event->type) {
	case JSON_KEY:
		flat->keys[event->depth] = pool_copy(flat->pool, event->text);
		return true;
	case JSON_OBJECT_BEGIN:
		return true;
	case JSON_OBJECT_END:
		if (object_begun && flat->arrays == 0)
			add_line(flat, event->depth, SLICE_NONE); /* the object is empty */
		return true;
	case JSON_ARRAY_BEGIN:
		if (flat->arrays++ == 0) {
			flat->array_depth = event->depth;
			buffer_clear(&flat->items);
		}
		return true;
	case JSON_ARRAY_END:
		if (--flat->arrays == 0)
			add_line(flat, event->depth, flat->items.size > 0 ? buffer_slice(&flat->items) : SLICE_NONE);
		return true;
	case JSON_NULL:
		text = SLICE_NONE;
		break;
	case JSON_BOOLEAN:
		text = event->boolean ? SLICE("yes") : SLICE("no");
		break;
	case JSON_NUMBER:
	case JSON_STRING:
		break;
	}
	if (flat->arrays > 0)
		add_item(flat, event, text);
	else
		add_line(flat, event->depth, text);
	return true;
}

static int
show(struct operation_call *call, struct slice json)
{
	struct payload_flattener flat = { .output = call->output, .pool = call->pool };
	struct json_problem problem;
	output_json_record(call->output, json);
	buffer_init(&flat.items, PAYLOAD_MAX_BYTES);
	bool read = json_read(json, SHOWN_DEPTH, flatten, &flat, &problem);
	buffer_free(&flat.items);
	return read ? EX_OK
		    : operation_fail(
			  call, PROBLEM_INTERNAL, "what is stored of the lead is not valid JSON: %s", problem.message);
}

/* A level that was removed after the lead had reached it has no subject. */
static void
put_rewards(struct json_writer *writer, const struct lead *lead, const struct definitions *definitions)
{
	struct slice rest = lead->reward_ids;
	uint64_t id;
	json_name(writer, SLICE("rewards"));
	json_begin_array(writer);
	while (id_list_next(&rest, &id)) {
		struct slice subject = SLICE_NONE;
		for (size_t i = 0; i < definitions->reward_count; i++)
			if (definitions->rewards[i].id == id)
				subject = definitions->rewards[i].subject;
		json_begin_object(writer);
		json_put_u64(writer, SLICE("reward_id"), id);
		json_put_text(writer, SLICE("subject"), subject);
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* `parent` may be NULL. */
static void
put_parent(struct json_writer *writer, const struct lead_name *parent)
{
	json_name(writer, SLICE("parent"));
	if (parent == NULL) {
		json_null(writer);
		return;
	}
	json_begin_object(writer);
	json_put_text(writer, SLICE("social_id"), parent->social_id);
	json_put_text(writer, SLICE("display_name"), parent->display_name);
	json_put_text(writer, SLICE("email"), parent->email);
	json_end_object(writer);
}

/* The payload with further members. In the call's pool. */
static struct slice
with_details(struct operation_call *call, struct slice payload, const struct lead *lead, const struct lead_name *parent,
    const struct definitions *definitions)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, 2 * PAYLOAD_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_object_with(&writer, payload);
	put_parent(&writer, parent);
	json_put_text(&writer, SLICE("language"), lead->language);
	json_put_boolean(&writer, SLICE("bounced"), lead->bounced);
	json_put_raw(&writer, SLICE("fraud_reasons"), slice_present(lead->fraud_flags) ? lead->fraud_flags : SLICE("[]"));
	json_put_u64(&writer, SLICE("times_flagged"), lead->times_flagged);
	put_rewards(&writer, lead, definitions);
	json_name(&writer, SLICE("origin"));
	lead_put_origin(&writer, lead);
	json_end_object(&writer);
	const struct slice json = pool_copy(call->pool, buffer_slice(&out));
	buffer_free(&out);
	return json;
}

static int
run_lead_show(struct operation_call *call)
{
	const struct named_lead *named = ARGUMENTS(call, struct named_lead);
	struct payload_subject *subject;
	struct lead lead;
	struct lead_names parent = { 0 };
	struct slice json;
	const int status = named_lead_find_with_origin(call, named, &lead);
	if (status != EX_OK)
		return status;
	enum result result = store_look_up(call->store, call->pool, call->id, &named->references[0], &subject);
	if (result == RESULT_OK)
		result = lead_render(call, subject, &json);
	if (result == RESULT_OK && lead.parent_id != 0)
		result = store_name_leads(call->store, call->pool, &(uint64_t){ lead.parent_id }, 1, &parent);
	if (result != RESULT_OK)
		return named_lead_answer(call, result);
	return show(call, with_details(call, json, &lead, lead_name_of(&parent, lead.parent_id), subject->definitions));
}

static int
run_lead_code(struct operation_call *call)
{
	const struct named_lead *named = ARGUMENTS(call, struct named_lead);
	struct lead lead;
	struct slice code;
	int64_t expires_ms;
	const int status = named_lead_find(call, named, &lead);
	if (status != EX_OK)
		return status;
	if (!slice_present(lead.phone))
		return operation_fail(call, PROBLEM_CONFLICT, "the lead has no phone number");
	if (lead.verified_phone)
		return operation_fail(call, PROBLEM_CONFLICT, "the phone number of the lead is verified already");
	const struct lead_code code_for = { CHANNEL_PHONE, lead.id, lead.phone };
	const enum result result = lead_code_make(call->store, call->pool, &code_for, CODE_RESETS_TRIES, &code, &expires_ms);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	output_record(call->output);
	output_text(call->output, "code", code);
	output_text(call->output, "phone_number", lead.phone);
	output_time(call->output, "expires_at", expires_ms);
	return EX_OK;
}

OPERATION(lead_show, "lead show", "CAMPAIGN --email|--phone|--social-id VALUE", "show a lead with all its fields",
    run_lead_show, .subject = &subject_campaign, PARAMETERS(lead_parameters, struct named_lead),
    HTTP(GET, "campaigns/{campaign}/leads/{social_id}", RIGHT_LEADS));
OPERATION(lead_code, "lead code", "CAMPAIGN --email|--phone|--social-id VALUE",
    "make a code that verifies the phone number of a lead", run_lead_code, .subject = &subject_campaign,
    PARAMETERS(lead_parameters, struct named_lead),
    HTTP(POST, "campaigns/{campaign}/leads/{social_id}/code", RIGHT_LEADS | RIGHT_CHANGE), .all_rights = true,
    .effect = CHANGES);
