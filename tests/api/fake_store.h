/* SPDX-License-Identifier: MIT
 * The part of src/store that the api uses, in memory: a few accounts, campaigns and leads. Commands follow the real rules. The
 * store counts the reads and changes of each campaign, so that tests can verify that a campaign was not touched.
 *
 * When the api uses another function of src/store, add it here, with a line that counts the access. */
#pragma once

#include "api/api.h"

/* Owners of campaigns and keys. The account of the suspended campaign has its own key. */
enum { FAKE_ACCOUNT = 1, FAKE_OTHER_ACCOUNT, FAKE_SUSPENDED_ACCOUNT };
#define FAKE_KEY "lh_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define FAKE_OTHER_KEY "lh_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
#define FAKE_SUSPENDED_KEY "lh_CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC"

/* Each campaign has a lead, a tag, an action and a webhook; those of the first are listed here. */
enum {
	FAKE_CAMPAIGN = 1,    /* of FAKE_ACCOUNT, like all except the next one and the suspended one */
	FAKE_OTHER_CAMPAIGN,  /* of FAKE_OTHER_ACCOUNT */
	FAKE_ENDED_CAMPAIGN,  /* accepts no leads */
	FAKE_STRICT_CAMPAIGN, /* requires a key and verification, limits addresses and domains, has a waiting list */
	FAKE_SUSPENDED_CAMPAIGN,
	FAKE_CAMPAIGNS = FAKE_SUSPENDED_CAMPAIGN,
	FAKE_NO_CAMPAIGN = 99
};
#define FAKE_EMAIL "ada@example.org"
#define FAKE_PHONE "+4915112345678"
#define FAKE_URL "https://hooks.example/ada"
enum { FAKE_TAG = 1, FAKE_ACTION = 1 };

/* A new store; it and its results live in the pool. */
struct store *fake_store_new(struct pool *pool);
struct api_backend fake_backend(struct store *store);

/* The initial lead of a campaign. */
struct slice fake_social_id(const struct store *store, uint64_t campaign_id);
struct slice fake_opt_out_token(const struct store *store, uint64_t campaign_id);
uint64_t fake_account(const struct store *store, uint64_t campaign_id);

/* Number of reads of a campaign, without those of the row of its account, and number of its changes. */
size_t fake_reads(const struct store *store, uint64_t campaign_id);
size_t fake_changes(const struct store *store, uint64_t campaign_id);
void fake_note_read(struct store *store, uint64_t campaign_id);
void fake_note_change(struct store *store, uint64_t campaign_id);
