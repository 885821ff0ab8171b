/* SPDX-License-Identifier: MIT
 * Replaces getaddrinfo, which libcurl calls, so that names resolve to any address without a name server. "hanging.example"
 * fails after OWN_NAMES_HANG_MS. */
#ifndef LEADHOOK_TESTS_DELIVER_OWN_NAMES_H
#define LEADHOOK_TESTS_DELIVER_OWN_NAMES_H

enum { OWN_NAMES_HANG_MS = 4000 };

#endif
