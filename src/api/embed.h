/* SPDX-License-Identifier: MIT
 * The script for pages, src/api/embed.js, as scripts/embed-script has compiled it in. */
#ifndef LEADHOOK_API_EMBED_H
#define LEADHOOK_API_EMBED_H

#include <stddef.h>

extern const char embed_script[];
extern const size_t embed_script_size; /* without the final NUL */

#endif
