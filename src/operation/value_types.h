/* SPDX-License-Identifier: MIT
 * Values of settings ("name=value") and of options, read by tables into a struct of the caller. */
#ifndef LEADHOOK_OPERATION_VALUE_TYPES_H
#define LEADHOOK_OPERATION_VALUE_TYPES_H

#include "operation/operation.h"
#include "store/store.h"

/* Parses the text into `place`. Returns false when it is invalid, with *bad set to the invalid item of a list.
 * The value lives as long as the text and the pool. */
typedef bool value_reader(struct pool *pool, struct slice text, void *place, struct slice *bad);

/* The type of each place. "or none": an empty text is none. */
value_reader value_name;        /* struct slice: 1 to 200 characters */
value_reader value_trimmed;     /* the same without white space at its ends */
value_reader value_description; /* struct slice, or none */
value_reader value_url;         /* struct slice, or none */
value_reader value_hosts;       /* struct slice: a list of host names, or none */
value_reader value_networks;    /* struct slice: a list of networks, or none */
value_reader value_end;         /* int64_t: a time, or none (-1) */
value_reader value_time;        /* int64_t: a time */
value_reader value_count;       /* uint32_t */
value_reader value_points;      /* uint32_t: 0 to SCORE_POINTS_MAX */
value_reader value_delta;       /* int32_t: -SCORE_POINTS_MAX to SCORE_POINTS_MAX */
value_reader value_switch;      /* bool: the words of boolean_parse */
value_reader value_filter;      /* int: the same as 1 and 0 */
value_reader value_given;       /* bool: the option was given */
value_reader value_state;       /* enum campaign_request: "active" or "ended" */
value_reader value_id;          /* uint64_t */
value_reader value_campaign_id; /* uint64_t: the same up to CAMPAIGN_ID_MAX */
value_reader value_id_or_none;  /* uint64_t, or none (0) */
value_reader value_social_id;   /* struct slice */
value_reader value_limit;       /* size_t: 1 to VALUE_LIMIT_MAX */
value_reader value_destination; /* struct slice: the URL of a webhook, not yet judged */
value_reader value_format;      /* bool: "form", or "json" */
value_reader value_source;      /* struct slice, or none */
value_reader value_events;      /* uint32_t: EVENT_BIT of each event of a non-empty list */
value_reader value_schedule;    /* struct slice: a list of durations as retry_schedule_parse takes it, or none */
value_reader value_accepts;     /* struct slice: statuses that count as taken besides 2xx, as retry_is_taken takes them, or none */
value_reader value_rate;        /* uint32_t: 0 to 10000 */
value_reader value_time_zone;   /* struct slice: a name of the IANA's database, or none */
value_reader value_file;        /* struct slice: an absolute path, or none */

/* struct slice, absent for "auto"; uint32_t, with the enums of engine/strangers.h. */
value_reader value_mails; /* uint32_t: MESSAGE_BITs of the mails that a campaign can choose */
value_reader value_language, value_form_answer, value_public_lookup, value_public_update, value_leaderboard_names, value_bots;
value_reader value_difficulty; /* uint32_t: 1 to DIFFICULTY_MAX */
enum { VALUE_LIMIT_DEFAULT = 50, VALUE_LIMIT_MAX = 10000, VALUE_LIMIT_REMOTE = 250 /* maximum of a remote call */ };

struct value_setting {
	const char *name;
	value_reader *read;
	size_t offset; /* in the target */
	const char *expected;
};
struct value_settings {
	const struct value_setting *rows;
	size_t count;
	const char *owner; /* "a campaign" */
	size_t operators;  /* how many of the last rows only an operator may set: paths of the host */
};

/* Applies the operands from `first` on as settings of the command. Reports an invalid one and returns false: EX_DATAERR. */
MUST_CHECK bool values_apply(struct admin_call *call, size_t first, void *target);
/* Whether the operands from `first` on include this setting. */
MUST_CHECK bool values_have(struct admin_call *call, size_t first, const char *setting);
/* Prints the settings, for the help of a command. */
void values_list(const struct value_settings *settings, FILE *out);

struct value_option {
	enum admin_option option;
	value_reader *read;
	size_t offset;
	const char *expected;
};

/* Reads the given options of the table. Reports an invalid one and returns false: EX_DATAERR. */
MUST_CHECK bool values_take(struct admin_call *call, const struct value_option *options, size_t count, void *target);

/* Reads --limit and --after of a list by id. Without a limit it is VALUE_LIMIT_DEFAULT. Reports as values_take. */
MUST_CHECK bool values_take_part(struct admin_call *call, struct list_part *part);
/* The same of a list that most readers want as a whole: without a limit it is the largest one. */
MUST_CHECK bool values_take_large_part(struct admin_call *call, struct list_part *part);

#endif
