/* SPDX-License-Identifier: MIT
 * A file that scripts/embed-script or scripts/dashboard-files compiles into the program. */
#pragma once

#include "base/slice.h"

struct asset {
	struct slice plain, gzip; /* the text, and the same text compressed (RFC 1952) */
	struct slice version;     /* changes with the text: the first 16 hexadecimal digits of its SHA-256 */
};
