/* SPDX-License-Identifier: MIT
 * One-time codes of an authenticator app: TOTP (RFC 6238) with HMAC-SHA1, six digits and steps of 30 seconds, which every app
 * has. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"

enum { TOTP_SECRET_SIZE = 20, TOTP_DIGITS = 6, TOTP_STEP_MS = 30 * 1000 };

/* A random secret of TOTP_SECRET_SIZE bytes as Base32, as it is stored and as people type it. */
struct slice totp_secret_make(struct pool *pool);
/* The address that an app reads from a QR code. `issuer` is the name of the service, `account` that of the user. */
struct slice totp_url(struct pool *pool, struct slice issuer, struct slice account, struct slice secret);

/* The code of a step (RFC 6238 4.2). `secret` must be Base32. */
uint32_t totp_code(struct pool *pool, struct slice secret, uint64_t step);
/* Whether the text is the code for the step of `now_ms` or the step before (RFC 6238 5.2). Each code is accepted once: its step
 * must be later than `last_step`, the last one accepted. Sets *step to the step of the code. A secret that is not Base32 has no
 * codes. */
MUST_CHECK bool totp_accepts(
    struct pool *pool, struct slice secret, struct slice text, int64_t now_ms, uint64_t last_step, uint64_t *step);
