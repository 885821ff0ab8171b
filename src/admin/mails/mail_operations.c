/* SPDX-License-Identifier: MIT
 * Mails to leads (docs/mail.md): list, show, send again; the test of the mail server. */
#include <stddef.h>
#include <sysexits.h>

#include "admin/jobs/job_operations.h"
#include "admin/operations.h"
#include "identity/email.h"
#include "operation/value_types.h"
#include "operation/wiring.h"
#include "store/messages/delays.h"

static bool
read_state(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	enum message_state state = MESSAGE_REQUESTED;
	*bad = text;
	if (!message_state_parse(text, &state))
		return false;
	*(int *)place = (int)state;
	return true;
}

static bool
read_kind(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	enum message_kind kind = MESSAGE_VERIFY;
	*bad = text;
	if (!message_kind_parse(text, &kind))
		return false;
	*(int *)place = (int)kind;
	return true;
}

#define PLACE(member) offsetof(struct mail_filter, member)
static const struct value_option filter_table[] = {
	{ OPTION_CAMPAIGN, value_id, PLACE(campaign_id), "the id of a campaign" },
	{ OPTION_STATE, read_state, PLACE(state), "requested, ready, sent, failed or dropped" },
	{ OPTION_KIND, read_kind, PLACE(kind), "verify, welcome, reward, referral, status_link, erase_confirm or code" },
	{ OPTION_LIMIT, value_limit, PLACE(limit), "a number from 1 to 10000" },
	{ OPTION_AFTER, value_id, PLACE(after), "the id of a mail" },
};
#undef PLACE

static struct slice
kind_name(struct pool *pool, unsigned kind)
{
	const struct slice name = message_kind_name((enum message_kind)kind);
	return slice_present(name) ? name : pool_printf(pool, "%u", kind);
}

static void
add_mail(struct admin_call *call, const struct mail_row *mail)
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

int
admin_mail_list(struct admin_call *call)
{
	struct mail_filter filter = { .state = -1, .kind = -1, .limit = VALUE_LIMIT_DEFAULT };
	struct mail_list list;
	if (!values_take(call, filter_table, ARRAY_SIZE(filter_table), &filter))
		return EX_DATAERR;
	enum result result = store_list_mails(call->store, call->pool, &filter, &list);
	if (result == RESULT_OK)
		result = store_explain_delays(call->store, call->pool, call->wiring->sending_limits, list.mails, list.count);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	for (size_t i = 0; i < list.count; i++)
		add_mail(call, &list.mails[i]);
	if (list.next != 0)
		admin_next_id(call, list.next);
	return EX_OK;
}

int
admin_mail_show(struct admin_call *call)
{
	struct mail_row mail;
	struct slice content;
	enum result result = store_find_mail(call->store, call->pool, call->id, &mail, &content);
	if (result == RESULT_OK)
		result = store_explain_delays(call->store, call->pool, call->wiring->sending_limits, &mail, 1);
	if (result != RESULT_OK)
		return admin_answer(call, result);
	add_mail(call, &mail);
	output_u64_or_null(call->output, "ref", mail.ref);
	output_boolean(call->output, "is_being_sent", mail.leased);
	output_u64(call->output, "crashes", mail.crashes);
	output_time(call->output, "sent_at", mail.sent_ms);
	output_text(call->output, "message_id", mail.message_id);
	output_text(call->output, "answer", mail.last_answer);
	if (call->options[OPTION_CONTENT] == NULL)
		return EX_OK;
	if (!slice_present(content))
		return admin_fail(call, PROBLEM_CONFLICT, "the mail has no content: %s",
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

/* Each is a transaction, so a remote call with more would take seconds. */
enum { RESENT_MAX = 100 };

int
admin_mail_resend(struct admin_call *call)
{
	uint64_t queued = 0, id;
	enum result result = RESULT_OK;
	if (call->is_remote && call->operand_count > RESENT_MAX)
		return admin_fail_operand(call, "mails", "expected at most %d ids", RESENT_MAX);
	for (size_t i = 0; i < call->operand_count && result == RESULT_OK; i++) {
		enum mail_again what = MAIL_MISSING;
		if (!admin_id(call, call->operands[i], "mail", &id))
			return EX_DATAERR;
		result = store_mail_again(call->store, id, &what);
		if (result == RESULT_OK && what == MAIL_QUEUED)
			queued++;
		else if (result == RESULT_OK)
			admin_warn(call, "mail %s: %s", call->operands[i], not_queued[what]);
	}
	if (result == RESULT_OK && queued == 0)
		return EX_DATAERR;
	if (queued > 0) {
		output_record(call->output);
		output_u64(call->output, "queued", queued);
	}
	return admin_answer(call, result);
}

int
admin_test_address(struct admin_call *call, const char *text, struct slice *address)
{
	struct email email;
	if (*call->conf->mail.host == '\0')
		return admin_fail(call, PROBLEM_CONFIG, "mail is off: mail.host and mail.from are not set");
	if (!email_parse(call->pool, slice_of(text), &email))
		return admin_fail(call, PROBLEM_INVALID, "the address is not a valid email address");
	*address = email.display;
	return EX_OK;
}

int
admin_answer_mail_test(struct admin_call *call, enum result result, const struct mail_test *test)
{
	size_t count;
	const struct job_field *fields = job_mail_test_fields(&count);
	if (result == RESULT_OK || test->accepted) {
		output_record(call->output);
		admin_output_fields(call->output, fields, count, test);
	}
	if (result != RESULT_OK)
		return admin_answer(call, result);
	return test->accepted ? EX_OK : EX_UNAVAILABLE;
}

int
admin_mail_test(struct admin_call *call)
{
	struct slice address;
	struct mail_test test = { .accepted = false };
	const int status = admin_test_address(call, call->operands[0], &address);
	if (status != EX_OK)
		return status;
	if (admin_queues(call))
		return admin_queue_job(call, 0, JOB_MAIL_TEST, job_mail_parameters(call->pool, address));
	call->wiring->prepare_sending();
	const enum result result = job_test_mail(call->wiring->job_tools, call->store, call->pool, address, NULL, &test);
	return admin_answer_mail_test(call, result, &test);
}
