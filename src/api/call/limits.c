/* SPDX-License-Identifier: MIT */
#include "api/call/limits.h"

#include "api/call/call_answers.h"
#include "engine/visitors.h"
#include "limit/limiter.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/sources.h"

enum { MS_PER_S = 1000 };

static struct slice
account_of(const struct call *call)
{
	return (struct slice){ (const char *)&call->account_id, sizeof(call->account_id) };
}

/* Counts the refusal. Only some are logged, because a log line costs more than a refusal. */
static void
note_refusal(struct api *api, const struct limit_verdict *verdict)
{
	const enum metric_limit setting = limit_metric(verdict->kind);
	uint64_t suppressed;
	metrics_add(METRIC_REFUSALS, setting, 1);
	if (verdict->kind != LIMIT_NEW_LEADS && log_throttle_passes(&api->common->refusal_log[verdict->kind], &suppressed))
		log_info("rate_limited", LOG_STR("setting", metrics_limit_name(setting)), LOG_UINT("limit", verdict->limit),
		    LOG_UINT("suppressed", suppressed));
}

static bool
reads_only(const struct call *call)
{
	return call->route->method == HTTP_GET && (call->route->flags & ROUTE_SUBSCRIBE) == 0;
}

/* ---- refused sign-ups, for the owner of the campaign ---- */

/* The counts of a campaign. Only sign-ups without a key are counted. If there are more campaigns than fit, some are not
 * counted. */
static struct refused *
find_refused(struct api *api, uint64_t campaign_id)
{
	struct refused *found = NULL;
	for (struct refused *one = api->refused; one < api->refused + REFUSED_CAMPAIGNS_MAX; one++) {
		if (one->campaign_id == campaign_id)
			return one;
		if (one->signups == 0 && (found == NULL || one->stored_ms < found->stored_ms))
			found = one;
	}
	if (found != NULL) /* keeps the pause after the last statement, because callers may make up campaigns */
		*found = (struct refused){ .campaign_id = campaign_id, .stored_ms = found->stored_ms };
	return found;
}

static void
note_refused_signup(struct call *call)
{
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	struct limit_verdict verdict;
	uint64_t id = call->campaign.id;
	if (call->account_id != 0 || call->route->key != KEY_OPTIONAL || (call->route->flags & ROUTE_FIELDS) == 0 ||
	    reads_only(call) ||
	    (id == 0 &&
		(call->route->campaign != CAMPAIGN_IN_PATH || !slice_to_u64(call->request->segments[1], INT64_MAX, &id))))
		return;
	struct refused *refused = find_refused(call->api, id);
	if (refused == NULL)
		return;
	const struct limit_network network = limit_network_of(&call->client);
	(void)limit_claim_address(&call->client, LIMIT_REFUSED, id, claims, names);
	refused->addresses += limiter_pass(call->api->options->limiter, &network, claims, 1, &verdict);
	refused->signups++;
}

void
api_store_refused(struct api *api)
{
	enum { PAUSE_MS = 10000, STORE_MS = 1000 };
	for (struct refused *one = api->refused; one < api->refused + REFUSED_CAMPAIGNS_MAX; one++) {
		if (one->signups == 0)
			continue;
		const int64_t now_ms = clock_monotonic_ms();
		if (one->stored_ms != 0 && now_ms - one->stored_ms < PAUSE_MS)
			continue;
		one->stored_ms = now_ms;
		store_set_deadline(api->store, now_ms + STORE_MS);
		if (store_add_refusals(api->store, one->campaign_id, one->signups, one->addresses) == RESULT_OK)
			one->signups = one->addresses = 0;
	}
}

/* ---- refusals ---- */

/* Retry-After is rounded up, so that a client that waits this long is not refused again. */
static bool
refuse(struct call *call, const struct limit_verdict *verdict)
{
	struct pool *pool = call->request->pool;
	const long long s = (verdict->wait_ms + MS_PER_S - 1) / MS_PER_S;
	const struct slice seconds = pool_printf(pool, "%lld", s);
	call->wait_s = (unsigned)s;
	call_add_header(call, "Retry-After", seconds);
	call_add_header(call, "RateLimit-Limit", pool_printf(pool, "%u", verdict->limit));
	call_add_header(call, "RateLimit-Remaining", SLICE("0"));
	call_add_header(call, "RateLimit-Reset", seconds);
	note_refusal(call->api, verdict);
	note_refused_signup(call);
	return call_fail(call, FAILURE_RATE_LIMITED);
}

/* A call is counted once, whatever happens later. */
static bool
pass(struct call *call, const struct limit_network *network, const struct limit_claim *claims, size_t count)
{
	struct limiter *limiter = call->api->options->limiter;
	struct limit_verdict verdict;
	if (call->counted)
		return true;
	const bool passes = call->checking_limits ? limiter_would_pass(limiter, network, claims, count, &verdict)
						  : limiter_pass(limiter, network, claims, count, &verdict);
	call->counted = passes && !call->checking_limits;
	return passes || refuse(call, &verdict);
}

/* Applies one kind of limit, for all campaigns together. */
static bool
pass_kind(struct call *call, enum limit_kind kind)
{
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	const struct limit_network network = limit_network_of(&call->client);
	return pass(call, &network, claims, limit_claim_address(&call->client, kind, 0, claims, names));
}

bool
call_pass_address(struct call *call)
{
	struct limit_claim claims[2 * LIMIT_REACHES];
	struct limit_name names[2 * LIMIT_REACHES];
	const struct limit_network network = limit_network_of(&call->client);
	uint64_t campaign_id;
	if (call->route->key == KEY_TOKEN) /* opt-out pages, with any method */
		return pass_kind(call, LIMIT_POSTS);
	if ((call->route->flags & ROUTE_READINESS) != 0)
		return pass_kind(call, LIMIT_READINESS);
	if (reads_only(call))
		return pass_kind(call, LIMIT_LOOKUPS);
	if (call->route->method == HTTP_DELETE && call->route->key != KEY_MANAGE) /* DELETE always needs a key */
		return true;
	if (call->route->campaign == NO_CAMPAIGN)
		return pass_kind(call, LIMIT_POSTS);
	const bool readable = call_campaign_id(call, &campaign_id);
	call->checking_limits = call->checking_limits && readable; /* if it is unreadable, the call has failed and counts now */
	size_t count = limit_claim_address(&call->client, LIMIT_POSTS, 0, claims, names);
	if (!call->checking_limits || campaign_id != 0) /* if there is no id, it may be in the body */
		count += limit_claim_address(&call->client, LIMIT_SIGNUPS, campaign_id, claims + count, names + count);
	return pass(call, &network, claims, count) && readable;
}

/* Counts the call towards another limit than its own. Returns whether it is within that limit, and never fails the call. */
static bool
count_request(struct call *call, enum limit_kind kind, struct limit_verdict *verdict)
{
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	const struct limit_network network = limit_network_of(&call->client);
	const size_t count = limit_claim_address(&call->client, kind, 0, claims, names);
	return limiter_pass(call->api->options->limiter, &network, claims, count, verdict);
}

bool
call_pass_form(struct call *call)
{
	struct limit_verdict verdict;
	return count_request(call, LIMIT_LOOKUPS, &verdict);
}

bool
call_pass_account(struct call *call)
{
	struct limit_claim claim = { .kind = LIMIT_DELETES, .caller = account_of(call) };
	const struct limit_network network = { claim.caller, 1 };
	if (call->account_id == 0)
		return true;
	if (call->route->method != HTTP_DELETE || call->route->key == KEY_MANAGE) { /* LIMIT_DELETES is for deleting leads */
		const int64_t own = call->key.account_per_minute;
		claim.kind = LIMIT_ACCOUNT;
		const struct api_options *options = call->api->options;
		claim.limit = limit_share(own >= 0 ? (uint32_t)own : options->account_per_minute, options->limit_hosts);
		if (claim.limit == 0)
			return true;
	}
	return pass(call, &network, &claim, 1);
}

bool
call_pass_user(struct call *call, uint64_t account_id, int64_t per_minute)
{
	call->account_id = account_id;
	call->key.account_per_minute = per_minute;
	return call_pass_account(call);
}

/* Does not set `counted`, because the limit of the account also counts the call. */
bool
call_pass_inbound(struct call *call)
{
	const struct slice caller = { (const char *)&call->inbound.id, sizeof(call->inbound.id) };
	const struct limit_claim claim = { .kind = LIMIT_INBOUND, .caller = caller };
	const struct limit_network network = { account_of(call), LIMITER_SPREAD };
	struct limit_verdict verdict;
	return limiter_pass(call->api->options->limiter, &network, &claim, 1, &verdict) || refuse(call, &verdict);
}

/* ---- codes ---- */

bool
call_sends_codes(const struct call *call)
{
	return call->campaign.verify_phone && store_sends_texts(call->api->store);
}

bool
call_mails_codes(const struct call *call)
{
	return campaign_mails_codes(&call->campaign) && store_sends_mail(call->api->store);
}

/* Counts in addition to the limits of the call itself. */
bool
call_pass_code(struct call *call)
{
	struct limit_verdict verdict;
	const bool passes = count_request(call, LIMIT_CODES, &verdict);
	if (!passes)
		note_refusal(call->api, &verdict);
	return passes;
}

/* ---- campaigns ---- */

static struct limit_claim
campaign_claim(const struct call *call, enum limit_kind kind)
{
	return (struct limit_claim){ .kind = kind, .caller = { (const char *)&call->campaign.id, sizeof(call->campaign.id) } };
}

bool
call_count_for_campaign(struct call *call, enum limit_kind kind)
{
	const struct limit_claim claim = campaign_claim(call, kind);
	const struct limit_network network = { claim.caller, 1 };
	struct limit_verdict ignored;
	return limiter_pass(call->api->options->limiter, &network, &claim, 1, &ignored);
}

uint32_t
call_campaign_count(struct call *call, enum limit_kind kind)
{
	const struct limit_claim claim = campaign_claim(call, kind);
	const struct limit_network network = { claim.caller, 1 };
	return limiter_count(call->api->options->limiter, &network, &claim);
}

bool
call_may_add_lead(struct call *call, struct limit_verdict *verdict)
{
	const struct limit_claim claim = campaign_claim(call, LIMIT_NEW_LEADS);
	const struct limit_network network = { claim.caller, 1 };
	return call->account_id != 0 || limiter_would_pass(call->api->options->limiter, &network, &claim, 1, verdict);
}

void
call_count_new_lead(struct call *call)
{
	if (call->account_id == 0)
		call_count_for_campaign(call, LIMIT_NEW_LEADS);
}

/* Logs at most one line per minute for each campaign, over all processes. */
void
call_refuse_new_lead(struct call *call, const struct limit_verdict *verdict)
{
	if (call_count_for_campaign(call, LIMIT_NEW_LEADS_LOG))
		log_info("new_leads_limited", LOG_UINT("campaign", call->campaign.id), LOG_UINT("limit", verdict->limit));
	refuse(call, verdict);
}

/* ---- keys, and the tokens of inbound webhooks ---- */

/* Wrong keys and unknown URLs are counted separately: calls of a removed URL must not stop calls with keys, and wrong keys must
 * not stop calls of URLs. */
static enum limit_kind
kind_of_failure(const struct call *call)
{
	return call->route->key == KEY_INBOUND ? LIMIT_UNKNOWN_URLS : LIMIT_FAILED_KEYS;
}

bool
call_may_fail_key(struct call *call)
{
	struct limit_claim claims[LIMIT_REACHES];
	struct limit_name names[LIMIT_REACHES];
	const struct limit_network network = limit_network_of(&call->client);
	const size_t count = limit_claim_address(&call->client, kind_of_failure(call), 0, claims, names);
	struct limit_verdict verdict;
	return limiter_would_pass(call->api->options->limiter, &network, claims, count, &verdict) || refuse(call, &verdict);
}

bool
call_key_is_known(struct call *call, struct slice hash)
{
	return limiter_is_noted(call->api->options->limiter, hash);
}

bool
call_may_try_key(struct call *call, struct slice hash)
{
	call->key_is_known = call_key_is_known(call, hash);
	return call->key_is_known || call_may_fail_key(call);
}

void
call_accept_key(struct call *call, struct slice hash)
{
	if (!call->key_is_known)
		limiter_note(call->api->options->limiter, hash);
}

void
call_drop_key(struct call *call, struct slice hash)
{
	limiter_remove(call->api->options->limiter, hash);
}

/* Counts the wrong key. Concurrent look-ups beyond the limit are refused like later ones. */
void
call_refuse_key(struct call *call, struct slice hash)
{
	if (call->key_is_known)
		call_drop_key(call, hash);
	call->checking_limits = false; /* a wrong key always counts, whatever the body contains */
	if (pass_kind(call, kind_of_failure(call)))
		call_fail(call, call->route->key == KEY_INBOUND ? FAILURE_NOT_FOUND : FAILURE_INVALID_API_KEY);
}

void
call_note_failed_key(struct call *call)
{
	struct limit_verdict verdict;
	call->counted = count_request(call, LIMIT_FAILED_KEYS, &verdict);
}
