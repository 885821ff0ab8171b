/* SPDX-License-Identifier: MIT */
#include "api/handlers/leaderboard.h"

#include <string.h>

#include "api/call/board.h"
#include "api/call/call_answers.h"
#include "api/call/fetch.h"
#include "api/call/lead_argument.h"
#include "api/call/param_values.h"
#include "engine/custom_fields.h"
#include "engine/visitors.h"
#include "identity/social_id.h"
#include "os/clock.h"

enum { LEADERS = 10, LEADERS_MAX = 50 };

/* A request for a leaderboard, and its answer as JSON. */
struct leaderboard {
	struct call *call;
	struct store *store;
	size_t limit;
	struct standing_style style;
	bool has_me;            /* a social id was given */
	struct slice social_id; /* absent: none, or not valid */
	struct slice me;        /* absent: no such lead */
	struct lead_place place;
	struct board leaders;
	enum failure failure; /* if set, the other members are invalid */
};

/* Reads `me`, and the campaign's versions at that time. */
static enum result
find_me(struct leaderboard *board, struct campaign_versions *versions)
{
	struct call *call = board->call;
	const struct look_up look_up = {
		.campaign_id = call->campaign.id,
		.reference = { .identity = LEAD_BY_SOCIAL_ID, .value = board->social_id },
		.view.full = call_has_right(call, RIGHT_LEADS),
		.standing = true,
		.style = board->style,
	};
	struct outcome outcome = { .failure = FAILURE_LEAD_NOT_FOUND };
	if (slice_present(board->social_id))
		fetch_lead(call, board->store, &look_up, &outcome);
	board->me = outcome.body;
	board->place = outcome.place;
	*versions = outcome.versions;
	if (outcome.failure == FAILURE_LEAD_NOT_FOUND)
		return store_find_versions(board->store, call->request->pool, call->campaign.id, versions);
	board->failure = outcome.failure;
	return RESULT_OK;
}

/* docs/api.md 4.1.11. */
static bool
hides_unverified(const struct call *call)
{
	return !call_has_right(call, RIGHT_LEADS) && campaign_hides_unverified(&call->campaign);
}

/* The leaders, from the cache if they were read at these versions. RESULT_CONFLICT: leads have changed since. */
static enum result
fetch_leaders(struct leaderboard *board, const struct campaign_versions *versions, int64_t now_ms)
{
	struct call *call = board->call;
	struct pool *pool = call->request->pool;
	struct standing_view view = {
		.full = call_has_right(call, RIGHT_LEADS), .names = call->campaign.leaderboard_names, .style = board->style
	};
	const bool hides = hides_unverified(call);
	struct board_key key = { .campaign_id = call->campaign.id,
		.versions = *versions,
		.limit = (uint32_t)board->limit,
		.full = view.full,
		.names = view.names,
		.hides_unverified = hides };
	const bool is_cached = board_style(&board->style, &key.style);
	struct campaign_versions later;
	struct lead *leaders;
	size_t count;
	if (is_cached && boards_find(call->api->boards, &key, now_ms, &board->leaders))
		return RESULT_OK;
	enum result result = store_leaderboard(board->store, pool, call->campaign.id, board->limit, &leaders, &count);
	if (result == RESULT_OK)
		result = store_find_versions(board->store, pool, call->campaign.id, &later);
	if (result == RESULT_OK && slice_present(board->style.avatar_default))
		result = store_payload_settings(board->store, &view.settings);
	if (result != RESULT_OK)
		return result;
	if (hides) /* leads without points come last: an unverified sign-up earns none */
		while (count > 0 && leaders[count - 1].score == 0)
			count--;
	if (!board_write(pool, leaders, count, &view, call->response->body.maximum, &board->leaders))
		return RESULT_FAILED;
	if (later.leads != versions->leads || later.settings != versions->settings)
		return RESULT_CONFLICT;
	if (is_cached)
		boards_put(call->api->boards, &key, &board->leaders, now_ms);
	return RESULT_OK;
}

/* Reads `me` and the leaders. RESULT_CONFLICT: they are not of the same version. */
static enum result
fetch_leaderboard(struct leaderboard *board)
{
	int64_t now_ms = clock_monotonic_ms();
	struct campaign_versions versions;
	board->failure = FAILURE_NONE;
	const enum result result = find_me(board, &versions);
	return result != RESULT_OK || board->failure != FAILURE_NONE ? result : fetch_leaders(board, &versions, now_ms);
}

/* Reads from one store, at one point in time. */
static enum result
fetch_consistent(struct leaderboard *board, struct store *store)
{
	struct consistent_read read = { .store = store };
	board->store = store;
	while (store_reads(&read))
		read.result = fetch_leaderboard(board);
	return read.result;
}

/* Without a key, a fraudulent lead sees a board as if it were not fraudulent, consistent with `me`. */
static struct slice
shown_leaders(const struct leaderboard *board)
{
	const struct call *call = board->call;
	if (!board->place.fraudulent || call_has_right(call, RIGHT_LEADS) ||
	    (board->place.score == 0 && hides_unverified(call)))
		return board->leaders.json;
	return board_with_lead(call->request->pool, &board->leaders, board->limit, &board->place, board->me);
}

/* False: the call has failed. */
static bool
find_leaders(struct leaderboard *board)
{
	struct list_read read = { .call = board->call };
	while (fetch_reads(&read))
		read.result = fetch_consistent(board, read.store);
	if (read.result != RESULT_OK)
		board->failure = call_failure(read.result);
	return board->failure == FAILURE_NONE || call_fail(board->call, board->failure);
}

static void
write_leaderboard(struct json_writer *writer, const struct leaderboard *board)
{
	json_begin_object(writer);
	json_put_raw(writer, SLICE("leaders"), shown_leaders(board));
	if (board->has_me)
		json_put_raw(writer, SLICE("me"), slice_present(board->me) ? board->me : SLICE("null"));
	json_end_object(writer);
}

/* ---- parameters ---- */

/* Pages use the value as the URL of a picture. */
static bool
is_avatar_default(struct slice text)
{
	enum { URL_MAX_BYTES = 2048 };
	uint64_t number;
	if (board_avatar_keyword(text, &number))
		return true;
	const size_t scheme = slice_starts_with_nocase(text, SLICE("https://"))  ? 8
			      : slice_starts_with_nocase(text, SLICE("http://")) ? 7
										 : 0;
	const struct slice rest = slice_sub(text, scheme, text.size);
	if (scheme == 0 || text.size > URL_MAX_BYTES || rest.size == 0 || strchr("/?#:@", rest.data[0]) != NULL)
		return false;
	for (size_t i = 0; i < rest.size; i++)
		if (!ascii_is_alpha(rest.data[i]) && !ascii_is_digit(rest.data[i]) &&
		    memchr("-._~:/?#[]@!$&'()*+,;=%", rest.data[i], 23) == NULL)
			return false;
	return true;
}

/* `icon` and `ui` are keywords of older clients that avatar servers do not know. */
static bool
read_avatar_default(struct call *call, struct slice *avatar)
{
	const struct http_param *given;
	if (!param_read_given(call, PARAM_AVATAR_DEFAULT, &given, avatar))
		return false;
	if (slice_equal(*avatar, SLICE("icon")))
		*avatar = SLICE("mp");
	if (slice_equal(*avatar, SLICE("ui")))
		*avatar = SLICE("identicon");
	return !slice_present(*avatar) || is_avatar_default(*avatar) ||
	       call_fail_parameter(call, given->name,
		   "must be mp, identicon, monsterid, wavatar, retro, robohash, blank, 404, icon, ui, or an http or https URL "
		   "of at most 2048 characters of RFC 3986");
}

/* A custom field, by the name under which it is stored. */
static bool
read_description(struct call *call, struct slice *name)
{
	const struct http_param *given;
	const size_t cap = call->api->options->caps.name_bytes;
	struct slice typed;
	if (!param_read_given(call, PARAM_LEAD_DESCRIPTION, &given, &typed))
		return false;
	*name = slice_present(typed) ? custom_field_name(call->request->pool, typed) : SLICE_NONE;
	return (typed.size <= cap && name->size <= cap) ||
	       call_fail_parameter(call, given->name, "is longer than the name of a custom field");
}

/* `social_id` is the text that was typed. */
static bool
read_arguments(struct call *call, struct lead_reference *own, struct leaderboard *board)
{
	*board = (struct leaderboard){ .call = call, .limit = LEADERS };
	board->style.personal = call_has_right(call, RIGHT_LEADS) || !call->campaign.privacy;
	return lead_read_owner(call, own) && param_read_limit(call, &board->limit) &&
	       param_read_text(call, PARAM_LEADER_ID, &board->social_id) && read_description(call, &board->style.description) &&
	       read_avatar_default(call, &board->style.avatar_default);
}

/* ---- calls ---- */

void
handle_leaderboard(struct call *call)
{
	struct lead_reference own;
	struct leaderboard board;
	if (!read_arguments(call, &own, &board))
		return;
	if (board.limit > LEADERS_MAX)
		board.limit = LEADERS_MAX;
	const struct slice typed = own.own ? own.value : board.social_id;
	board.has_me = slice_present(typed);
	if (board.has_me && !call_may_see(call, &own))
		return;
	if (!board.has_me || !social_id_parse(call->request->pool, typed, &board.social_id))
		board.social_id = SLICE_NONE;
	if (!find_leaders(&board))
		return;
	struct json_writer writer = call_begin(call);
	write_leaderboard(&writer, &board);
}

bool
call_find_leaders(struct call *call, size_t limit, struct slice social_id, struct slice *json)
{
	struct leaderboard board = { .call = call, .limit = limit, .has_me = true, .social_id = social_id };
	struct buffer out;
	struct json_writer writer;
	if (!find_leaders(&board))
		return false;
	buffer_init(&out, call->response->body.maximum);
	json_writer_init(&writer, &out);
	write_leaderboard(&writer, &board);
	*json = pool_copy(call->request->pool, buffer_slice(&out));
	const bool fits = buffer_ok(&out);
	buffer_free(&out);
	return fits || call_fail(call, FAILURE_INTERNAL);
}
