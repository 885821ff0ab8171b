/* SPDX-License-Identifier: MIT
 * Types of values that operations of several subjects take. The comments give the type of the place. "or none": an empty text
 * means none. */
#pragma once

#include <stdint.h>

#include "operation/parameter.h"
#include "store/find.h"

/* The number of rows in a part of a list: by default, at most, and at most over HTTP, where answers must be quick. */
enum { VALUE_LIMIT_DEFAULT = 50, VALUE_LIMIT_MAX = 10000, VALUE_LIMIT_REMOTE = 250 };

extern const struct value_type value_text;        /* struct slice */
extern const struct value_type value_path;        /* const char *: a file of the host */
extern const struct value_type value_content;     /* struct value_content */
extern const struct value_type value_name;        /* struct slice: 1 to 200 characters */
extern const struct value_type value_title;       /* the same, without white space at its ends */
extern const struct value_type value_description; /* struct slice, or none */
extern const struct value_type value_source;      /* struct slice, or none */
extern const struct value_type value_url;         /* struct slice, or none */
extern const struct value_type value_link;        /* the same, with another message */
extern const struct value_type value_hosts;       /* struct slice: a list of host names, or none */
extern const struct value_type value_networks;    /* struct slice: a list of networks, or none */
extern const struct value_type value_time_zone;   /* struct slice: a name from the IANA database, or none */
extern const struct value_type value_host_file;   /* struct slice: an absolute path that is stored, or none */
extern const struct value_type value_social_id;   /* struct slice */
extern const struct value_type value_time;        /* int64_t */
extern const struct value_type value_end;         /* int64_t, or none (-1) */
extern const struct value_type value_count;       /* uint32_t */
extern const struct value_type value_points;      /* uint32_t: 0 to SCORE_POINTS_MAX */
extern const struct value_type value_delta;       /* int32_t: -SCORE_POINTS_MAX to SCORE_POINTS_MAX */
extern const struct value_type value_on;          /* bool: a switch */
extern const struct value_type value_boolean;     /* bool: the words of boolean_parse */
extern const struct value_type value_filter;      /* int: 1 or 0, from the same words */
extern const struct value_type value_limit;       /* size_t: rows of a list */
extern const struct value_type value_after;       /* uint64_t: the id after which a list continues, or none (0) */
extern const struct value_type
    value_job_limit; /* size_t: how many objects are counted or changed; up to VALUE_LIMIT_MAX, even over HTTP */

/* uint64_t: ids of objects that the caller must be allowed to see. */
extern const struct value_type value_account, value_campaign, value_tag, value_webhook, value_user;
extern const struct value_type value_tag_or_none; /* 0: none */

/* The content of a file, as the caller gives it. */
struct value_content {
	const char *path;  /* of the command: the file, or "-" for standard input */
	struct slice text; /* of a call over HTTP: the content itself */
};

/* NAME=VALUE */
struct value_pair {
	struct slice name, value; /* the value is absent if there was no "=" */
	bool from_file;           /* the value is the text of a file, NAME=@FILE */
};
struct value_pairs {
	struct value_pair *items;
	size_t count, capacity;
};
void value_pairs_add(struct pool *pool, struct value_pairs *pairs, const struct value_pair *pair);
/* The pair as it was written. In the pool. */
struct slice value_pair_text(struct pool *pool, const struct value_pair *pair);
value_parser value_parse_pair, value_parse_last_pair; /* split the pair at the first "=", or at the last one */

/* For types that other folders define. */
MUST_CHECK bool value_is_name(struct slice text); /* 1 to 200 characters */
MUST_CHECK bool value_is_id(struct slice text, uint64_t *id);
MUST_CHECK bool value_to_u32(struct slice text, uint32_t maximum, uint32_t *number);
/* The place of these types is a bool, or an unsigned integer of 4 or 8 bytes. */
value_parser value_parse_word;   /* stores the index of the text among the words of the type */
value_parser value_parse_number; /* stores a whole number within the limits of the type */
value_parser value_parse_limit;  /* the same for the rows of a list, as a size_t: over HTTP at most VALUE_LIMIT_REMOTE */
#define WORD_TYPE(type, list, count) .parse = value_parse_word, .size = sizeof(type), .words = (list), .word_count = (count)
#define NUMBER_TYPE(type, from, to) .parse = value_parse_number, .size = sizeof(type), .least = (from), .most = (to)
#define ID_TYPE NUMBER_TYPE(uint64_t, 1, INT64_MAX)
/* Defines a type whose texts `read(text, place)` parses. */
#define READ_TYPE(name, read, type, expected_text)                                                     \
	static bool parse_##name(struct value_reading *reading UNUSED, struct slice text, void *place) \
	{                                                                                              \
		return read(text, place);                                                              \
	}                                                                                              \
	static const struct value_type name = { .parse = parse_##name, .size = sizeof(type), .expected = expected_text }

/* The parameters of a list that most callers want as a whole: the default limit is the maximum. The arguments are a struct
 * list_part. */
extern const struct parameter value_large_part_parameters[2];
struct operation_call;
struct list_part value_large_part(const struct operation_call *call);

/* An empty array must not mean all campaigns. */
#define CAMPAIGNS_IN_ARRAY "an array that is not empty, or null: all campaigns"
