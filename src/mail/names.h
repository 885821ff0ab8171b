/* SPDX-License-Identifier: MIT
 * The values that templates of mails may show (docs/mail.md 1.2): their names, and how a value is prepared for being shown. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/slice.h"

enum mail_name {
	MAIL_CAMPAIGN_NAME,
	MAIL_FIRST_NAME,
	MAIL_DISPLAY_NAME,
	MAIL_POSITION,
	MAIL_SHARED_POSITION,
	MAIL_SCORE,
	MAIL_REFERRALS,
	MAIL_SHARE_URL,
	MAIL_STATUS_URL,
	MAIL_CONFIRM_URL,
	MAIL_CODE,
	MAIL_CODE_URL,
	MAIL_REWARD,
	MAIL_REFERRED_NAME,
	MAIL_NEW_REFERRALS,
	MAIL_REFERRED_NAMES,
	MAIL_NEXT_REWARD,
	MAIL_POINTS_TO_NEXT,
	MAIL_PRIVACY_URL,
	MAIL_IMPRINT_URL,
	MAIL_UNSUBSCRIBE_URL,
	MAIL_LOGO_URL,
	MAIL_LANGUAGE,
	MAIL_NAMES
};

/* A set of names. */
typedef uint32_t mail_names;
#define MAIL_NAME_BIT(name) (UINT32_C(1) << (name))

/* Maximum characters of a value and of a person's name, and maximum bytes of a URL, that are shown. */
enum { MAIL_VALUE_MAX_CHARACTERS = 200, MAIL_PERSON_MAX_CHARACTERS = 64, MAIL_URL_MAX_BYTES = 2048 };

/* A value for each name, as it comes from a lead or from the settings; absent or empty: none. */
struct mail_values {
	struct slice of[MAIL_NAMES];
};

/* The name as templates use it: "campaign_name". */
struct slice mail_name_text(enum mail_name name);
/* Returns false, with *name unchanged, when there is no such name. */
MUST_CHECK bool mail_name_find(struct slice text, enum mail_name *name);
/* True for a URL that Leadhook builds, or that the operator has set. */
bool mail_name_is_url(enum mail_name name);
/* True for values that let anyone who has them act as the lead: they are only for the reader, and never part of a link to
 * another place. */
bool mail_name_is_secret(enum mail_name name);

/* Sets *clean to the values as they are shown; in the pool if they had to be changed. All are valid UTF-8 without control
 * characters, line ends and characters that change the direction of text. Texts are cut to MAIL_VALUE_MAX_CHARACTERS. Names of
 * persons are left out if mail programs would make a link of a part of them, because anyone can sign up any address with any
 * name. URLs are left out unless they begin with http:// or https://; spaces, quotes and angle brackets in them are
 * percent-encoded. */
void mail_values_clean(struct pool *pool, const struct mail_values *values, struct mail_values *clean);
