/* SPDX-License-Identifier: MIT
 * Addresses as the envelope and the header of a mail have them. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

struct mail_address {
	struct slice text;   /* no control characters, spaces, quotes or angle brackets */
	struct slice domain; /* the part of it after the @, in lower-case A-labels */
	bool smtputf8;       /* its local part is not ASCII: only servers that offer SMTPUTF8 (RFC 6531) take it */
};

/* An address with a display name; the name may be empty. */
struct mailbox {
	struct slice name;
	struct mail_address address;
};

enum { MAILBOX_NAME_MAX_BYTES = 200 };

/* A valid email address (identity/email.h). An ASCII local part stays as it was typed, another one is that of the key. Returns
 * false otherwise. */
MUST_CHECK bool mail_address_parse(struct pool *pool, struct slice typed, struct mail_address *address);

/* "ada@example.org" or "Ada Lovelace <ada@example.org>"; quotes around the name are removed. Returns false when the address is
 * not valid, or the name is no UTF-8, has control characters or more than MAILBOX_NAME_MAX_BYTES. */
MUST_CHECK bool mailbox_parse(struct pool *pool, struct slice typed, struct mailbox *mailbox);

/* Whether a name is allowed before an address: it is encoded, so that this is about control characters and length only. */
MUST_CHECK bool mailbox_name_valid(struct slice name);
