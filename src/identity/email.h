/* SPDX-License-Identifier: MIT
 * Email addresses (docs/api.md 4.2): the accepted syntax, and the key that identifies a person across spellings. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"

/* RFC 5321 4.5.3.1, in octets. EMAIL_MAX is the limit of 256 for a path, less its angle brackets. */
enum { EMAIL_LOCAL_MAX = 64, EMAIL_MAX = 254 };
/* Size of an address as stored for display: what leads.email can hold, whatever the characters are. With U-labels in NFC the
 * longest address within EMAIL_MAX has about 890 bytes, so this refuses only addresses with characters that IDNA maps to
 * shorter ones. */
enum { EMAIL_TYPED_MAX = 1024 };

struct email {
	struct slice display; /* the address alone, cleaned (typed.h); the caller's bytes where they need no change; at most
				 EMAIL_TYPED_MAX */
	struct slice key;     /* the identity: local part in NFC with ASCII letters in lower case, '@', domain in lower-case
				 A-labels; at most EMAIL_MAX bytes; in the pool */
};

/* Cleans the text (typed.h) and removes what may surround an address: a name, a comment, brackets, quotes, `mailto:` and its
 * parameters, punctuation at the ends, an apostrophe in front. The rest must follow the grammar of WHATWG's input type=email,
 * with the lengths of RFC 5321 and UTF-8 on both sides (RFC 6531). Dots and plus tags are kept. Returns false, with *email
 * unchanged, when it is not exactly one valid address. */
MUST_CHECK bool email_parse(struct pool *pool, struct slice typed, struct email *email);

/* Why email_parse refuses a text, for the person who typed it. */
struct slice email_fault(struct slice typed);

/* The mailbox by which mails to an address are counted: the key without the tag after a plus sign and, at Gmail, without dots.
 * As far as is known, all addresses that a provider delivers to one mailbox have the same one. */
struct slice email_mailbox(struct pool *pool, struct slice key);
