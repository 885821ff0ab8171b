/* SPDX-License-Identifier: MIT
 * The rows that a batch loads before it decides, and the ids reserved for the rows that it will make. Types only: src/store
 * fills the set, the rules of this folder change its rows, and src/store writes the changed ones. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "engine/command.h"
#include "engine/custom_fields.h"
#include "engine/model.h"

/* The state of a row of the working set. */
enum row_change { ROW_AS_LOADED, ROW_CHANGED, ROW_CREATED, ROW_DELETED };

struct working_campaign {
	struct campaign campaign;
	const struct webhook *webhooks; /* sorted by id */
	size_t webhook_count;
	const struct definitions *definitions;
	const struct campaign_lists *lists;
	bool changed; /* whether its counters changed */
};

struct working_lead {
	struct lead lead;
	enum row_change change;
	bool gone;                                         /* deleted by a command of this batch; no longer found */
	struct slice loaded_email_hash, loaded_phone_hash; /* the hashes that its row has in the database */
};

struct working_link {
	struct referral_link link;
	enum row_change change; /* never ROW_DELETED */
};

/* How many leads of a campaign came from a caller's network (identity/network.h), up to lead number ip_counted_to. */
struct ip_count {
	uint64_t campaign_id;
	struct slice ip;
	int64_t leads;
};

/* A subscription number that a lead of the campaign already has. */
struct campaign_number {
	uint64_t campaign_id;
	uint32_t number;
};

/* A bulk job with items in the batch. */
struct working_job {
	uint64_t id;
	uint32_t loaded_position, position, total;
	bool changed;
};

/* Every row that the commands of a batch may read or change, loaded while the campaigns' counter rows are locked:
 * - each campaign that a command names, with its webhooks and definitions;
 * - each lead that a command identifies by email, phone number, social id or id, as its subject, target or referrer;
 * - for sign-ups, verifications, approvals and blocks: the referral links of the leads that have a parent, and the ancestors at
 *   the other end of these links;
 * - the subscription numbers of imports that are already taken;
 * - where the campaign limits leads per address: the counts for the addresses of the sign-ups;
 * - the proofs of work of the sign-ups that were used before;
 * - each job that a command belongs to. */
struct working_set {
	int64_t now_ms; /* the time of the transaction */
	struct working_campaign *campaigns;
	size_t campaign_count;
	struct working_lead **leads; /* the rules add new leads; the array may move, the leads do not */
	size_t lead_count, lead_capacity;
	struct working_link **links; /* likewise */
	size_t link_count, link_capacity;
	const struct ip_count *ip_counts;
	size_t ip_count_count;
	const struct campaign_number *taken_numbers;
	size_t taken_number_count;
	const struct slice *used_proofs;
	size_t used_proof_count;
	const struct import **erased; /* imports of people whose data was erased */
	size_t erased_count;
	struct working_job *jobs;
	size_t job_count;
};

struct id_range {
	uint64_t next, end; /* from `next` up to but excluding `end` */
};

/* Ids reserved for a batch, and the settings of the installation that the rules depend on. */
struct id_supply {
	struct id_range *lead_ids, *points_call_ids; /* at least one per command; the rules advance all three ranges */
	struct id_range *history_ids;                /* for events and deliveries; may be too few, see
						      * decision.history_wanted */
	const struct slice *social_ids;              /* one per command, fresh from a CSPRNG */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none are known */
	bool sends_mail, sends_texts;               /* whether this installation sends mail, and texts to phones */
};
