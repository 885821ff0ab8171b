/* SPDX-License-Identifier: MIT
 * The table of routes (docs/api.md 4.1): struct route in routes.h describes its columns. Handlers are in a layer above this
 * folder, so only the file that calls them (api.c) uses their column. */
#pragma once

/* Calls on a campaign that need a key; pages of a campaign. */
#define ROUTE_WITH_KEY(X, method, rest, rights, flags, handler) \
	X(method, "v2/{campaign}/" rest, KEY_REQUIRED, CAMPAIGN_IN_PATH, rights, flags, handler)
#define ROUTE_OF_PAGE(X, method, rest, flags, handler) \
	X(method, "c/{campaign}" rest, KEY_PAGE, CAMPAIGN_IN_PATH, RIGHTS_NONE, flags, handler)
/* A bulk call. Bulk calls also work after the campaign's end, without points (docs/api.md 6). */
#define ROUTE_BULK_WORD(X, word) ROUTE_WITH_KEY(X, POST, word, RIGHT_CHANGE, ROUTE_BULK, handle_bulk_change)

#define ROUTE_READS (RIGHT_INGEST | RIGHT_LEADS)
#define ROUTE_ADDS (RIGHT_INGEST | RIGHT_CHANGE)
#define ROUTE_SIGNUP (ROUTE_UNTIL_END | ROUTE_FIELDS)
/* Older forms and embedded scripts. */
#define ROUTE_SUBSCRIBES (ROUTE_SIGNUP | ROUTE_SUBSCRIBE | ROUTE_URL)

/* X(method, path, key, campaign, rights, flags, handler) */
/* clang-format off */
#define ROUTE_LIST(X) \
	X(GET, "health", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_health) \
	X(GET, "health/ready", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, ROUTE_READINESS, handle_ready) \
	X(GET, "metrics", KEY_METRICS, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_metrics) \
	X(GET, "health/echo/{probe}", KEY_PROBE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_echo) \
	X(POST, "health/echo/{probe}", KEY_PROBE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_echo) \
	X(GET, "openapi.json", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_openapi) \
	X(GET, "dashboard", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_dashboard) \
	X(GET, "dashboard/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_dashboard_file) \
	X(GET, "embed/v1/embed.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script) \
	/* the same script under the path from which older pages load theirs */ \
	X(GET, "bar/v1/signupbar.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script) \
	X(GET, "{version}/kol.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_embed_script) \
	X(GET, "widgets/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script) \
	X(GET, "w/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script) \
	X(GET, "w/{version}/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_older_script) \
	X(GET, "embed/v1/images/social/{file}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_icon) \
	X(GET, "{page}", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_landing_page) \
	X(GET, "v2/campaigns", KEY_REQUIRED, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_campaigns) \
	X(POST, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, ROUTE_ADDS, ROUTE_SIGNUP, handle_signup) \
	X(GET, "v2", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, ROUTE_READS, 0, handle_lookup) \
	X(POST, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_SIGNUP, handle_signup) \
	X(GET, "v2/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_READS, 0, handle_lookup) \
	X(DELETE, "v2/{campaign}", KEY_REQUIRED, CAMPAIGN_IN_PATH, RIGHT_CHANGE, ROUTE_BULK, handle_bulk_delete) \
	ROUTE_WITH_KEY(X, GET, "stats", RIGHT_STATS | RIGHT_LEADS, ROUTE_COUNTERS, handle_stats) \
	ROUTE_WITH_KEY(X, GET, "leads", RIGHT_LEADS, 0, handle_list_leads) \
	X(GET, "v2/{campaign}/leaderboard", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_READS, 0, handle_leaderboard) \
	ROUTE_WITH_KEY(X, GET, "actions", RIGHTS_ALL, 0, handle_list_actions) \
	ROUTE_WITH_KEY(X, GET, "tags", RIGHTS_ALL, 0, handle_list_tags) \
	ROUTE_WITH_KEY(X, POST, "actions/{action_id}", RIGHT_CHANGE, ROUTE_UNTIL_END, handle_complete_action) \
	X(POST, "action/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_UNTIL_END, handle_action) \
	ROUTE_WITH_KEY(X, POST, "points", RIGHT_CHANGE, ROUTE_BULK | ROUTE_UNTIL_END, handle_points) \
	ROUTE_WITH_KEY(X, POST, "tags/{tag_id}/lead", RIGHT_CHANGE, ROUTE_SIGNUP, handle_tag_lead) \
	ROUTE_BULK_WORD(X, "optout") \
	ROUTE_BULK_WORD(X, "sms_optout") \
	ROUTE_BULK_WORD(X, "sms_optin") \
	ROUTE_BULK_WORD(X, "verify") \
	ROUTE_BULK_WORD(X, "unverify") \
	ROUTE_BULK_WORD(X, "approve") \
	ROUTE_BULK_WORD(X, "block") \
	ROUTE_BULK_WORD(X, "waitlist") \
	ROUTE_BULK_WORD(X, "unwaitlist") \
	ROUTE_BULK_WORD(X, "tag") \
	ROUTE_WITH_KEY(X, POST, "tags/bulk", RIGHT_CHANGE, ROUTE_BULK, handle_bulk_tags) \
	ROUTE_WITH_KEY(X, POST, "lead-parent", RIGHT_CHANGE, ROUTE_BULK, handle_tag_referrers) \
	ROUTE_WITH_KEY(X, POST, "tags/{tag_id}/lead-parent", RIGHT_CHANGE, ROUTE_BULK, handle_tag_referrers_of_path) \
	X(POST, "v2/{campaign}/verify-phone-number", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, 0, handle_verify_phone_number) \
	ROUTE_WITH_KEY(X, POST, "outbound-webhook", RIGHT_HOOKS | RIGHT_LEADS, ROUTE_ALL_RIGHTS, handle_put_webhook) \
	ROUTE_WITH_KEY(X, GET, "outbound-webhook", RIGHT_HOOKS, 0, handle_list_webhooks) \
	ROUTE_WITH_KEY(X, DELETE, "outbound-webhook", RIGHT_HOOKS, 0, handle_remove_webhook) \
	ROUTE_WITH_KEY(X, POST, "inbound-webhook", RIGHT_HOOKS | RIGHT_LEADS | RIGHT_CHANGE, ROUTE_ALL_RIGHTS | ROUTE_ADMITS, \
	    handle_put_inbound) \
	ROUTE_WITH_KEY(X, GET, "inbound-webhook", RIGHT_HOOKS, 0, handle_list_inbound) \
	ROUTE_WITH_KEY(X, DELETE, "inbound-webhook", RIGHT_HOOKS, 0, handle_remove_inbound) \
	/* even for ended campaigns: the payload is stored */ \
	X(POST, "inbound/{campaign}/{token}", KEY_INBOUND, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_SUBSCRIBE | ROUTE_FIELDS, \
	    handle_inbound) \
	X(GET, "inbound/{campaign}/{token}", KEY_INBOUND, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_SUBSCRIBE | ROUTE_FIELDS, \
	    handle_inbound_check) \
	X(GET, "opt-out/{campaign}/{social_id}/{token}", KEY_TOKEN, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_PAGE, \
	    handle_opt_out_link) \
	X(POST, "opt-out/{campaign}/{social_id}/{token}", KEY_TOKEN, CAMPAIGN_IN_PATH, RIGHTS_NONE, ROUTE_PAGE, handle_opt_out) \
	X(GET, "c/style/page.css", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_page_style) \
	X(GET, "c/style/page.js", KEY_NONE, NO_CAMPAIGN, RIGHTS_NONE, 0, handle_page_script) \
	ROUTE_OF_PAGE(X, GET, "", ROUTE_HOSTED | ROUTE_FRAMED | ROUTE_UNTIL_END, handle_signup_page) \
	X(POST, "c/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_HOSTED | ROUTE_FRAMED | ROUTE_SUBSCRIBES, \
	    handle_signup_form) \
	X(GET, "c/{campaign}/form", KEY_OPTIONAL, CAMPAIGN_IN_PATH, RIGHTS_ALL, ROUTE_UNTIL_END, handle_form) \
	ROUTE_OF_PAGE(X, GET, "/style.css", 0, handle_campaign_style) \
	ROUTE_OF_PAGE(X, GET, "/s/{social_id}", ROUTE_HOSTED | ROUTE_FRAMED, handle_status_page) \
	ROUTE_OF_PAGE(X, GET, "/s/{social_id}/{token}", ROUTE_HOSTED | ROUTE_FRAMED, handle_status_page) \
	ROUTE_OF_PAGE(X, POST, "/s/{social_id}/{token}", ROUTE_HOSTED | ROUTE_FRAMED, handle_status_button) \
	ROUTE_OF_PAGE(X, GET, "/confirm/{token}", ROUTE_MAILED | ROUTE_EXPIRES, handle_confirm_page) \
	ROUTE_OF_PAGE(X, POST, "/confirm/{token}", ROUTE_MAILED | ROUTE_EXPIRES, handle_confirm) \
	ROUTE_OF_PAGE(X, GET, "/sent", ROUTE_MAILED | ROUTE_FRAMED, handle_sent_page) \
	ROUTE_OF_PAGE(X, POST, "/sent", ROUTE_MAILED | ROUTE_FRAMED, handle_sent_button) \
	ROUTE_OF_PAGE(X, GET, "/thanks", ROUTE_MAILED | ROUTE_FRAMED, handle_thanks_page) \
	ROUTE_OF_PAGE(X, GET, "/code", ROUTE_MAILED | ROUTE_FRAMED, handle_code_page) \
	ROUTE_OF_PAGE(X, POST, "/code", ROUTE_MAILED | ROUTE_FRAMED | ROUTE_REQUESTS, handle_code) \
	ROUTE_OF_PAGE(X, GET, "/erase", ROUTE_MAILED, handle_erase_form) \
	ROUTE_OF_PAGE(X, POST, "/erase", ROUTE_MAILED | ROUTE_REQUESTS, handle_erase_request) \
	ROUTE_OF_PAGE(X, GET, "/erase/{token}", ROUTE_MAILED | ROUTE_EXPIRES, handle_erase_page) \
	ROUTE_OF_PAGE(X, POST, "/erase/{token}", ROUTE_MAILED | ROUTE_EXPIRES, handle_erase) \
	X(POST, "subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PARAMETERS, ROUTE_ADDS, ROUTE_SUBSCRIBES, handle_signup) \
	X(POST, "v1/{campaign}/subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_SUBSCRIBES, handle_signup) \
	X(GET, "v1/{campaign}/subscribe", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_SUBSCRIBES | ROUTE_JSONP, \
	    handle_signup) \
	X(GET, "v1/{campaign}/info", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_READS, ROUTE_JSONP | ROUTE_URL, handle_lookup) \
	X(POST, "v1/authenticate", KEY_PASSWORD, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_authenticate) \
	X(GET, "v1/landing_pages", KEY_REQUIRED, NO_CAMPAIGN, RIGHTS_ALL, 0, handle_landing_pages) \
	X(GET, "c/{campaign}/challenge", KEY_OPTIONAL, CAMPAIGN_IN_PATH, RIGHTS_ALL, ROUTE_UNTIL_END, handle_challenge) \
	X(POST, "lead/{campaign}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_ADDS, ROUTE_SIGNUP, handle_signup) \
	X(GET, "lead/{campaign}/{kid}", KEY_OPTIONAL, CAMPAIGN_IN_PATH, ROUTE_READS, 0, handle_lead_of_path)
/* clang-format on */
