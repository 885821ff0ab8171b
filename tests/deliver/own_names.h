/* SPDX-License-Identifier: MIT
 * Replaces getaddrinfo, which libcurl calls, so that names resolve to any address without a name server. "hanging.example"
 * fails after OWN_NAMES_HANG_MS. */
#pragma once

enum { OWN_NAMES_HANG_MS = 4000 };
