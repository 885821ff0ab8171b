/* SPDX-License-Identifier: MIT
 * Addresses as they appear in the envelope and in the headers of a mail. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct mail_address {
	struct slice text;   /* no control characters, spaces, quotes or angle brackets */
	struct slice domain; /* the part after the @, in lower-case A-labels */
	bool smtputf8;       /* the local part is not ASCII: only servers that offer SMTPUTF8 (RFC 6531) accept it */
};

/* An address with a display name; the name may be empty. */
struct mailbox {
	struct slice name;
	struct mail_address address;
};

enum { MAILBOX_NAME_MAX_BYTES = 200 };

/* Parses an email address (identity/email.h). An ASCII local part stays as typed; any other is taken from the key. Returns
 * false when the address is not valid. */
MUST_CHECK bool mail_address_parse(struct pool *pool, struct slice typed, struct mail_address *address);

/* Parses "ada@example.org" or "Ada Lovelace <ada@example.org>"; quotes around the name are removed. Returns false when the
 * address is not valid, or the name is not UTF-8, contains control characters, or has more than MAILBOX_NAME_MAX_BYTES. */
MUST_CHECK bool mailbox_parse(struct pool *pool, struct slice typed, struct mailbox *mailbox);

/* Whether a name is allowed before an address. Names are encoded, so only control characters and the length matter. */
MUST_CHECK bool mailbox_name_valid(struct slice name);
