/* SPDX-License-Identifier: MIT */
#include "api/call/page_forms.h"

#include "api/call/call_answers.h"
#include "api/call/fetch.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/page_origin.h"
#include "api/call/param_names.h"
#include "bots/form_traps.h"
#include "engine/visitors.h"
#include "http/http_text.h"
#include "http/link_query.h"
#include "identity/social_id.h"
#include "page/failures.h"

/* Parameters that the page of a campaign sends in addition to its fields. With longer texts, the body would be too large for a
 * call without a key. */
enum { CARRIED_MAX_BYTES = 2000 };
static const struct slice carried_names[] = { SLICE("kid"), SLICE("__url"), SLICE("__referrer") };
enum { KID, URL, REFERRER, CARRIED };

/* The text of a parameter of the body; absent: it is empty, an array, or not in the body. */
static struct slice
typed(const struct call *call, struct slice name)
{
	struct slice text;
	const struct http_param *param = call->params == NULL ? NULL : http_params_find(call->params, name);
	if (param == NULL || param->origin != HTTP_ORIGIN_BODY || !http_value_string(&param->value, &text) || text.size == 0)
		return SLICE_NONE;
	return text;
}

/* The query of the page. In a frame, it comes after the query of the page around it, if the browser sends that, because the
 * last value of a parameter is used. */
static struct slice
query_of_page(const struct call *call)
{
	const struct http_request *request = call->request;
	const struct slice around = slice_sub(request->referer, slice_find(request->referer, '?') + 1, request->referer.size);
	const bool framed =
	    slice_equal(request->fetch_dest, SLICE("iframe")) || slice_equal(request->fetch_dest, SLICE("frame"));
	if (!framed || around.size == 0 || around.size + request->query.size >= CARRIED_MAX_BYTES)
		return request->query;
	return request->query.size == 0 ? around : POOL_JOIN(request->pool, around, SLICE("&"), request->query);
}

/* The last valid `kid` in a query, or absent. */
static struct slice
kid_of(struct pool *pool, struct slice query)
{
	struct slice rest = http_link_query(pool, query), one, id, kid = SLICE_NONE;
	while (slice_next(&rest, '&', &one))
		if (slice_starts_with(one, SLICE("kid=")) &&
		    social_id_parse(pool, slice_sub(one, sizeof("kid=") - 1, one.size), &id))
			kid = id;
	return kid;
}

/* Reads from the URL of the page and from its referrer where the visitor comes from. */
static void
carry(struct call *call, const struct page *page, struct slice *values)
{
	struct pool *pool = page->pool;
	const struct slice query = query_of_page(call);
	values[KID] = kid_of(pool, query);
	if (slice_present(page->base_url) && query.size < CARRIED_MAX_BYTES)
		values[URL] =
		    http_text_clean(pool, call_page_url(call, POOL_JOIN(pool, query.size > 0 ? SLICE("?") : SLICE(""), query)));
	if (call->request->referer.size < CARRIED_MAX_BYTES)
		values[REFERRER] = http_text_clean(pool, call->request->referer);
}

static const struct slice stamp_name = SLICE("__stamp"), proof_name = SLICE("altcha"), version_name = SLICE("consent_version");

/* Whether the form needs proof of work: always, or because it was just refused without it. */
static bool
needs_proof(const struct call *call, enum failure failure)
{
	const uint32_t bots = call->campaign.bots;
	return bots == BOTS_PROOF || bots == BOTS_PROOF_OR_CONFIRM || failure == FAILURE_PROOF_REQUIRED ||
	       failure == FAILURE_PROOF_INVALID;
}

/* Adds the fields that the campaign's rules against bots require in a form (docs/api.md 8), unless the server secret cannot be
 * read. `hidden` must have room for one more field. */
static void
add_bot_fields(
    struct call *call, const struct page *page, enum failure failure, struct page_hidden *hidden, struct page_form *form)
{
	struct pool *pool = page->pool;
	const struct payload_settings *settings;
	char *name = pool_bytes(pool, HONEYPOT_NAME_SIZE);
	if (call->campaign.bots == BOTS_OFF || store_payload_settings(call->api->store, &settings) != RESULT_OK)
		return;
	form->honeypot = honeypot_name(name, settings->server_secret, call->campaign.id);
	hidden[form->hidden_count++] =
	    (struct page_hidden){ stamp_name, stamp_make(pool, settings->server_secret, call->campaign.id, call->now_ms) };
	if (needs_proof(call, failure))
		form->challenge_url = page_path(page, SLICE("/challenge"));
	form->needs_script = call->campaign.bots == BOTS_PROOF;
}

/* Carries the values of the first page over to each form that is sent, and reads the consent. */
static void
read_carried(struct call *call, const struct page *page, struct page_form *form)
{
	struct slice values[CARRIED] = { SLICE_NONE, SLICE_NONE, SLICE_NONE };
	struct page_hidden *hidden = POOL_ARRAY(page->pool, CARRIED + 2, struct page_hidden);
	const struct slice version = looks_consent_version(page->pool, &page->looks);
	if (call->request->method == HTTP_POST)
		for (size_t i = 0; i < CARRIED; i++)
			values[i] = typed(call, carried_names[i]);
	else
		carry(call, page, values);
	for (size_t i = 0; i < CARRIED; i++)
		if (values[i].size > 0)
			hidden[form->hidden_count++] = (struct page_hidden){ carried_names[i], values[i] };
	if (slice_present(version))
		hidden[form->hidden_count++] = (struct page_hidden){ version_name, version };
	/* the consent is valid only for the text that was shown; the form of another page cannot tick the box */
	form->consents = slice_present(typed(call, SLICE("consent"))) && slice_equal(typed(call, version_name), version);
	form->is_ticked = form->consents && call_is_from_hosted_page(call);
	add_bot_fields(call, page, call->failure, hidden, form);
	form->hidden = hidden;
}

bool
call_read_page_form(struct call *call, const struct page *page, struct page_fields *fields, struct page_form *form)
{
	struct slice problem = SLICE_NONE;
	if (!page_form_begin(page, fields, form, &problem)) {
		log_error("page_fields_invalid", LOG_UINT("campaign", call->campaign.id), LOG_BYTES("problem", problem));
		return call_fail(call, FAILURE_INTERNAL);
	}
	form->value_bytes = call->api->options->caps.value_bytes;
	for (size_t i = 0; i < fields->count; i++)
		form->values[i] = typed(call, fields->items[i].name);
	read_carried(call, page, form);
	return true;
}

/* ---- the form again ---- */

/* Returns false when the page cannot be made. */
static bool
answer_hosted(struct call *call, struct page *page, enum failure failure)
{
	struct page_fields fields;
	struct page_form form;
	if (call_read_looks(call, page) != RESULT_OK || !call_read_page_form(call, page, &fields, &form))
		return false;
	/* if the values are accepted, the failure is that of the sign-up itself */
	if (page_form_judge(page, &form) || !page_failure_is_about_values(failure))
		form.failure = failure;
	call_page_headers(call, page, PAGE_FORM);
	page_write_signup(page, &form);
	return true;
}

/* The path and the query of the request, as the browser sent them. */
static struct slice
own_path(const struct call *call, const struct page *page)
{
	const struct slice query = call->request->query;
	struct slice path = page->root;
	for (size_t i = 0; i < call->request->segment_count; i++)
		path = POOL_JOIN(page->pool, path, SLICE("/"), call->request->segments[i]);
	return query.size == 0 ? path : POOL_JOIN(page->pool, path, SLICE("?"), http_text_clean(page->pool, query));
}

/* The values of an array of the body, as a form sends them. */
static void
hide_array(const struct page *page, const struct http_param *param, struct page_form *form, struct page_hidden *hidden)
{
	const struct slice name = POOL_JOIN(page->pool, param->name, SLICE("[]"));
	struct slice text;
	for (size_t i = 0; i < param->value.item_count; i++)
		if (http_value_string(&param->value.items[i], &text))
			hidden[form->hidden_count++] = (struct page_hidden){ name, text };
}

static size_t
count_values(const struct http_params *params)
{
	size_t count = 0;
	for (size_t i = 0; i < http_params_count(params); i++) {
		const struct http_value *value = &http_params_at(params, i)->value;
		count += value->type == HTTP_ARRAY ? value->item_count : 1;
	}
	return count;
}

/* Adds all other parameters of the body as hidden fields, except proof and stamp, which are used up. */
static void
hide_others(struct call *call, const struct page *page, const struct page_fields *fields, struct page_form *form)
{
	const size_t count = http_params_count(call->params);
	struct page_hidden *hidden = POOL_ARRAY(page->pool, count_values(call->params) + 2, struct page_hidden);
	/* the URL of the form's page, from which values are read (docs/api.md 1.4), would be lost */
	if (http_params_value(call->params, carried_names[URL]) == NULL && call->request->referer.size > 0 &&
	    call->request->referer.size < CARRIED_MAX_BYTES)
		hidden[form->hidden_count++] =
		    (struct page_hidden){ carried_names[URL], http_text_clean(page->pool, call->request->referer) };
	for (size_t i = 0; i < count; i++) {
		const struct http_param *param = http_params_at(call->params, i);
		const struct slice name = param->name, value = typed(call, name);
		const bool shown =
		    slice_equal(name, stamp_name) || slice_equal(name, proof_name) || page_fields_have(fields, name);
		if (!shown && param->origin == HTTP_ORIGIN_BODY && param->value.type == HTTP_ARRAY)
			hide_array(page, param, form, hidden);
		else if (!shown && slice_present(value))
			hidden[form->hidden_count++] = (struct page_hidden){ name, value };
	}
	add_bot_fields(call, page, form->failure, hidden, form);
	form->hidden = hidden;
}

/* Adds a field for each value that is too long, labelled with the name of the parameter, so that the visitor can shorten it. */
static void
show_long_values(struct call *call, struct page_fields *fields)
{
	for (size_t i = 0; i < http_params_count(call->params) && fields->count < PAGE_FIELDS_MAX; i++) {
		const struct slice name = http_params_at(call->params, i)->name;
		if (typed(call, name).size > call->api->options->caps.value_bytes && !page_fields_have(fields, name))
			fields->items[fields->count++] =
			    (struct page_field){ .name = name, .type = PAGE_FIELD_TEXTAREA, .label = name };
	}
}

/* Of a form on another site, only the identifiers are known. The page shows those that the form sent, or if it sent none, the
 * email address. */
static bool
answer_foreign(struct call *call, struct page *page, enum failure failure)
{
	const bool has_email = http_params_value(call->params, SLICE("email")) != NULL;
	const bool has_number = http_params_value(call->params, SLICE("phone_number")) != NULL;
	struct page_fields fields;
	struct slice problem;
	if (!page_fields_parse(page->pool,
		!has_number ? SLICE("email")
		: has_email ? SLICE("email; phone_number")
			    : SLICE("phone_number"),
		&fields, &problem))
		return call_fail(call, FAILURE_INTERNAL);
	show_long_values(call, &fields);
	struct page_form form = { .action = own_path(call, page), .fields = &fields, .failure = failure };
	form.value_bytes = call->api->options->caps.value_bytes;
	for (size_t i = 0; i < fields.count; i++) {
		form.values[i] = typed(call, fields.items[i].name);
		if (form.values[i].size > form.value_bytes)
			form.verdicts[i] = PAGE_VALUE_TOO_LONG;
	}
	hide_others(call, page, &fields, &form);
	call_page_headers(call, page, PAGE_FORM);
	page_write_failed_form(page, &form);
	return true;
}

/* Whether the form can succeed when it is sent again, perhaps later or with another value. */
static bool
can_repeat(const struct call *call)
{
	static const unsigned statuses[] = { 406, 413, 422, 429, 500, 503 };
	bool found = false;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		found = found || statuses[i] == call->response->status;
	return found && call->failure != FAILURE_INVALID_JSON && call->request->body_state == HTTP_BODY_WHOLE;
}

/* Whether the campaign accepts the form. A limit may have refused the call before its campaign was looked up. */
static bool
finds_campaign(struct call *call)
{
	uint64_t id;
	if (call->campaign.id == 0 && call->route->campaign == CAMPAIGN_IN_PATH && call->response->status != 503 &&
	    !call_would_wait(call, WAIT_READ) && slice_to_u64(call->request->segments[1], INT64_MAX, &id) &&
	    fetch_campaign(call, id) != RESULT_OK)
		call->campaign = (struct campaign){ 0 };
	return call->campaign.id == 0 ? (call->route->flags & ROUTE_HOSTED) == 0 : call_refusal(call) == FAILURE_NONE;
}

/* Reads what was typed, even if the call failed before it was counted or its body was read. */
static bool
read_typed(struct call *call)
{
	const struct http_names names = param_names(call->route);
	if (!can_repeat(call) || (!call->counted && !call_pass_form(call)) || !finds_campaign(call))
		return false;
	call->params = http_params_parse_typed(call->request, &call->api->options->caps, &names);
	return http_params_count(call->params) > 0;
}

void
call_answer_failed_form(struct call *call)
{
	const unsigned status = call->response->status;
	const enum failure failure = call->failure;
	if (read_typed(call)) {
		struct page page = call_begin_page(call);
		const bool hosted = (call->route->flags & ROUTE_HOSTED) != 0;
		if (hosted ? answer_hosted(call, &page, failure) : answer_foreign(call, &page, failure)) {
			call->response->status = status;
			return;
		}
	}
	call_fail_page(call);
	if (call->failure == failure)
		call->response->status = status;
}
