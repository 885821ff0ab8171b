/* SPDX-License-Identifier: MIT
 * Mails to leads (docs/mail.md): list, show, send again; the test of the mail server. */
#include "admin/mails/mail_operations.h"

#include <inttypes.h>

#include "admin/jobs/job_operations.h"
#include "identity/email.h"
#include "jobs/job_parameters.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"
#include "store/messages/delays.h"

READ_TYPE(value_state, message_state_parse, enum message_state, "requested, ready, sent, failed or dropped");
READ_TYPE(
    value_kind, message_kind_parse, enum message_kind, "verify, welcome, reward, referral, status_link, erase_confirm or code");
static const struct value_type value_mail = { ID_TYPE, .expected = "the id of a mail" };
#define PLACE(member) offsetof(struct mail_filter, member)
static const struct parameter list_parameters[] = {
	OPTION("campaign", value_campaign, PLACE(campaign_id)),
	OPTION("state", value_state, PLACE(state)),
	OPTION("kind", value_kind, PLACE(kind)),
	OPTION("limit", value_limit, PLACE(limit)),
	OPTION("after", value_mail, PLACE(after)),
};
#undef PLACE
static const struct mail_filter list_defaults = { .state = -1, .kind = -1, .limit = VALUE_LIMIT_DEFAULT };

static struct slice
kind_name(struct pool *pool, unsigned kind)
{
	const struct slice name = message_kind_name((enum message_kind)kind);
	return slice_present(name) ? name : pool_printf(pool, "%u", kind);
}

static void
add_mail(struct operation_call *call, const struct mail_row *mail)
{
	struct output *out = call->output;
	output_record(out);
	output_u64(out, "id", mail->id);
	output_u64(out, "campaign", mail->campaign_id);
	output_text(out, "lead", mail->lead_social_id);
	output_text(out, "kind", kind_name(call->pool, mail->kind));
	output_text(out, "state", message_state_name(mail->state));
	output_text(out, "reason", mail->reason);
	output_u64(out, "attempts", mail->attempts);
	output_u64_or_null(out, "status", (uint64_t)mail->last_status);
	output_time(out, "created_at", mail->created_ms);
	output_time(out, "due_at", mail->due_ms);
	output_time(out, "ended_at", mail->ended_ms);
	output_text(out, "recipient", mail->recipient);
}

static int
run_mail_list(struct operation_call *call)
{
	struct mail_list list;
	enum result result = store_list_mails(call->store, call->pool, ARGUMENTS(call, struct mail_filter), &list);
	if (result == RESULT_OK)
		result = store_explain_delays(call->store, call->pool, call->wiring->sending_limits, list.mails, list.count);
	for (size_t i = 0; result == RESULT_OK && i < list.count; i++)
		add_mail(call, &list.mails[i]);
	if (result == RESULT_OK && list.next != 0)
		operation_next_id(call, list.next);
	return operation_answer(call, result);
}

static const struct parameter show_parameters[] = { OPTION("content", value_on, 0) };

static int
run_mail_show(struct operation_call *call)
{
	struct mail_row mail;
	struct slice content;
	enum result result = store_find_mail(call->store, call->pool, call->id, &mail, &content);
	if (result == RESULT_OK)
		result = store_explain_delays(call->store, call->pool, call->wiring->sending_limits, &mail, 1);
	if (result != RESULT_OK)
		return operation_answer(call, result);
	add_mail(call, &mail);
	output_u64_or_null(call->output, "ref", mail.ref);
	output_boolean(call->output, "is_being_sent", mail.leased);
	output_u64(call->output, "crashes", mail.crashes);
	output_time(call->output, "sent_at", mail.sent_ms);
	output_text(call->output, "message_id", mail.message_id);
	output_text(call->output, "answer", mail.last_answer);
	if (!*ARGUMENTS(call, bool))
		return EX_OK;
	if (!slice_present(content))
		return operation_fail(call, PROBLEM_CONFLICT, "the mail has no content: %s",
		    mail.state == MESSAGE_REQUESTED || mail.state == MESSAGE_DROPPED
			? "it was not composed"
			: "it is removed seven days after the mail ended");
	output_lines(call->output, "content", content);
	return EX_OK;
}

static const char *const not_queued[] = {
	[MAIL_LEASED] = "it is being sent",
	[MAIL_NO_CONTENT] = "its content was removed",
	[MAIL_IS_TEXT] = "it is a text to a phone; its lead can request another code",
	[MAIL_NO_LEAD] = "its lead was deleted",
	[MAIL_ENOUGH] = "five mails to its lead were sent again within a day",
	[MAIL_MISSING] = "there is no such mail",
};

/* Each mail is a transaction, so a call over HTTP with more of them would take seconds. */
enum { RESENT_MAX = 100 };

struct mail_ids {
	uint64_t *items;
	size_t count, capacity;
};

static bool
parse_mail(struct value_reading *reading, struct slice text, void *place)
{
	struct mail_ids *ids = place;
	ids->items = pool_grow(reading->pool, ids->items, ids->count, &ids->capacity, sizeof(*ids->items));
	return value_is_id(text, &ids->items[ids->count++]);
}
static const struct value_type value_mails = { .parse = parse_mail, .form = VALUE_EACH, .noun = "mail", .kind = OWNED_MAIL };
static const struct parameter resend_parameters[] = { OPERAND("mails", value_mails, 0) };

static int
run_mail_resend(struct operation_call *call)
{
	const struct mail_ids *ids = ARGUMENTS(call, struct mail_ids);
	uint64_t queued = 0;
	enum result result = RESULT_OK;
	if (call->is_remote && ids->count > RESENT_MAX)
		return operation_fail_value(call, PROBLEM_INVALID, "mails", "expected at most %d ids", RESENT_MAX);
	for (size_t i = 0; i < ids->count && result == RESULT_OK; i++) {
		enum mail_again what = MAIL_MISSING;
		result = store_mail_again(call->store, ids->items[i], &what);
		if (result == RESULT_OK && what == MAIL_QUEUED)
			queued++;
		else if (result == RESULT_OK)
			operation_warn(call, "mail %" PRIu64 ": %s", ids->items[i], not_queued[what]);
	}
	if (result == RESULT_OK && queued == 0)
		return EX_DATAERR;
	if (queued > 0) {
		output_record(call->output);
		output_u64(call->output, "queued", queued);
	}
	return operation_answer(call, result);
}

int
mail_test_address(struct operation_call *call, struct slice text, struct slice *address)
{
	struct email email;
	if (*call->conf->mail.host == '\0')
		return operation_fail(call, PROBLEM_CONFIG, "mail is off: mail.host and mail.from are not set");
	if (!email_parse(call->pool, text, &email))
		return operation_fail(call, PROBLEM_INVALID, "the address is not a valid email address");
	*address = email.display;
	return EX_OK;
}

struct mail_test_arguments {
	struct slice address;
	bool queue;
};
static const struct parameter test_parameters[] = {
	OPERAND("address", value_text, offsetof(struct mail_test_arguments, address)),
	OPTION_WITH("queue", value_on, offsetof(struct mail_test_arguments, queue), PARAMETER_SHELL | PARAMETER_ON_BY_HTTP),
};

static int
run_mail_test(struct operation_call *call)
{
	struct job_test test = { 0 };
	const struct mail_test_arguments *arguments = ARGUMENTS(call, struct mail_test_arguments);
	const int status = mail_test_address(call, arguments->address, &test.address);
	if (status != EX_OK)
		return status;
	return arguments->queue ? queued_job_add(call, 0, JOB_MAIL_TEST, job_test_parameters(call->pool, &test))
				: call->wiring->send_test(call, JOB_MAIL_TEST, &test);
}

OPERATION(mail_list, "mail list", "[--campaign ID] [--state STATE] [--kind KIND] [--limit N] [--after N]",
    "list mails, the newest first", run_mail_list, PARAMETERS(list_parameters, struct mail_filter), .defaults = &list_defaults,
    .shape = OUTPUT_ARRAY, HTTP(GET, "campaigns/{campaign}/mails", RIGHT_LEADS));
OPERATION(mail_show, "mail show", "MAIL [--content]", "show a mail and what the mail server answered", run_mail_show,
    .subject = &subject_mail, PARAMETERS(show_parameters, bool), HTTP(GET, "mails/{mail}", RIGHT_LEADS));
OPERATION(mail_resend, "mail resend", "MAIL...", "send mails again", run_mail_resend,
    PARAMETERS(resend_parameters, struct mail_ids), HTTP(POST, "mails/resend", RIGHT_CHANGE), .effect = CHANGES, .cost = SLOW);
OPERATION(mail_test, "mail test", "ADDRESS [--queue]", "send a test mail and show what the mail server answers", run_mail_test,
    PARAMETERS(test_parameters, struct mail_test_arguments), HTTP(POST, "mails/test", RIGHT_MANAGE), .audience = FOR_OPERATORS,
    .effect = QUEUES);
