/* SPDX-License-Identifier: MIT
 * The markup that puts a campaign on pages of other sites (docs/embedding.md). */
#ifndef LEADHOOK_ADMIN_CAMPAIGNS_EMBED_OPERATION_H
#define LEADHOOK_ADMIN_CAMPAIGNS_EMBED_OPERATION_H

#include "operation/operation.h"

extern const struct operation operation_campaign_embed;

#endif
