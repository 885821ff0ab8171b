/* SPDX-License-Identifier: MIT
 * Email addresses (docs/api.md 4.2): the syntax that is accepted and the key by which two spellings are the same person. */
#ifndef LEADHOOK_CORE_EMAIL_H
#define LEADHOOK_CORE_EMAIL_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

/* RFC 5321 4.5.3.1, in octets; the whole is one of 256 for a path less its angle brackets. */
enum { EMAIL_LOCAL_MAX = 64, EMAIL_MAX = 254 };
/* Bytes of an address as typed: what leads.email holds whatever the characters are. In U-labels and NFC the longest that
 * EMAIL_MAX allows has some 890, so only what IDNA drops (soft hyphens) or maps to something shorter can be refused by it. */
enum { EMAIL_TYPED_MAX = 1024 };

struct email {
	struct slice display; /* as typed; the caller's bytes, not a copy; at most EMAIL_TYPED_MAX */
	struct slice key;     /* the identity: local part in NFC with ASCII letters in lower case, '@', domain in lower-case
				 A-labels; at most EMAIL_MAX bytes; in the pool */
};

/* `typed` is trimmed already (docs/api.md 1). The grammar of WHATWG's input type=email, RFC 5321's lengths, UTF-8 on both
 * sides (RFC 6531). Neither dots nor plus tags are folded. False when it is no such address; *email is then untouched. */
MUST_CHECK bool email_parse(struct pool *pool, struct slice typed, struct email *email);

#endif
