/* SPDX-License-Identifier: MIT */
#include "manage/manage.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "admin/audited.h"
#include "manage/request.h"

struct manage *
manage_new(const struct manage_options *options)
{
	struct manage *manage = memory_alloc(sizeof(*manage));
	*manage = (struct manage){ *options, options->login.store };
	return manage;
}

void
manage_free(struct manage **manage)
{
	free(*manage);
	*manage = NULL;
}

/* Without a limit a session could flood the mailbox of its user. */
static bool
passes_limit(struct manage_request *request)
{
	const struct caller *caller = &request->caller;
	const struct slice user = { (const char *)&caller->id, sizeof(caller->id) };
	const struct limit_claim claim = { .kind = LIMIT_TEST_MAILS, .caller = user };
	const struct limit_network network = { user, 1 };
	struct limit_verdict verdict;
	if (!request->command->sends_test || caller->kind != CALLER_USER ||
	    limiter_pass(request->manage->options.login.limiter, &network, &claim, 1, &verdict))
		return true;
	metrics_add(METRIC_REFUSALS, limit_metric(verdict.kind), 1);
	return request_fail_wait(request, verdict.wait_ms, "rate_limited", SLICE("too many test mails of this user"));
}

static void
run(struct manage_request *request)
{
	struct admin_call *call = &request->call;
	call->output = output_new(call->pool, call->command->shape);
	struct request_key key;
	store_expect_request(call->store, request_key(request, &key) ? &key : NULL);
	/* first, because another check may fail for what the key has made; again when it is made */
	const bool repeated = store_find_request(call->store) == RESULT_OK;
	if (repeated || passes_limit(request)) {
		const int status = repeated ? EX_OK : admin_run_audited(call);
		if (!request_is_repeated(request))
			request_answer(request, status);
	}
	store_expect_settings(call->store, NULL);
	store_expect_request(call->store, NULL);
}

static bool
confirms_word(struct manage_request *request)
{
	const char *word = request->command->confirmed_word;
	for (size_t i = 0; word != NULL && i < request->call.operand_count; i++)
		if (strcmp(request->call.operands[i], word) == 0)
			return request_is_confirmed(request);
	return true;
}

void
manage_handle(
    struct manage *manage, const struct manage_caller *caller, const struct http_request *http, struct http_response *response)
{
	struct manage_request request = { .manage = manage, .http = http, .response = response, .from = caller };
	if (request_answer_session(&request) || !request_identify(&request) || !request_find_command(&request) ||
	    !request_may_run(&request) || !request_sees_path(&request))
		return;
	request.call = (struct admin_call){ .command = request.command,
		.pool = http->pool,
		.wiring = manage->options.wiring,
		.conf = manage->options.conf,
		.store = manage->store,
		.caller = &request.caller,
		.is_remote = true };
	if (request_read_arguments(&request) && confirms_word(&request) && request_expect_version(&request))
		run(&request);
}
