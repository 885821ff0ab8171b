/* SPDX-License-Identifier: MIT
 * The description of the API for programs: docs/openapi.json, as scripts/embed-script compiles it in. */
#ifndef LEADHOOK_API_HANDLERS_OPENAPI_TEXT_H
#define LEADHOOK_API_HANDLERS_OPENAPI_TEXT_H

#include "base/asset.h"

extern const struct asset openapi_document;

#endif
