/* SPDX-License-Identifier: MIT
 * Webhooks of a campaign: registered, changed, removed, listed (docs/deliveries.md 1). Functions fail as described in
 * store/store.h. */
#pragma once

#include "store/store.h"

/* A webhook, as its operator sees it. */
struct webhook_row {
	uint64_t id, campaign_id;
	struct slice url, source;
	uint32_t events;
	bool form;
	enum webhook_state state;
	int64_t failing_since_ms, last_delivery_ms;
	int status; /* HTTP status of the last attempt, 0: none */
};

enum format_change {
	FORMAT_UNCHANGED, /* JSON for a new webhook */
	FORMAT_JSON,
	FORMAT_FORM
};

struct webhook_put {
	uint64_t campaign_id;
	struct slice url;
	uint32_t events;
	struct slice source; /* absent: unchanged */
	enum format_change format;
	struct slice secret; /* for a new webhook; a new secret in every call */
	size_t maximum;      /* webhooks per campaign */
};

/* Adds a webhook, or replaces the events, the source and the format of the one with the same URL, compared byte for byte.
 * *created: it was added, with the given secret. A webhook whose receiver answered 410 becomes active again; a disabled one
 * stays disabled. RESULT_TOO_MANY: the campaign has `maximum` webhooks; RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_put_webhook(
    struct store *store, const struct precondition *precondition, const struct webhook_put *put, uint64_t *id, bool *created);
/* Removes the webhook with this URL. The dispatcher ends its pending deliveries. RESULT_NOT_FOUND: no such webhook. */
MUST_CHECK enum result store_remove_webhook(struct store *store, uint64_t campaign_id, struct slice url);
/* As above, but by id. */
MUST_CHECK enum result store_remove_webhook_id(struct store *store, const struct precondition *precondition, uint64_t id);
MUST_CHECK enum result store_list_webhooks(
    struct store *store, struct pool *pool, uint64_t campaign_id, struct webhook_row **webhooks, size_t *count);

/* ---- inside src/store: in a transaction of the caller; RESULT_NOT_FOUND: no such webhook ---- */

struct row_reader;
#define WEBHOOK_COLUMNS                                                                          \
	"w.id, w.campaign_id, w.url, w.source, w.events, w.format, w.state, s.failing_since_ms," \
	" s.last_delivery_ms, s.last_status"
/* Columns: WEBHOOK_COLUMNS. The URL is absent if it cannot be opened (store/secrets.h). */
struct webhook_row row_webhook(struct store *store, struct pool *pool, struct row_reader *r);

/* store_lock_settings for the campaign of a webhook. After RESULT_OK, the webhook may have been removed before the lock was
 * granted. */
MUST_CHECK enum result store_lock_webhook_settings(
    struct store *store, uint64_t webhook_id, const struct precondition *precondition);

/* Makes the webhook active and resets its failures. The settings of its campaign must be locked. */
MUST_CHECK enum result store_activate_webhook(struct store *store, uint64_t webhook_id);

/* Gives the webhook a valid URL. Unless it already has this URL, its failures, hold and last answer are discarded, because they
 * belong to the old URL. Its state does not change. The settings of its campaign must be locked. RESULT_REFUSED with *taken:
 * another webhook of the campaign has the URL; nothing was changed. */
MUST_CHECK enum result store_move_webhook(
    struct store *store, struct pool *pool, const struct webhook_row *webhook, struct slice url, bool *taken);
