/* SPDX-License-Identifier: MIT */
#include "api/call/forms.h"

#include "api/call/lead_argument.h"
#include "api/call/limits.h"
#include "api/call/page_answers.h"
#include "api/call/page_forms.h"
#include "api/call/page_origin.h"
#include "api/call/param_names.h"
#include "engine/visitors.h"
#include "identity/link.h"
#include "page/lead.h"

static bool
is_form_body(struct slice content_type)
{
	return slice_starts_with_nocase(content_type, SLICE("application/x-www-form-urlencoded")) ||
	       slice_starts_with_nocase(content_type, SLICE("multipart/form-data"));
}

static bool
accepts_pages(struct slice accept)
{
	struct slice range;
	while (slice_present(accept) && slice_next(&accept, ',', &range))
		if (slice_starts_with_nocase(slice_trim(range), SLICE("text/html")))
			return true;
	return false;
}

/* The parameter `__answer`. Values that are not known count as none. */
static enum form_answer
wanted_answer(const struct call *call)
{
	if (call->params == NULL)
		return FORM_ANSWER_AUTO;
	const struct slice text = http_params_text(call->params, param_name(PARAM_ANSWER));
	return slice_equal(text, form_answer_names[FORM_ANSWER_JSON])       ? FORM_ANSWER_JSON
	       : slice_equal(text, form_answer_names[FORM_ANSWER_REDIRECT]) ? FORM_ANSWER_REDIRECT
									    : FORM_ANSWER_AUTO;
}

/* The header that browsers send with navigations decides, if it is present: a script that sends the fields of a form cannot use
 * a redirection. */
bool
call_is_form(const struct call *call)
{
	const struct http_request *request = call->request;
	const bool is_signup = call->route != NULL && call->route->key == KEY_OPTIONAL &&
			       (call->route->flags & ROUTE_FIELDS) != 0 && request->method == HTTP_POST;
	if (is_signup && (call->route->flags & ROUTE_HOSTED) != 0)
		return true;
	if (!is_signup || slice_present(call->key_text) || !is_form_body(request->content_type))
		return false;
	if (slice_present(request->fetch_mode) && !slice_equal(request->fetch_mode, SLICE("navigate")))
		return false;
	const enum form_answer wanted = wanted_answer(call);
	if (wanted != FORM_ANSWER_AUTO)
		return wanted == FORM_ANSWER_REDIRECT;
	if (call->campaign.form_answer == FORM_ANSWER_JSON)
		return false;
	return slice_present(request->fetch_mode) || call->campaign.form_answer == FORM_ANSWER_REDIRECT ||
	       accepts_pages(request->accept);
}

/* ---- answers ---- */

static struct slice
typed_email(const struct call *call)
{
	return http_params_text(call->params, SLICE("email"));
}

/* The page on which the lead types the code that was sent to its number; absent if it also signed up with an email address, or
 * needs no code. A withheld lead is always sent to this page. */
static struct slice
code_page_url(const struct call *call, const struct page_lead *lead)
{
	struct pool *pool = call->request->pool;
	const struct slice number = lead_typed_number(call);
	if (!call_sends_codes(call) || !slice_present(number) || lead->verified_phone_number || typed_email(call).size > 0)
		return SLICE_NONE;
	/* in E.164 */
	return call_page_url(call, POOL_JOIN(pool, SLICE("/code?phone_number=%2B"), slice_sub(number, 1, number.size)));
}

/* The page of a visitor who signs up again. Such a visitor has only shown that it knows an address, so the page shows what
 * everyone may see, without an invitation to sign up. */
static struct slice
status_page_url(const struct call *call, const struct page_lead *lead)
{
	struct pool *pool = call->request->pool;
	if (!slice_equal(lead->status_url, call_page_url(call, POOL_JOIN(pool, SLICE("/s/"), lead->social_id))))
		return lead->status_url;
	return POOL_JOIN(pool, lead->status_url, SLICE("?"), PAGE_AGAIN, SLICE("="),
	    typed_email(call).size > 0 ? SLICE("email") : SLICE("phone_number"));
}

/* Redirects to a URL of the payload, so that a form leads to the same page to which a client of the API would go. */
static void
succeed(struct call *call)
{
	struct pool *pool = call->request->pool;
	struct page_lead lead = { .rank = 0 };
	(void)!page_lead_read(pool, buffer_slice(&call->response->body), &lead); /* some answers have no social id */
	const struct slice targets[] = {
		code_page_url(call, &lead),
		call_location(pool, lead.thankyou_url),
		call_own_location(call, lead.redirect_url),
		call_location(pool, status_page_url(call, &lead)),
	};
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++)
		if (slice_present(targets[i])) {
			call_redirect_to(call, targets[i]);
			return;
		}
	/* Redirects to pages that are the same for everyone. The answer itself is not shown, because loading it again would
	 * sign up again. */
	call_redirect_to_page(call, lead.check_mail ? sent_address_path(call, typed_email(call)) : SLICE("/thanks"));
}

/* Whether the path is "/", and there is no query. */
static bool
is_origin(struct slice location)
{
	const struct slice rest = slice_sub(location, slice_find(location, ':') + sizeof("://") - 1, location.size);
	return slice_present(location) && slice_find(rest, '/') + 1 == rest.size;
}

/* The page of the form: `__url`, otherwise the referrer. Browsers often cut a referrer to its origin: then the landing page is
 * used, if it is on the same host. */
static struct slice
form_page_url(const struct call *call)
{
	struct pool *pool = call->request->pool;
	const struct slice url = http_params_text(call->params, SLICE("__url"));
	const struct slice page = call_own_location(call, url.size > 0 ? url : call->request->referer),
			   landing = call_own_location(call, call->campaign.landing_url);
	return is_origin(page) && slice_equal(link_host(pool, page), link_host(pool, landing)) ? landing : page;
}

#define ERROR_PARAMETER SLICE("lead_error=")

/* The URL with the parameter, which replaces that of an earlier error. */
static struct slice
with_error(struct pool *pool, struct slice url, struct slice code)
{
	const size_t end = slice_find(url, '#'), question = slice_find(slice_sub(url, 0, end), '?');
	struct slice query = slice_sub(url, question + 1, end), part, front = slice_sub(url, 0, question);
	const char *join = "?";
	while (query.size > 0 && slice_next(&query, '&', &part)) {
		if (part.size == 0 || slice_starts_with(part, ERROR_PARAMETER))
			continue;
		front = POOL_JOIN(pool, front, slice_of(join), part);
		join = "&";
	}
	return POOL_JOIN(pool, front, slice_of(join), ERROR_PARAMETER, code, slice_sub(url, end, url.size));
}

/* Whether the visitor needs a page that does the proof of work: the page that shows the failed form has the script for it, the
 * page of the form may have none. */
static bool
lacks_proof(enum failure failure)
{
	return failure == FAILURE_PROOF_REQUIRED || failure == FAILURE_PROOF_INVALID;
}

static void
fail(struct call *call)
{
	const bool stays = (call->route->flags & ROUTE_HOSTED) != 0 || lacks_proof(call->failure);
	const struct slice page = stays ? SLICE_NONE : form_page_url(call);
	if (slice_present(page)) {
		call_redirect_to(call, with_error(call->request->pool, page, slice_of(failure_info(call->failure)->code)));
		return;
	}
	call_answer_failed_form(call);
}

void
call_finish_form(struct call *call)
{
	if (!call_is_form(call))
		return;
	if (call->failure == FAILURE_NONE)
		succeed(call);
	else
		fail(call);
}
