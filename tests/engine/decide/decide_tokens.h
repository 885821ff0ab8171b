/* SPDX-License-Identifier: MIT
 * Helpers for tests of who owns a lead: its token, and what its person does. */
#pragma once

#include "decide_leads.h"

#include "engine/visitors.h"

#define EVE SLICE("+4930123456") /* the number that the stranger enters */

/* A campaign with default settings, and with pages. */
static inline int
open_pages(void **state)
{
	open_world(state);
	struct world *w = *state;
	campaign(w)->pages = true;
	return 0;
}

static inline void
run_one(struct world *w, struct command command)
{
	run(w, &command, 1);
	assert_int_equal(w->outcomes[0].failure, FAILURE_NONE);
	settle(w);
}

/* The token in the JSON of an answer or event: the end of its status_url; absent: no token. */
static inline struct slice
token_in(const struct world *w, struct slice json)
{
	static const char mark[] = "/c/7/s/";
	enum { ID_AND_SLASH = 11 };
	const char *url = strstr(json.data, mark);
	assert_non_null(url);
	url += strlen(mark);
	const size_t size = strcspn(url, "\"");
	return size > ID_AND_SLASH ? pool_copy(w->pool, (struct slice){ url + ID_AND_SLASH, size - ID_AND_SLASH }) : SLICE_NONE;
}

/* The present token of lead number 0, as the operator sees it. */
static inline struct slice
token_now(struct world *w)
{
	struct command command = signup(NULL, NULL);
	command.as.signup.subject = lead(w, 0)->social_id;
	command.as.signup.edits = true;
	run_one(w, command);
	return token_in(w, w->outcomes[0].body);
}

static inline struct command
with_token(struct world *w, struct command command, uint32_t epoch)
{
	command.as.signup.own_id = lead(w, 0)->social_id;
	command.as.signup.own_epoch = epoch;
	return command;
}

static inline void
prove(struct world *w, enum lead_channel channel)
{
	struct command command = { .kind = COMMAND_CHANGE, .campaign_id = CAMPAIGN };
	command.as.change = (struct lead_change){
		.action = LEAD_VERIFY,
		.lead = { .identity = LEAD_BY_ID, .id = lead(w, 0)->id },
		.argument = lead_channel_name(channel),
		.address = channel == CHANNEL_EMAIL ? lead(w, 0)->email_key : lead(w, 0)->phone,
		.by_lead = true,
	};
	run_one(w, command);
}

#define PAGES_TEST(f) cmocka_unit_test_setup_teardown(f, open_pages, close_world)
