/* SPDX-License-Identifier: MIT
 * Scripts, stylesheets and icons: of pages elsewhere (docs/embedding.md), of the hosted pages and of a campaign
 * (docs/pages.md), of the dashboard (docs/dashboard.md). The description of the API (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_embed_script, handle_older_script, handle_page_script, handle_page_style, handle_openapi,
    handle_campaign_style, handle_icon, handle_dashboard, handle_dashboard_file;
