/* SPDX-License-Identifier: MIT */
#include "api/inbound/inbound_payload.h"

#include <string.h>

#include "api/call/call_answers.h"
#include "api/call/call_body.h"
#include "api/call/param_values.h"
#include "http/header.h"

/* Limits of a form, before it is mapped. */
enum { FORM_FIELDS = 1000, FORM_NAME_BYTES = 255, CHALLENGE_MAX_BYTES = 1024 };

#define FORM_TYPE SLICE("application/x-www-form-urlencoded")

/* Reads every name in the same way, because names have no meaning before they are mapped. Unreadable parts, such as files, do
 * not prevent a lead. */
static enum http_name_kind
kind_in_payload(struct slice name UNUSED)
{
	return HTTP_NAME_INFORMS;
}

/* Reads a form. If the body is neither a form nor JSON, reports that. False: the call has failed. */
static bool
read_form(struct call *call, struct document_node **root)
{
	static const struct http_names names = { .kind_of = kind_in_payload };
	struct pool *pool = call->request->pool;
	struct http_caps caps = HTTP_CAPS_DEFAULT;
	struct http_params *params;
	struct http_problem problem;
	caps.parameters = FORM_FIELDS;
	caps.name_bytes = FORM_NAME_BYTES;
	caps.value_bytes = call->request->body.size + 1;
	if (!http_params_parse_body(http_params_new(pool, &caps, &names), call->request, &params, &problem))
		return call_fail_body(call, &problem);
	*root = document_new(pool);
	for (size_t i = 0; i < http_params_count(params); i++)
		param_tree_add(pool, *root, http_params_at(params, i));
	return true;
}

/* Whether the body has one JSON value per line: these types have no registered name. */
static bool
is_lines(struct slice type)
{
	static const struct slice words[] = { SLICE("ndjson"), SLICE("jsonl"), SLICE("json-lines"), SLICE("jsonlines") };
	const struct slice name = slice_present(type) ? http_header_value(&type) : SLICE("");
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (slice_ends_with(name, words[i]))
			return true;
	return false;
}

static bool
read_document(struct call *call, struct document_node **root)
{
	const struct http_request *request = call->request;
	const size_t depth = call->api->options->caps.depth;
	struct slice json, problem;
	if (slice_starts_with(slice_trim(request->body), SLICE("<")))
		return call_fail_with(call, FAILURE_UNSUPPORTED_MEDIA_TYPE,
		    SLICE("XML and HTML are not read: the sender must send JSON or a form"));
	if (is_lines(request->content_type))
		return document_read_lines(request->pool, request->body, depth, root) ||
		       call_fail_with(call, FAILURE_INVALID_JSON, SLICE("The payload has too many lines"));
	if (!http_body_json(request, &json) || json.size == 0)
		return read_form(call, root);
	if (document_read_json(request->pool, json, depth, root, &problem))
		return true;
	return call_fail_with(call, FAILURE_INVALID_JSON, POOL_JOIN(request->pool, SLICE(HTTP_INVALID_JSON_MESSAGE), problem));
}

bool
inbound_payload_read(struct call *call, struct inbound_payload *payload)
{
	struct http_request *request = call->request;
	struct document_node *root;
	*payload = (struct inbound_payload){ .from_query = request->method == HTTP_GET || request->body.size == 0 };
	if (payload->from_query && slice_present(request->query)) {
		request->body = request->query;
		request->content_type = FORM_TYPE;
	}
	if (!mapping_parse(request->pool, call->inbound.map, &payload->map))
		return call_fail(call, FAILURE_INTERNAL);
	if (!call_read_encoding(call, call->api->options->body_bytes) || !read_document(call, &root))
		return false;
	payload->list = mapping_entries(request->pool, &payload->map, root);
	return true;
}

bool
inbound_payload_has_person(struct call *call, const struct inbound_payload *payload)
{
	static const struct slice targets[] = { SLICE("email"), SLICE("phone_number"), MAPPING_TEXT };
	struct mapped_field *fields;
	const size_t count = mapping_apply(call->request->pool, &payload->map, &payload->list, 0, &fields);
	for (size_t i = 0; i < count; i++) {
		const struct document_node *value = fields[i].value;
		const bool empty = value->type == DOCUMENT_NULL || (value->type == DOCUMENT_STRING && value->text.size == 0);
		if (!empty && slice_is_one_of(fields[i].target, targets, ARRAY_SIZE(targets)))
			return true;
	}
	return false;
}

/* ---- Challenges ---- */

/* The names in a query: those of Meta and WebSub, Dropbox, and Microsoft Graph. */
static const struct slice challenges[] = { SLICE("hub.challenge"), SLICE("challenge"), SLICE("validationToken") };

/* Whether the text contains nothing that a browser could interpret as a page or a script. */
static bool
is_harmless(struct slice text)
{
	if (text.size == 0 || text.size > CHALLENGE_MAX_BYTES)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_alpha(text.data[i]) && !ascii_is_digit(text.data[i]) &&
		    (text.data[i] == '\0' || strchr("-._~+/=:, ", text.data[i]) == NULL))
			return false;
	return true;
}

static struct slice
text_of(const struct document_node *object, struct slice name)
{
	const struct document_node *member = object->type == DOCUMENT_OBJECT ? document_child(object, name) : NULL;
	const bool scalar = member != NULL && (member->type == DOCUMENT_STRING || member->type == DOCUMENT_NUMBER);
	return scalar ? member->text : SLICE_NONE;
}

struct slice
inbound_payload_challenge(const struct inbound_payload *payload)
{
	const struct document_node *root = payload->list.root;
	struct slice text = SLICE_NONE;
	if (slice_equal(text_of(root, SLICE("type")), SLICE("url_verification"))) /* Slack */
		text = text_of(root, SLICE("challenge"));
	for (size_t i = 0; i < ARRAY_SIZE(challenges) && payload->from_query && !slice_present(text); i++)
		text = text_of(root, challenges[i]);
	return slice_present(text) && is_harmless(text) ? text : SLICE_NONE;
}
