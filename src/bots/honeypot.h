/* SPDX-License-Identifier: MIT
 * The honeypot of a form: a field that people do not see and programs fill in (docs/api.md 8).
 *
 * Its name is a letter and a digit, five times. No two letters follow each other, so no browser takes it for a field that it
 * fills in: their patterns are parts of words. No parameter of the API has such a name. */
#ifndef LEADHOOK_BOTS_HONEYPOT_H
#define LEADHOOK_BOTS_HONEYPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { HONEYPOT_NAME_SIZE = 10 };

/* The name for a campaign's forms; always the same. `out` holds it. `server_secret` as raw bytes. */
struct slice honeypot_name(char out[HONEYPOT_NAME_SIZE], struct slice server_secret, uint64_t campaign_id);

/* Whether the name has the form of a honeypot's. A name that does not is no honeypot, without an HMAC. */
bool honeypot_well_formed(struct slice name);

#endif
