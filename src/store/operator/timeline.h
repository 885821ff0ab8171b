/* SPDX-License-Identifier: MIT
 * What happened to a lead, the latest first (leadhook(1), lead timeline). Functions fail as described in store.h; what they
 * return is in the caller's pool. */
#pragma once

#include "engine/message.h"
#include "store/operator/deliveries.h"
#include "store/operator/lead_names.h"

/* In the order of entries with the same time, the last one first; as in sql_select_timeline. */
enum timeline_kind {
	TIMELINE_SIGNUP,
	TIMELINE_POINTS,       /* a booking */
	TIMELINE_CONFIRMATION, /* the lead confirmed an address itself */
	TIMELINE_MESSAGE,      /* a mail or a text was requested */
	TIMELINE_CALL,         /* of an inbound webhook */
	TIMELINE_EVENT,
	TIMELINE_MARK /* its last mark as fraudulent or as genuine */
};
struct slice timeline_kind_name(enum timeline_kind kind);

/* Members that are absent or zero have no meaning for the kind, or are not stored. */
struct timeline_entry {
	int64_t at_ms;
	enum timeline_kind kind;
	uint64_t id;        /* the lead, message, call or event; for points: what they are for, as score_entry.ref */
	struct slice name;  /* reason of points, channel of a confirmation, event; for a message: message_kind_name */
	int64_t points;     /* as they changed the score */
	struct slice text;  /* message of a booking; reason why a message failed or waits, or a call was refused */
	struct slice state; /* of a message or call */
	unsigned attempts;  /* of a message */
	int64_t ended_ms;   /* -1: a message that has not ended */
	struct slice ip, user_agent;
	const struct lead_name *lead;          /* for points from a referral: the referred lead; NULL: none, or deleted */
	struct slice made_by;                  /* for a mark: who made it; absent: a rule */
	struct slice extra;                    /* JSON; for an event: the value of its extra field; for a mark: the reasons */
	const struct delivery_row *deliveries; /* of an event, by id */
	size_t delivery_count;
};

/* Where a page ends. Zero-initialized: before the first entry. */
struct timeline_place {
	int64_t at_ms;  /* time of the last entry */
	uint32_t count; /* how many entries up to here have this time */
};
/* As text: what a client gets and sends back. Parsing returns false for a text that was not made in this way. */
struct slice timeline_place_text(struct pool *pool, const struct timeline_place *place);
MUST_CHECK bool timeline_place_parse(struct slice text, struct timeline_place *place);

struct timeline {
	struct timeline_entry *entries;
	size_t count;
	bool more;
	struct timeline_place end;
};
enum { TIMELINE_ENTRIES_MAX = 500 };
/* The `limit` entries (at most TIMELINE_ENTRIES_MAX) after a place, by time. Entries that the retention has dropped are
 * missing. It finds only the last TIMELINE_EXAMINED bookings for each reason, and as many events, messages and calls. */
enum { TIMELINE_EXAMINED = 5000 };
MUST_CHECK enum result store_lead_timeline(struct store *store, struct pool *pool, uint64_t lead_id,
    const struct timeline_place *after, size_t limit, struct timeline *timeline);

/* Fills signup_url, session_id and request_id, which no other function reads. RESULT_NOT_FOUND: no such lead. */
MUST_CHECK enum result store_find_origin(struct store *store, struct pool *pool, struct lead *lead);
