/* SPDX-License-Identifier: MIT
 * Webhooks as operators and owners see and change them (docs/operating.md 4). */
#pragma once

#include "store/hooks/webhooks.h"
#include "store/store.h"

/* URLs of active webhooks, the newest first, at most `maximum`. */
MUST_CHECK enum result store_list_destinations(
    struct store *store, struct pool *pool, uint64_t maximum, struct slice **urls, size_t *count);

/* A webhook that was stopped, but not by a person. */
struct stopped_webhook {
	uint64_t id, campaign_id;
	bool gone; /* its receiver answered 410; otherwise it failed for too long */
};
/* Up to `maximum`, the newest first. */
MUST_CHECK enum result store_list_stopped_webhooks(
    struct store *store, struct pool *pool, uint64_t maximum, struct stopped_webhook **webhooks, size_t *count);

/* What an operator sets for a webhook; absent slices are NULL in the row. */
struct webhook_settings {
	struct slice url; /* a valid URL; absent: unchanged. Always absent when settings are read */
	struct slice source;
	uint32_t events;
	bool form;
	struct slice schedule;                                /* as retry_schedule_parse reads it; absent: as in the setting */
	struct slice accepts;                                 /* as retry_is_taken reads it */
	uint32_t rate;                                        /* deliveries per second; 0: any number */
	struct slice ca_file, client_certificate, client_key; /* paths where the dispatcher runs */
};
struct webhook_details {
	struct webhook_row row;
	struct webhook_settings settings;
	struct slice last_error;   /* why the last attempt got no complete answer; absent: it got one */
	unsigned failures;         /* attempts since the last success */
	int64_t held_until_ms;     /* nothing is sent before; -1: no hold */
	int64_t previous_until_ms; /* until then the previous secret signs, too; -1: it does not */
	uint64_t pending;          /* deliveries */
	int64_t oldest_due_ms;     /* when the oldest of them is due; -1: there are none */
};
/* RESULT_NOT_FOUND: no such webhook, here and below. */
MUST_CHECK enum result store_find_webhook(struct store *store, struct pool *pool, uint64_t id, struct webhook_details *webhook);
/* Makes a disabled or gone webhook active, and ends its hold and resets its failures; its deliveries are sent when they are
 * due. */
MUST_CHECK enum result store_enable_webhook(struct store *store, const struct precondition *precondition, uint64_t id);
/* Makes the webhook's deliveries wait. Does nothing if the webhook is not active: a webhook that is gone stays gone. */
MUST_CHECK enum result store_disable_webhook(struct store *store, const struct precondition *precondition, uint64_t id);
/* Sets another secret, a new one in every call. The previous one also signs for `overlap_ms`; older ones no longer do. */
MUST_CHECK enum result store_rotate_secret(
    struct store *store, const struct precondition *precondition, uint64_t id, struct slice secret, int64_t overlap_ms);
struct webhook_change {
	/* Sets some members and leaves the others unchanged; the values must outlive the call. Returns false to refuse. */
	bool (*edit)(void *context, struct webhook_settings *settings);
	void *context;
	/* set; in the pool */
	struct webhook_details before, after; /* read in the transaction */
	bool url_taken;                       /* another webhook of the campaign has the URL */
};
/* As in store_edit_campaign. Existing deliveries keep their format. With another URL, does the same as store_move_webhook
 * (store/hooks/webhooks.h). RESULT_REFUSED: the edit refused, or url_taken is set. */
MUST_CHECK enum result store_edit_webhook(struct store *store, struct pool *pool, const struct precondition *precondition,
    uint64_t id, struct webhook_change *change);
/* A test delivery for a webhook in any state: it is in no table, and has no payload or format yet. */
struct due_delivery;
MUST_CHECK enum result store_test_delivery(
    struct store *store, struct pool *pool, uint64_t webhook_id, struct due_delivery *delivery);
