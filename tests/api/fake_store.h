/* SPDX-License-Identifier: MIT
 * All of store/store.h that the api links to, in memory: a few accounts, campaigns and leads, on which commands are carried
 * out by the rules themselves. It notes which campaigns were read or changed, so that tests can tell who was left alone.
 *
 * A function that the api comes to use is added here, with a line that notes what it touches. */
#ifndef LEADHOOK_TESTS_API_FAKE_STORE_H
#define LEADHOOK_TESTS_API_FAKE_STORE_H

#include "api/api.h"

/* Whose campaigns and keys they are. The account of the suspended campaign has a key of its own. */
enum { FAKE_ACCOUNT = 1, FAKE_OTHER_ACCOUNT, FAKE_SUSPENDED_ACCOUNT };
#define FAKE_KEY "lh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define FAKE_OTHER_KEY "lh_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define FAKE_SUSPENDED_KEY "lh_CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"

/* Each campaign has a lead, a tag, an action and a webhook; those of the first are named here. */
enum {
	FAKE_CAMPAIGN = 1,    /* of FAKE_ACCOUNT, as are all but the next one and the suspended one */
	FAKE_OTHER_CAMPAIGN,  /* of FAKE_OTHER_ACCOUNT */
	FAKE_ENDED_CAMPAIGN,  /* takes no leads */
	FAKE_STRICT_CAMPAIGN, /* demands a key and verification, judges addresses and domains, has a waiting list */
	FAKE_SUSPENDED_CAMPAIGN,
	FAKE_CAMPAIGNS = FAKE_SUSPENDED_CAMPAIGN,
	FAKE_NO_CAMPAIGN = 99
};
#define FAKE_EMAIL "ada@example.org"
#define FAKE_PHONE "+4915112345678"
#define FAKE_URL "https://hooks.example/ada"
enum { FAKE_TAG = 1, FAKE_ACTION = 1 };

/* A new world; all of it, and whatever is asked of it, lives in the pool. */
struct store *fake_store_new(struct pool *pool);
struct api_backend fake_backend(struct store *store);

/* The lead of a campaign that was there first. */
struct slice fake_social_id(const struct store *store, uint64_t campaign_id);
struct slice fake_opt_out_token(const struct store *store, uint64_t campaign_id);
uint64_t fake_account(const struct store *store, uint64_t campaign_id);

/* How often something of a campaign was read, beyond the row that says whose it is; how often something was changed. */
size_t fake_reads(const struct store *store, uint64_t campaign_id);
size_t fake_changes(const struct store *store, uint64_t campaign_id);

#endif
