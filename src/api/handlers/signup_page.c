/* SPDX-License-Identifier: MIT */
#include "api/handlers/signup_page.h"

#include "api/call/call_answers.h"
#include "api/call/forms.h"
#include "api/call/page_answers.h"
#include "api/call/page_forms.h"
#include "api/handlers/lead_calls.h"
#include "base/encode.h"
#include "page/form_json.h"

/* ---- the sign-up page ---- */

void
handle_signup_page(struct call *call)
{
	struct page page;
	struct page_fields fields;
	struct page_form form;
	if (call->campaign.require_key) {
		call_fail(call, FAILURE_MISSING_API_KEY);
		return;
	}
	if (!call_begin_looks(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	call_page_headers(call, &page, PAGE_PUBLIC);
	page_write_signup(&page, &form);
}

/* The campaign's language, else that of the page around the form, else the browser's. */
static void
prefer_language(const struct call *call, struct page *page)
{
	enum text_language language;
	struct slice code;
	if (!text_language_parse(call->campaign.language, &language) &&
	    http_value_string(http_params_value(call->params, SLICE("language")), &code) &&
	    text_language_parse(code, &language))
		page->language = language;
}

/* The form for a script that shows it in another page. */
void
handle_form(struct call *call)
{
	struct page page = call_begin_page(call);
	struct page_fields fields;
	struct page_form form;
	prefer_language(call, &page);
	if (!call_may_wait(call, WAIT_READ))
		return;
	const enum result result = call_read_looks(call, &page);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (call_read_page_form(call, &page, &fields, &form))
		page_write_form_json(&page, &form);
}

/* Older pages show a campaign in a frame, or lead to it, by its id alone. */
void
handle_landing_page(struct call *call)
{
	const struct http_request *request = call->request;
	struct pool *pool = request->pool;
	const struct slice page = POOL_JOIN(pool, call_root(call), SLICE("/c/"), request->segments[0]);
	struct buffer query;
	buffer_init(&query, 3 * request->query.size + 1);
	if (request->query.size > 0)
		buffer_add_byte(&query, '?');
	encode_target(&query, request->query);
	call_redirect_to(call, POOL_JOIN(pool, page, buffer_slice(&query)));
	buffer_free(&query);
}

/* The custom field `consent_version` shows later which text the lead agreed to. */
static bool
note_consent(struct call *call, const struct page *page)
{
	const struct slice version = looks_consent_version(page->pool, &page->looks);
	const struct http_value value = { .type = HTTP_STRING, .text = version };
	struct http_problem problem;
	return !slice_present(version) || http_params_put(call->params, SLICE("consent_version"), &value, &problem) ||
	       call_fail_with(call, FAILURE_INVALID_PARAMETER, problem.message);
}

/* The sign-up itself is that of every other form. */
void
handle_signup_form(struct call *call)
{
	struct page page;
	struct page_fields fields;
	struct page_form form;
	if (!call_begin_looks(call, &page) || !call_read_page_form(call, &page, &fields, &form))
		return;
	if (!page_form_judge(&page, &form)) {
		call_fail(call, page_form_failure(&form));
		return;
	}
	if (note_consent(call, &page))
		handle_signup(call);
}
