/* SPDX-License-Identifier: MIT
 * Kinds of phone numbers, as far as they matter for texts. Valid C and C++. */
#pragma once

enum phone_kind {
	PHONE_MAY_BE_MOBILE, /* its numbering plan says so, or leaves it open */
	PHONE_SPECIAL_RATE,  /* premium rate or shared cost */
	PHONE_OTHER          /* a landline, voice over IP, …, or in a range that is not in use */
};
