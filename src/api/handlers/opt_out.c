/* SPDX-License-Identifier: MIT
 * The links of `unsubscribe_url`: for clicks, and for mail programs that post (RFC 8058). */
#include "api/mail_link.h"
#include "api/pages.h"
#include "api/parameter_values.h"

#include "identity/lead_token.h"
#include "identity/social_id.h"

/* /opt-out/{campaign}/{social_id}/{token}. All invalid links have the same answer. That of a deleted
 * lead is valid if its email address was never replaced. */
bool
call_check_token(struct call *call)
{
	const struct slice *segments = call->request->segments;
	const struct payload_settings *settings;
	struct lead_token_owner owner = { 0 };
	struct lead lead = { .id = 0 };
	if (!slice_to_u64(segments[1], INT64_MAX, &owner.campaign_id) ||
	    !social_id_parse(call->request->pool, segments[2], &owner.social_id))
		return call_fail(call, FAILURE_NOT_FOUND);
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = owner.social_id };
	enum result result = store_payload_settings(call->api->store, &settings);
	if (result == RESULT_OK)
		result = store_find_lead(call->api->store, call->request->pool, owner.campaign_id, &reference, &lead);
	if (result != RESULT_OK && result != RESULT_NOT_FOUND)
		return call_fail(call, call_failure(result));
	owner.epoch = lead.opt_out_epoch;
	if (!lead_token_valid(segments[3], settings->server_secret, LEAD_TOKEN_OPT_OUT, &owner))
		return call_fail(call, FAILURE_NOT_FOUND);
	call->social_id = owner.social_id;
	call->lead_email = lead.email_key;
	call->reader_language = lead.language;
	return true;
}

static void
show_form(struct call *call, const struct lead_reference *reference, struct slice stamp, bool too_fast)
{
	struct pool *pool = call->request->pool;
	struct lead lead;
	enum result result = store_find_lead(call->api->store, pool, call->campaign.id, reference, &lead);
	if (result != RESULT_OK) {
		call_fail(call, result == RESULT_NOT_FOUND ? FAILURE_LEAD_NOT_FOUND : call_failure(result));
		return;
	}
	call_show_question(call,
	    &(struct question){ TEXT_OPT_OUT_TITLE, TEXT_OPT_OUT_QUESTION, TEXT_OPT_OUT_BUTTON, SLICE_NONE, stamp, too_fast });
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
		show_form(call, &reference, call_make_stamp(call, settings), false);
	else
		opt_out(call, &reference);
}

/* The button, or a mail program. A body that cannot be read is neither. */
void
handle_opt_out(struct call *call)
{
	const struct lead_reference reference = { .identity = LEAD_BY_SOCIAL_ID, .value = call->social_id };
	const struct payload_settings *settings;
	struct slice stamp, one_click;
	struct http_problem problem;
	if (!http_params_parse_body(call->params, call->request, &call->params, &problem))
		log_debug("opt_out_body_invalid", LOG_UINT("campaign", call->campaign.id));
	const enum result result = store_payload_settings(call->api->store, &settings);
	if (result != RESULT_OK)
		call_fail(call, call_failure(result));
	else if (!param_read_text(call, PARAMETER_STAMP, &stamp) || !param_read_text(call, PARAMETER_ONE_CLICK, &one_click))
		return;
	else if (slice_equal(one_click, SLICE("One-Click")) || call_is_pressed(call, settings, &stamp))
		opt_out(call, &reference);
	else
		show_form(call, &reference, stamp, true);
}
