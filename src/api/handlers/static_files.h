/* SPDX-License-Identifier: MIT
 * Scripts, stylesheets and icons for pages of other sites (docs/embedding.md), for the hosted pages and their campaigns
 * (docs/pages.md) and for the dashboard (docs/dashboard.md). Also the description of the API (docs/api.md 4.1). */
#pragma once

#include "api/call/api_call.h"

call_handler handle_embed_script, handle_older_script, handle_page_script, handle_page_style, handle_openapi,
    handle_campaign_style, handle_icon, handle_dashboard, handle_dashboard_file;
