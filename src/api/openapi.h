/* SPDX-License-Identifier: MIT
 * The description of the API for programs: docs/openapi.json, as scripts/embed-script compiles it in. */
#ifndef LEADHOOK_API_OPENAPI_H
#define LEADHOOK_API_OPENAPI_H

#include <stddef.h>

extern const char openapi_document[];
extern const size_t openapi_document_size; /* without the final NUL */

#endif
