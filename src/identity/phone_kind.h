/* SPDX-License-Identifier: MIT
 * Kinds of phone numbers, as texts to phones distinguish them. Read by C and by C++. */
#ifndef LEADHOOK_IDENTITY_PHONE_KIND_H
#define LEADHOOK_IDENTITY_PHONE_KIND_H

enum phone_kind {
	PHONE_MAY_BE_MOBILE, /* its numbering plan says so, or leaves it open */
	PHONE_SPECIAL_RATE,  /* premium rate or shared cost */
	PHONE_OTHER          /* a landline, voice over IP, …; also of a range that is not in use */
};

#endif
