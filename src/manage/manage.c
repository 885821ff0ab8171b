/* SPDX-License-Identifier: MIT */
#include "manage/manage.h"

#include <stdlib.h>
#include <string.h>

#include "identity/email.h"
#include "manage/request.h"
#include "operation/audited_run.h"

enum { BUSY_MS = 1000 };

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

/* The mailbox that the test mail goes to; absent when the operation will refuse the address. */
static struct slice
test_mailbox(const struct manage_request *request)
{
	struct pool *pool = request->http->pool;
	const struct slice given = parameter_text(&request->call, "address");
	struct email email;
	if (!email_parse(pool, slice_present(given) ? given : request->caller.name, &email))
		return SLICE_NONE;
	return email_mailbox(pool, email.key);
}

/* Addresses of users are not verified: owners of accounts could add anyone as a user, and flood the mailbox. Operators have no
 * account. A call that is refused counts for neither. */
static bool
passes_test_limits(struct manage_request *request, struct slice mailbox, struct limit_verdict *verdict)
{
	struct limiter *limiter = request->manage->options.login.limiter;
	const uint64_t account_id = request->caller.account_id;
	const struct slice account = { (const char *)&account_id, sizeof(account_id) };
	const struct limit_network of_mailbox = { mailbox, 1 }, of_account = { account, 1 }; /* of one caller each */
	const struct limit_claim by_mailbox = { .kind = LIMIT_TEST_MAILS }, by_account = { .kind = LIMIT_ACCOUNT_TESTS };
	if (account_id == 0)
		return limiter_pass(limiter, &of_mailbox, &by_mailbox, 1, verdict);
	return limiter_would_pass(limiter, &of_account, &by_account, 1, verdict) &&
	       limiter_pass(limiter, &of_mailbox, &by_mailbox, 1, verdict) &&
	       limiter_pass(limiter, &of_account, &by_account, 1, verdict);
}

static bool
may_send_test(struct manage_request *request)
{
	struct limit_verdict verdict;
	if (request->operation->cost != TEST_MAILS || request->caller.kind != CALLER_USER)
		return true;
	const struct slice mailbox = test_mailbox(request);
	if (!slice_present(mailbox) || passes_test_limits(request, mailbox, &verdict))
		return true;
	metrics_add(METRIC_REFUSALS, limit_metric(verdict.kind), 1);
	return request_fail_wait(request, verdict.wait_ms, "rate_limited",
	    verdict.kind == LIMIT_TEST_MAILS ? SLICE("too many test mails to this address")
					     : SLICE("too many test mails from this account"));
}

/* Whether the account may make one more call of those that the limit counts. Operators have no account, and no limit. What ends
 * a credential counts for the caller alone: a key that has leaked could else keep itself from being revoked. */
static bool
keeps_limit(struct manage_request *request, enum limit_kind kind, struct slice refusal)
{
	struct limit_verdict verdict;
	const bool ends_access = request->operation != NULL && request->operation->access == ENDS_ACCESS;
	const struct caller *caller = &request->caller;
	const uint64_t name[] = { caller->account_id, caller->kind, caller->id };
	const struct limit_network network = { { (const char *)name, ends_access ? sizeof(name) : sizeof(name[0]) }, 1 };
	const struct limit_claim claim = { .kind = kind };
	if (caller->account_id == 0 || limiter_pass(request->manage->options.login.limiter, &network, &claim, 1, &verdict))
		return true;
	metrics_add(METRIC_REFUSALS, limit_metric(verdict.kind), 1);
	return request_fail_wait(request, verdict.wait_ms, "rate_limited", refusal);
}

bool
request_may_change(struct manage_request *request)
{
	return keeps_limit(request, LIMIT_CHANGES, SLICE("too many changes by this account"));
}

static bool
keeps_limits(struct manage_request *request)
{
	if (!may_send_test(request))
		return false;
	/* a part of a report takes about a second: with the default, an account works on about one at a time */
	if (request->operation->cost == SEARCHES &&
	    !keeps_limit(request, LIMIT_SEARCHES, SLICE("too many reports and erasures of this account")))
		return false;
	return !operation_changes(&request->call) || request_may_change(request);
}

static bool
is_slow(const struct operation_call *call)
{
	return call->is_slow || call->operation->cost == SLOW || call->operation->cost == SEARCHES;
}

/* Takes a slot for a long call, and runs it. */
static bool
run_in_turn(struct manage_request *request, int *status)
{
	struct work_slots *slots = request->manage->options.long_calls;
	const bool takes_slot = is_slow(&request->call);
	const int slot = takes_slot ? work_slots_take(slots) : -1;
	if (takes_slot && slot < 0)
		return request_fail_wait(
		    request, BUSY_MS, "busy", SLICE("too many imports, exports, reports and searches at once"));
	*status = operation_run_audited(&request->call);
	if (takes_slot)
		work_slots_give_back(slots, slot);
	return true;
}

static void
run(struct manage_request *request)
{
	struct operation_call *call = &request->call;
	call->output = output_new(call->pool, call->operation->shape);
	struct request_key key;
	if (request_key(request, &key))
		call->precondition.key = &key;
	int status = EX_OK;
	/* first, because another check may fail for what the key has made; then, because it may have been made meanwhile */
	if (request_is_repeated(request) || !keeps_limits(request) || !run_in_turn(request, &status) ||
	    (status != EX_OK && request_is_repeated(request)))
		return;
	request_answer(request, status);
}

void
manage_handle(struct manage *manage, struct call *call)
{
	const struct http_request *http = call->request;
	struct manage_request request = { .manage = manage, .http = http, .response = call->response, .from = call };
	if (request_answer_session(&request) || !request_identify(&request) || !request_find_operation(&request) ||
	    !request_may_run(&request))
		return;
	request.call = (struct operation_call){ .operation = request.operation,
		.pool = http->pool,
		.wiring = manage->options.wiring,
		.conf = manage->options.conf,
		.store = manage->store,
		.caller = &request.caller,
		.is_remote = true,
		.wants_json = true };
	if (!(request_read_path(&request) && request_read_members(&request)) && !request.call.report.failed)
		return;
	if ((!request.call.needs_password || request_is_confirmed(&request)) && request_expect_version(&request))
		run(&request);
}
