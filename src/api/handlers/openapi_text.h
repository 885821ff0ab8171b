/* SPDX-License-Identifier: MIT
 * The description of the API for programs: docs/openapi.json, which scripts/embed-script compiles in. */
#pragma once

#include "base/asset.h"

extern const struct asset openapi_document;
