/* SPDX-License-Identifier: MIT
 * Campaigns as operators and owners manage them: added, changed, ended, reopened. */
#pragma once

#include "store/operator/cluster_numbers.h"
#include "store/store.h"

/* The settings of a campaign that an operator sets; absent slices are NULL in the row. */
struct campaign_settings {
	CAMPAIGN_SETTINGS(FIELD_MEMBER) /* an end time of -1: none; max_per_ip: see store_count_addresses */
	/* As in store_end_campaign or store_reopen_campaign, after all other changes. */
	enum campaign_request { CAMPAIGN_STAYS, CAMPAIGN_OPENS, CAMPAIGN_ENDS } request;
};
/* RESULT_NOT_FOUND: no such account. RESULT_TOO_MANY: it has `maximum` campaigns. */
MUST_CHECK enum result store_add_campaign(struct store *store, const struct precondition *precondition, uint64_t account_id,
    const struct campaign_settings *settings, uint64_t maximum, uint64_t *id);
/* As store_add_campaign, but with a given id and without a maximum, for an operator. store_add_campaign then never assigns this
 * id. RESULT_REFUSED: *verdict contains the reason. */
MUST_CHECK enum result store_add_campaign_as(struct store *store, uint64_t account_id, const struct campaign_settings *settings,
    uint64_t id, struct id_verdict *verdict);
struct campaign_change {
	/* Sets some of the settings and leaves the others unchanged; the values must outlive the call. Returns false to
	 * refuse. */
	bool (*edit)(void *context, struct campaign_settings *settings);
	void *context;
	/* If present: queues the count that a change of max_per_ip needs (store_count_addresses), as a job by this caller. */
	struct slice count_by;
	uint64_t job_id; /* set; 0: there is nothing to count */
};
/* Changes settings with the campaign and its counters locked, so that concurrent changes of different settings are both stored.
 * `edit` may be called several times. A new end time replaces the old one, even if that has passed; a campaign that was ended
 * by command stays ended. RESULT_REFUSED: `edit` returned false. RESULT_TOO_MANY: the count cannot be queued, as in
 * store_add_job. RESULT_NOT_FOUND: no such campaign. In all these cases nothing was changed. */
MUST_CHECK enum result store_edit_campaign(
    struct store *store, const struct precondition *precondition, uint64_t id, struct campaign_change *change);
/* Applies a change of max_per_ip to the existing leads, one piece per call, each in its own transaction so that sign-ups
 * continue in between: if it is set, leads are counted per address; if it is 0, the counts are removed. Until *done,
 * duplicate_ip is not flagged; any later call continues where the last one ended. RESULT_NOT_FOUND: no such campaign. */
MUST_CHECK enum result store_count_addresses(struct store *store, uint64_t campaign_id, bool *done);
/* Ends the campaign now, even if its end time has passed. */
MUST_CHECK enum result store_end_campaign(struct store *store, const struct precondition *precondition, uint64_t id);
/* Opens the campaign again, and removes an end time that has passed. */
MUST_CHECK enum result store_reopen_campaign(struct store *store, const struct precondition *precondition, uint64_t id);
