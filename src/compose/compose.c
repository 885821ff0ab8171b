/* SPDX-License-Identifier: MIT */
#include "compose/compose.h"

#include "compose/own_templates.h"
#include "compose/subject.h"
#include "os/log.h"

static enum result
fail(const struct queued_mail *request, struct slice problem)
{
	log_error("mail_not_composed", LOG_UINT("message", request->id), LOG_UINT("campaign", request->campaign_id),
	    LOG_BYTES("problem", problem));
	return RESULT_FAILED;
}

/* Own templates are checked when they are stored. A template that an earlier version accepted, but this one does not, is left
 * out, because a lead may be waiting for the mail. */
static void
leave_out_refused(struct pool *pool, const struct queued_mail *request, struct mail_content *content)
{
	const struct mail_kind_info *kind = mail_kind_find(content->kind);
	struct template_error error;
	for (size_t i = 0; kind != NULL && i < TEMPLATE_PLACES; i++) {
		if (content->templates[i].size == 0 ||
		    mail_template_check(pool, kind, (enum template_place)i, content->templates[i], &error))
			continue;
		log_warning("template_left_out", LOG_UINT("campaign", request->campaign_id),
		    LOG_BYTES("mail", message_kind_name(content->kind)),
		    LOG_BYTES("part", own_template_part((enum template_place)i)), LOG_UINT("line", error.line),
		    LOG_UINT("column", error.column), LOG_BYTES("problem", error.message),
		    LOG_STR("hint", "correct the template, or remove it: leadhook mail set"));
		content->templates[i] = SLICE_NONE;
	}
}

static enum result
build(const struct mail_subject *subject, const struct mail_senders *senders, const struct queued_mail *request,
    struct composed_mail *mail)
{
	struct mail_message message;
	struct slice problem;
	struct mail_content content = mail_subject_content(subject, senders);
	leave_out_refused(subject->pool, request, &content);
	if (!mail_compose(subject->pool, &content, &message, &problem))
		return fail(request, problem);
	mail->code = subject->code;
	mail->recipient = message.recipient;
	mail->content = message.bytes;
	mail->message_id =
	    POOL_JOIN(subject->pool, SLICE("<"), content.id, SLICE("@"), senders->from.address.domain, SLICE(">"));
	return RESULT_OK;
}

enum result
mail_compose_request(const struct mail_senders *senders, struct store *store, struct pool *pool,
    const struct queued_mail *request, struct composed_mail *mail)
{
	const struct lead_reference lead = { .identity = LEAD_BY_ID, .id = request->lead_id };
	struct mail_subject subject = { .store = store,
		.pool = pool,
		.campaign_id = request->campaign_id,
		.kind = request->kind,
		.ref = request->ref,
		.now_ms = request->now_ms };
	const enum result result = mail_subject_find(&subject, &lead);
	*mail = (struct composed_mail){ .drop = result == RESULT_NOT_FOUND ? SLICE("lead_deleted") : subject.drop };
	if (slice_present(mail->drop))
		return RESULT_OK;
	if (result == RESULT_REFUSED)
		return fail(request, SLICE("the payload cannot be read"));
	if (result != RESULT_OK)
		return result == RESULT_FAILED ? RESULT_UNAVAILABLE : result;
	return build(&subject, senders, request, mail);
}
