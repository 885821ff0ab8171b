/* SPDX-License-Identifier: MIT
 * The markup that puts a campaign on pages of other sites (docs/embedding.md). */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_campaign_embed;
