/* SPDX-License-Identifier: MIT */
#include "manage/call_limits.h"

#include "identity/email.h"
#include "operation/audited_run.h"

/* The mailbox that the test mail goes to; absent if the operation will refuse the address. */
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

/* Addresses of users are not verified, so the owner of an account could add anybody as a user and flood the mailbox. Operators
 * have no account. A call that is refused counts for neither limit. */
static bool
passes_test_limits(struct manage_request *request, struct slice mailbox, struct limit_verdict *verdict)
{
	struct limiter *limiter = request->manage->options.login.limiter;
	const uint64_t account_id = request->caller.account_id;
	const struct slice account = { (const char *)&account_id, sizeof(account_id) };
	/* each name is a network of its own */
	const struct limit_network of_mailbox = { mailbox, 1 }, of_account = { account, 1 };
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

/* Whether the limit allows the account one more call. Operators have no account and no limit. A call that ends a credential
 * counts for the caller alone; otherwise someone with a leaked key could use up the limit and prevent its revocation. */
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

bool
request_keeps_limits(struct manage_request *request)
{
	if (!may_send_test(request))
		return false;
	/* a part of a report takes about a second: with the default limit, an account runs about one at a time */
	if (request->operation->cost == SEARCHES &&
	    !keeps_limit(request, LIMIT_SEARCHES, SLICE("too many reports and erasures of this account")))
		return false;
	return !operation_changes(&request->call) || request_may_change(request);
}
