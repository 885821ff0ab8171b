/* SPDX-License-Identifier: MIT */
#include "api/handlers/opt_out_page.h"

#include "api/call/call_answers.h"
#include "api/call/page_answers.h"
#include "api/call/param_names.h"
#include "api/call/param_values.h"
#include "api/handlers/mail_link.h"

static void
show_form(struct call *call, const struct lead_reference *reference, struct page_stamp stamp)
{
	struct pool *pool = call->request->pool;
	struct lead lead;
	enum result result = store_find_lead(call->api->store, pool, call->campaign.id, reference, &lead);
	if (result != RESULT_OK) {
		call_fail_result(call, result, FAILURE_LEAD_NOT_FOUND);
		return;
	}
	call_show_question(
	    call, &(struct question){ TEXT_OPT_OUT_TITLE, TEXT_OPT_OUT_QUESTION, TEXT_OPT_OUT_BUTTON, SLICE_NONE, stamp });
}

static void
opt_out(struct call *call, const struct lead_reference *reference)
{
	const struct command command = {
		.kind = COMMAND_CHANGE,
		.as.change = { .action = LEAD_OPTOUT, .lead = *reference, .address = call->lead_email },
	};
	if (call_execute(call, &command).failure == FAILURE_NONE)
		call_answer_message(call, TEXT_OPTED_OUT_TITLE, TEXT_OPTED_OUT_TEXT);
}

void
handle_opt_out_link(struct call *call)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = call->social_id };
	const struct payload_settings *settings;
	const enum result result = store_payload_settings(call->api->store, &settings);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	/* `saf` is enough: a mail may have damaged the rest of the parameter */
	else if (call->response->head || slice_contains_nocase(call->request->query, SLICE("saf")))
		show_form(call, &reference, page_stamp_new(call, settings));
	else
		opt_out(call, &reference);
}

/* The button, or a mail program. A body that cannot be read is neither. */
void
handle_opt_out(struct call *call)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = call->social_id };
	const struct payload_settings *settings;
	struct slice sent, one_click;
	struct page_stamp again;
	struct http_problem problem;
	if (!http_params_parse_body(call->params, call->request, &call->params, &problem))
		log_debug("opt_out_body_invalid", LOG_UINT("campaign", call->campaign.id));
	const enum result result = store_payload_settings(call->api->store, &settings);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (!param_read_text(call, PARAM_STAMP, &sent) || !param_read_text(call, PARAM_ONE_CLICK, &one_click))
		return;
	else if (slice_equal(one_click, SLICE("One-Click")) || page_stamp_check(call, settings, sent, &again))
		opt_out(call, &reference);
	else
		show_form(call, &reference, again);
}
