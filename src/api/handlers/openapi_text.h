/* SPDX-License-Identifier: MIT
 * The description of the API for programs: docs/openapi.json, as scripts/embed-script compiles it in. */
#pragma once

#include "base/asset.h"

extern const struct asset openapi_document;
