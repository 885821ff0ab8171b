/* SPDX-License-Identifier: MIT
 * Messages to leads: their kinds, and what a batch requests (docs/api.md 4.1.12). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* X(kind, name). The numbers are stored: they never change, and new kinds are added at the end. */
#define MESSAGE_KIND_LIST(X)                                 \
	X(VERIFY, "verify")                                  \
	X(WELCOME, "welcome")                                \
	X(REWARD, "reward")     /* ref: the reward level */  \
	X(REFERRAL, "referral") /* ref: the referred lead */ \
	X(STATUS_LINK, "status_link")                        \
	X(ERASE_CONFIRM, "erase_confirm")                    \
	X(CODE, "code")     /* a text to a phone */          \
	X(DIGEST, "digest") /* `ref` is when it is due, as in struct referral_link */
#define MESSAGE_KIND(kind, name) MESSAGE_##kind,
enum message_kind { MESSAGE_KIND_LIST(MESSAGE_KIND) MESSAGE_KINDS };
#undef MESSAGE_KIND

/* The kind's bit in a set of kinds; and the kinds that a campaign chooses with its setting `mails`. The others are sent when
 * they are needed. */
#define MESSAGE_BIT(kind) (UINT32_C(1) << (kind))
#define MESSAGES_CHOSEN                                                                               \
	(MESSAGE_BIT(MESSAGE_WELCOME) | MESSAGE_BIT(MESSAGE_REWARD) | MESSAGE_BIT(MESSAGE_REFERRAL) | \
	    MESSAGE_BIT(MESSAGE_STATUS_LINK))

/* "verify", …; absent for an unknown number. */
struct slice message_kind_name(enum message_kind kind);
/* Returns false, with *kind unchanged, when no kind has this name. */
MUST_CHECK bool message_kind_parse(struct slice name, enum message_kind *kind);

/* Whether it is sent even to a lead that has opted out: verify and erase_confirm. */
MUST_CHECK bool message_ignores_opt_out(enum message_kind kind);
/* Whether a person waits for it: it is sent before all others, and soon becomes useless. */
MUST_CHECK bool message_is_urgent(enum message_kind kind);

/* What the operator can do if mails are not accepted for this reason; NULL: nothing. */
const char *message_hint(struct slice reason);

/* A message that a batch requests. */
struct made_message {
	uint64_t campaign_id, lead_id;
	enum message_kind kind;
	uint64_t ref;               /* 0: none */
	int64_t due_ms;             /* 0: at once */
	struct slice requested_for; /* hashes (identity/signed_token.h) of an address that a caller typed: the message counts
				     * towards the address's limits even if there is no lead; otherwise absent */
};
