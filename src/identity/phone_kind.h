/* SPDX-License-Identifier: MIT
 * Kinds of phone numbers, as far as they matter for texts to phones. Valid C and C++. */
#ifndef LEADHOOK_IDENTITY_PHONE_KIND_H
#define LEADHOOK_IDENTITY_PHONE_KIND_H

enum phone_kind {
	PHONE_MAY_BE_MOBILE, /* its numbering plan says so, or leaves it open */
	PHONE_SPECIAL_RATE,  /* premium rate or shared cost */
	PHONE_OTHER          /* a landline, voice over IP, …, or in a range that is not in use */
};

#endif
