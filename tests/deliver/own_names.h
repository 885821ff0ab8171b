/* SPDX-License-Identifier: MIT
 * A getaddrinfo of our own, which libcurl asks for names: they can lead anywhere without a name server. "hanging.example" is
 * answered after OWN_NAMES_HANG_MS, that there is none. */
#ifndef LEADHOOK_TESTS_DELIVER_OWN_NAMES_H
#define LEADHOOK_TESTS_DELIVER_OWN_NAMES_H

enum { OWN_NAMES_HANG_MS = 4000 };

#endif
