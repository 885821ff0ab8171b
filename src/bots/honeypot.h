/* SPDX-License-Identifier: MIT
 * The honeypot of a form: a field that people do not see and programs fill in (docs/api.md 8).
 *
 * Its name is five pairs of a letter and a digit. Browsers recognise fields to fill in by parts of words, and so do not
 * recognise this one. No parameter of the API has such a name. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { HONEYPOT_NAME_SIZE = 10 };

/* The name in the forms of a campaign; always the same. It is stored in `out`. `server_secret` is raw bytes. */
struct slice honeypot_name(char out[HONEYPOT_NAME_SIZE], struct slice server_secret, uint64_t campaign_id);

/* Whether the name has the form of a honeypot's name. Saves an HMAC for most names. */
bool honeypot_well_formed(struct slice name);
