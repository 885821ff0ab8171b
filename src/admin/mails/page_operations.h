/* SPDX-License-Identifier: MIT
 * The texts and looks of a campaign's pages (docs/pages.md). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_page_show, operation_page_set, operation_page_preview;
