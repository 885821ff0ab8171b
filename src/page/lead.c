/* SPDX-License-Identifier: MIT */
#include "page/lead.h"

#include <string.h>

#include "json/reader.h"

enum { DEPTH_MAX = 64, NAME_MAX_BYTES = 40 };

/* Where a member of an object goes. */
struct member {
	const char *name;
	enum { TEXT, NUMBER, BOOLEAN } type;
	size_t offset;
};

#define MEMBER(kind, json_name, type_name, name)                  \
	{                                                         \
		json_name, kind, offsetof(struct type_name, name) \
	}

static const struct member lead_members[] = {
	MEMBER(TEXT, "social_id", page_lead, social_id),
	MEMBER(TEXT, "first_name", page_lead, first_name),
	MEMBER(TEXT, "email", page_lead, email),
	MEMBER(TEXT, "phone_number", page_lead, phone_number),
	MEMBER(TEXT, "social_url", page_lead, social_url),
	MEMBER(NUMBER, "contest_score_rank", page_lead, rank),
	MEMBER(NUMBER, "lead_count", page_lead, leads),
	MEMBER(NUMBER, "contest_score", page_lead, score),
	MEMBER(NUMBER, "referrals", page_lead, referrals),
	MEMBER(BOOLEAN, "verified", page_lead, verified),
	MEMBER(BOOLEAN, "verified_email", page_lead, verified_email),
	MEMBER(BOOLEAN, "verified_phone_number", page_lead, verified_phone_number),
	MEMBER(BOOLEAN, "opted_out", page_lead, opted_out),
};

static const struct member leader_members[] = {
	MEMBER(TEXT, "social_id", page_leader, social_id),
	MEMBER(TEXT, "display_name", page_leader, name),
	MEMBER(NUMBER, "rank", page_leader, rank),
	MEMBER(NUMBER, "contest_score", page_leader, score),
};

/* The key of the next value; a longer one cannot be in the tables. */
struct key {
	char bytes[NAME_MAX_BYTES];
	size_t size;
};

static void
set_key(struct key *key, struct slice text)
{
	key->size = text.size <= sizeof(key->bytes) ? text.size : 0;
	memcpy(key->bytes, text.data, key->size);
}

static bool
key_is(const struct key *key, const char *name)
{
	return slice_equal((struct slice){ key->bytes, key->size }, slice_of(name));
}

/* Stores a scalar in the object's member of that key, if the table has it with that type. */
static void
store(struct pool *pool, const struct json_event *event, const struct key *key, const struct member *members, size_t count,
    void *object)
{
	for (size_t i = 0; i < count; i++) {
		char *place = (char *)object + members[i].offset;
		if (!key_is(key, members[i].name))
			continue;
		if (members[i].type == TEXT && event->type == JSON_STRING && event->text.size > 0)
			*(struct slice *)place = pool_copy(pool, event->text);
		else if (members[i].type == BOOLEAN && event->type == JSON_BOOLEAN)
			*(bool *)place = event->boolean;
		else if (members[i].type == NUMBER && event->type == JSON_NUMBER &&
			 !slice_to_u64(event->text, INT64_MAX, (uint64_t *)place))
			continue;
	}
}

/* ---- a lead ---- */

struct lead_parser {
	struct pool *pool;
	struct key key;
	struct page_lead *lead;
};

static bool
on_lead(void *context, const struct json_event *event)
{
	struct lead_parser *parser = context;
	if (event->depth == 0)
		return event->type == JSON_OBJECT_BEGIN || event->type == JSON_OBJECT_END;
	if (event->depth == 1 && event->type == JSON_KEY)
		set_key(&parser->key, event->text);
	else if (event->depth == 1)
		store(parser->pool, event, &parser->key, lead_members, ARRAY_SIZE(lead_members), parser->lead);
	return true;
}

bool
page_lead_read(struct pool *pool, struct slice payload, struct page_lead *lead)
{
	struct lead_parser parser = { .pool = pool, .lead = lead };
	struct json_problem problem;
	*lead = (struct page_lead){ .rank = 0 };
	return json_read(payload, DEPTH_MAX, on_lead, &parser, &problem) && slice_present(lead->social_id);
}

/* ---- a leaderboard ---- */

struct board_parser {
	struct pool *pool;
	struct key group, key; /* "leaders" or "me"; a member of an entry */
	struct page_board *board;
	struct page_leader leader, me;
};

static void
end_leader(struct board_parser *parser)
{
	if (parser->board->count < PAGE_LEADERS_MAX)
		parser->board->leaders[parser->board->count++] = parser->leader;
	parser->leader = (struct page_leader){ .rank = 0 };
}

static bool
on_board(void *context, const struct json_event *event)
{
	struct board_parser *parser = context;
	const bool mine = key_is(&parser->group, "me");
	const size_t members = mine ? 2 : 3;
	if (event->depth == 0)
		return event->type == JSON_OBJECT_BEGIN || event->type == JSON_OBJECT_END;
	if (event->depth == 1 && event->type == JSON_KEY)
		set_key(&parser->group, event->text);
	else if (event->depth == members && event->type == JSON_KEY)
		set_key(&parser->key, event->text);
	else if (event->depth == members)
		store(parser->pool, event, &parser->key, leader_members, ARRAY_SIZE(leader_members),
		    mine ? &parser->me : &parser->leader);
	else if (!mine && event->depth == 2 && event->type == JSON_OBJECT_END)
		end_leader(parser);
	return true;
}

static bool
has_leader(const struct page_board *board, struct slice social_id)
{
	for (size_t i = 0; i < board->count; i++)
		if (slice_equal(board->leaders[i].social_id, social_id))
			return true;
	return false;
}

bool
page_board_read(struct pool *pool, struct slice json, struct page_board *board)
{
	struct board_parser parser = { .pool = pool, .board = board };
	struct json_problem problem;
	*board = (struct page_board){ .count = 0 };
	if (!json_read(json, DEPTH_MAX, on_board, &parser, &problem))
		return false;
	if (slice_present(parser.me.social_id) && !has_leader(board, parser.me.social_id))
		board->leaders[board->count++] = parser.me;
	return true;
}
