/* SPDX-License-Identifier: MIT
 * Which account and campaign an object belongs to, for the rights of callers (docs/manage.md 2). */
#pragma once

#include "store/store.h"

enum owned_kind {
	OWNED_ACCOUNT,
	OWNED_KEY,
	OWNED_CAMPAIGN,
	OWNED_TAG,
	OWNED_ACTION,
	OWNED_REWARD,
	OWNED_WEBHOOK,
	OWNED_DELIVERY,
	OWNED_INBOUND,
	OWNED_CALL,
	OWNED_MAIL,
	OWNED_USER,
	OWNED_JOB,
	OWNED_KINDS
};

struct owner {
	uint64_t account_id;  /* 0: the user is an operator, or the job belongs to the installation */
	uint64_t campaign_id; /* 0: it belongs to the account itself */
	bool suspended;       /* the account is suspended */
};

/* RESULT_NOT_FOUND: there is no object of this kind and id. */
MUST_CHECK enum result store_find_owner(struct store *store, enum owned_kind kind, uint64_t id, struct owner *owner);
