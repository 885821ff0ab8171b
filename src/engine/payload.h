/* SPDX-License-Identifier: MIT
 * The only renderer of leads: for answers, webhooks and exports (docs/api.md 4.5). */
#pragma once

#include <stdint.h>

#include "base/buffer.h"
#include "engine/command.h"
#include "engine/events.h"
#include "engine/model.h"
#include "engine/person_name.h"
#include "json/writer.h"

/* Settings of the installation, the same for all leads. */
struct payload_settings {
	struct slice base_url;        /* public URL of the API, without a trailing '/'; absent: opt-out links are null */
	struct slice avatar_url;      /* with {hash}; absent: null */
	struct slice server_secret;   /* signs opt-out links */
	bool sends_mail, sends_texts; /* as in engine/decide/working_set.h */
};

/* A lead, and what else its payload shows. */
struct payload_subject {
	const struct campaign *campaign;
	const struct lead *lead;
	const struct definitions *definitions; /* of the campaign, for names of tags; required if it has tags */
	uint64_t score_rank;                   /* contest_score_rank, from 1 */
	bool shares_rank;                      /* other leads that it may know of have the same score; set only by look-ups */
	bool redirect_sent;                    /* the request contained redirect_url */
};

/* Size limit of the column. The limits on values and custom fields keep payloads far smaller. */
enum { PAYLOAD_MAX_BYTES = 16 * 1024 * 1024 - 1 };

/* How many leads of its campaign a lead may know of, including itself. Where unverified leads are hidden, only the verified
 * ones count (docs/api.md 4.1.11). */
uint32_t payload_known_leads(const struct campaign *campaign, const struct lead *lead);

/* Appends the JSON object of a lead. */
void payload_write(struct buffer *out, const struct payload_settings *settings, const struct payload_subject *subject,
    struct payload_view view);

/* Appends the answer to a sign-up of a lead that is withheld from the caller (docs/api.md 4.1.11): an object without facts
 * about the lead. `pool` is for temporary values. */
void payload_write_withheld(struct buffer *out, struct pool *pool, const struct payload_settings *settings,
    const struct campaign *campaign, const struct signup *signup, struct payload_view view);

/* The view for webhooks of the campaign. */
struct payload_view payload_webhook_view(const struct campaign *campaign);

/* Appends the body of a webhook: a lead's JSON object in that view with `__event` at its end, and `extra`, the JSON of the
 * event's extra field (absent if it has none). */
void payload_write_event(struct buffer *out, struct slice payload, enum event_type event, struct slice extra);

/* Likewise for a test delivery, whose `__event` is "test". */
void payload_write_test(struct buffer *out, struct slice payload);

/* What the entries of a leaderboard have in common. `settings` is needed only with an avatar. */
struct standing_view {
	const struct payload_settings *settings;
	bool full;
	enum leaderboard_names names; /* the campaign's setting; not used in the full view */
	struct standing_style style;
};
/* Writes the entry of a lead on a leaderboard. */
void payload_write_standing(
    struct json_writer *writer, struct pool *pool, const struct lead *lead, uint64_t rank, const struct standing_view *view);
/* Returns the same entry with another rank. */
struct slice payload_standing_with_rank(struct pool *pool, struct slice standing, uint64_t rank);
