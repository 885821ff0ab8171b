/* SPDX-License-Identifier: MIT */
#include "operation/value_types.h"

#include <inttypes.h>

#include "base/boolean.h"
#include "base/utf8.h"
#include "engine/model.h"
#include "identity/domain.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"
#include "operation/operation.h"
#include "os/clock.h"
#include "os/zone.h"

enum {
	NAME_CHARACTERS_MAX = 200,
	URL_BYTES_MAX = 2048,
	LIST_ITEMS_MAX = 5000,        /* of a list in a setting */
	TEXT_BYTES_MAX = 65535,       /* maximum of a TEXT column */
	DESCRIPTION_BYTES_MAX = 4096, /* one response contains those of all tags */
	FILE_BYTES_MAX = 1024         /* size of the columns with paths in webhooks */
};

#define TYPE(name, parser, type, text, ...) \
	const struct value_type name = { .parse = parser, .size = sizeof(type), .expected = text, __VA_ARGS__ }
#define NUMBER(name, type, from, to, text) const struct value_type name = { NUMBER_TYPE(type, from, to), .expected = text }

static struct slice
or_none(struct slice text)
{
	return text.size == 0 ? SLICE_NONE : text;
}

/* ---- texts ---- */

static bool
parse_text(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(struct slice *)place = text;
	return true;
}
TYPE(value_text, parse_text, struct slice, "a text");

static bool
parse_path(struct value_reading *reading, struct slice text, void *place)
{
	*(const char **)place = pool_string(reading->pool, text);
	return true;
}
TYPE(value_path, parse_path, const char *, "the path of a file", .is_file = true);

static bool
parse_content(struct value_reading *reading, struct slice text, void *place)
{
	struct value_content *content = place;
	*content = reading->is_remote ? (struct value_content){ .text = text }
				      : (struct value_content){ .path = pool_string(reading->pool, text) };
	return true;
}
TYPE(value_content, parse_content, struct value_content, "a text", .has_lines = true);

bool
value_is_name(struct slice text)
{
	uint32_t character;
	size_t count = 0;
	while (utf8_next(&text, &character))
		count++;
	return count > 0 && count <= NAME_CHARACTERS_MAX;
}

static bool
parse_name(struct value_reading *reading, struct slice text, void *place)
{
	*(struct slice *)place = text;
	if (reading->is_operand)
		reading->message = SLICE("a name has 1 to 200 characters");
	return value_is_name(text) && slice_trim(text).size > 0;
}
TYPE(value_name, parse_name, struct slice, "1 to 200 characters");

static bool
parse_title(struct value_reading *reading, struct slice text, void *place)
{
	return parse_name(reading, slice_trim(text), place);
}
TYPE(value_title, parse_title, struct slice, "1 to 200 characters");

static bool
parse_description(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(struct slice *)place = or_none(slice_trim(text));
	return text.size <= DESCRIPTION_BYTES_MAX;
}
TYPE(value_description, parse_description, struct slice, "a text of at most 4096 bytes, or nothing");

static bool
parse_source(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(struct slice *)place = or_none(text);
	return text.size <= TEXT_BYTES_MAX;
}
TYPE(value_source, parse_source, struct slice, "a text of at most 65535 bytes, or nothing");

static bool
parse_url(struct value_reading *reading, struct slice text, void *place)
{
	static const struct slice not_in_url = SLICE(" \"<>\\^`{|}"); /* RFC 3986 */
	*(struct slice *)place = or_none(text);
	for (size_t i = 0; i < text.size; i++)
		if (slice_find(not_in_url, text.data[i]) < not_in_url.size)
			return false;
	return text.size == 0 ||
	       (text.size <= URL_BYTES_MAX && link_is_absolute(text) && slice_present(link_host(reading->pool, text)));
}
TYPE(value_url, parse_url, struct slice, "a web address that begins with https:// or http://, or nothing");
TYPE(value_link, parse_url, struct slice, "an http or https URL, or nothing");

static bool
parse_time_zone(struct value_reading *reading, struct slice text, void *place)
{
	*(struct slice *)place = or_none(text);
	return text.size == 0 || zone_is_known(reading->pool, text);
}
TYPE(value_time_zone, parse_time_zone, struct slice, "a time zone such as Europe/Berlin, or nothing for UTC");

static bool
parse_host_file(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(struct slice *)place = or_none(text);
	return text.size == 0 || (text.data[0] == '/' && text.size <= FILE_BYTES_MAX);
}
TYPE(value_host_file, parse_host_file, struct slice, "an absolute path of at most 1024 bytes, or nothing");

static bool
parse_social_id(struct value_reading *reading, struct slice text, void *place)
{
	return social_id_parse(reading->pool, text, place);
}
TYPE(value_social_id, parse_social_id, struct slice, "the social_id of a lead");

/* ---- lists ---- */

/* Whether a list can be stored. */
static bool
fits(struct value_reading *reading, size_t count, const char *items, struct slice text)
{
	if (count > LIST_ITEMS_MAX)
		reading->invalid = pool_printf(reading->pool, "%zu %s", count, items);
	else if (text.size > TEXT_BYTES_MAX)
		reading->invalid = pool_printf(reading->pool, "%zu bytes", text.size);
	else
		return true;
	return false;
}

static bool
parse_hosts(struct value_reading *reading, struct slice text, void *place)
{
	struct host_list list;
	/* comments are allowed in files only */
	reading->invalid = SLICE("#");
	if (slice_find(text, '#') < text.size || !host_list_parse(reading->pool, text, &list, &reading->invalid))
		return false;
	const struct slice stored = host_list_text(reading->pool, &list);
	*(struct slice *)place = or_none(stored);
	return fits(reading, list.count, "host names", stored);
}
TYPE(value_hosts, parse_hosts, struct slice,
    "at most 5000 host names without scheme and path, separated by commas or spaces, or nothing", .form = VALUE_LIST);

static bool
parse_networks(struct value_reading *reading, struct slice text, void *place)
{
	struct network_list list;
	const struct slice stored = slice_trim(text);
	*(struct slice *)place = or_none(stored);
	return network_list_parse(reading->pool, text, &list, &reading->invalid) &&
	       fits(reading, list.count, "networks", stored);
}
TYPE(value_networks, parse_networks, struct slice,
    "at most 5000 addresses and networks, separated by commas or spaces, or nothing", .form = VALUE_LIST);

/* ---- times and numbers ---- */

static bool
parse_time(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	return clock_parse_rfc3339(text, place);
}
TYPE(value_time, parse_time, int64_t, "a date or a time as in RFC 3339, such as 2026-10-01");

static bool
parse_end(struct value_reading *reading, struct slice text, void *place)
{
	*(int64_t *)place = -1;
	return text.size == 0 || parse_time(reading, text, place);
}
TYPE(value_end, parse_end, int64_t, "a date such as 2026-11-28, a time such as 2026-11-28T18:00:00Z, or nothing");

bool
value_to_u32(struct slice text, uint32_t maximum, uint32_t *number)
{
	uint64_t wide;
	if (!slice_to_u64(text, maximum, &wide))
		return false;
	*number = (uint32_t)wide;
	return true;
}

/* Stores a number in the place of the type. */
static void
store(const struct value_type *type, void *place, uint64_t number)
{
	if (type->size == sizeof(bool))
		*(bool *)place = number != 0;
	else if (type->size == sizeof(uint32_t))
		*(uint32_t *)place = (uint32_t)number;
	else
		*(uint64_t *)place = number;
}

bool
value_parse_number(struct value_reading *reading, struct slice text, void *place)
{
	uint64_t number;
	if (!slice_to_u64(text, reading->type->most, &number) || number < reading->type->least)
		return false;
	store(reading->type, place, number);
	return true;
}
NUMBER(value_count, uint32_t, 0, UINT32_MAX, "a whole number from 0 to 4 billion");
NUMBER(value_points, uint32_t, 0, SCORE_POINTS_MAX, "a whole number from 0 to 99999");
NUMBER(value_job_limit, size_t, 1, VALUE_LIMIT_MAX, "a number from 1 to 10000");

static bool
parse_delta(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	const bool below = slice_starts_with(text, SLICE("-"));
	uint32_t number;
	if (!value_to_u32(slice_sub(text, below ? 1 : 0, text.size), SCORE_POINTS_MAX, &number))
		return false;
	*(int32_t *)place = below ? -(int32_t)number : (int32_t)number;
	return true;
}
TYPE(value_delta, parse_delta, int32_t, "a whole number from -99999 to 99999");

bool
value_parse_limit(struct value_reading *reading, struct slice text, void *place)
{
	if (!reading->is_remote)
		return value_parse_number(reading, text, place);
	reading->expected = "a number from 1 to 250";
	return value_parse_number(reading, text, place) && *(size_t *)place <= VALUE_LIMIT_REMOTE;
}
TYPE(value_limit, value_parse_limit, size_t, "a number from 1 to 10000", .least = 1, .most = VALUE_LIMIT_MAX);

/* ---- switches and words ---- */

static bool
parse_on(struct value_reading *reading UNUSED, struct slice text UNUSED, void *place)
{
	return *(bool *)place = true;
}
TYPE(value_on, parse_on, bool, "nothing", .form = VALUE_SWITCH);

static bool
parse_boolean(struct value_reading *reading, struct slice text, void *place)
{
	bool on;
	if (!boolean_parse(text, &on))
		return false;
	store(reading->type, place, on ? 1 : 0);
	return true;
}
TYPE(value_boolean, parse_boolean, bool, "yes or no");
TYPE(value_filter, parse_boolean, int, "yes or no");

bool
value_parse_word(struct value_reading *reading, struct slice text, void *place)
{
	for (size_t i = 0; i < reading->type->word_count; i++)
		if (text.size > 0 && slice_equal(text, reading->type->words[i])) {
			store(reading->type, place, i);
			return true;
		}
	return false;
}

/* ---- ids ---- */

bool
value_is_id(struct slice text, uint64_t *id)
{
	return slice_to_u64(text, INT64_MAX, id) && *id > 0;
}

static bool
parse_id_or_none(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	*(uint64_t *)place = 0;
	return text.size == 0 || value_is_id(text, place);
}

#define OBJECT(name, text, what, owned) \
	const struct value_type name = { ID_TYPE, .expected = text, .noun = what, .kind = owned }
OBJECT(value_account, "the id of an account", "account", OWNED_ACCOUNT);
OBJECT(value_campaign, "the id of a campaign", "campaign", OWNED_CAMPAIGN);
OBJECT(value_tag, "the id of a tag", "tag", OWNED_TAG);
OBJECT(value_webhook, "the id of a webhook", "webhook", OWNED_WEBHOOK);
OBJECT(value_user, "the id of a user", "user", OWNED_USER);
TYPE(value_tag_or_none, parse_id_or_none, uint64_t, "the id of a tag, or nothing");
TYPE(value_after, parse_id_or_none, uint64_t, "the id of the last row before");

/* ---- parts of lists ---- */

const struct parameter value_large_part_parameters[] = {
	OPTION("limit", value_limit, offsetof(struct list_part, limit)),
	OPTION("after", value_after, offsetof(struct list_part, after)),
};

struct list_part
value_large_part(const struct operation_call *call)
{
	struct list_part part = *ARGUMENTS(call, struct list_part);
	if (part.limit == 0)
		part.limit = call->is_remote ? VALUE_LIMIT_REMOTE : VALUE_LIMIT_MAX;
	return part;
}

/* ---- pairs ---- */

void
value_pairs_add(struct pool *pool, struct value_pairs *pairs, const struct value_pair *pair)
{
	pairs->items = pool_grow(pool, pairs->items, pairs->count, &pairs->capacity, sizeof(*pairs->items));
	pairs->items[pairs->count++] = *pair;
}

struct slice
value_pair_text(struct pool *pool, const struct value_pair *pair)
{
	return slice_present(pair->value) ? POOL_JOIN(pool, pair->name, SLICE("="), pair->value) : pair->name;
}

static bool
add_pair(struct value_reading *reading, struct slice text, size_t equals, void *place)
{
	const struct slice value = equals < text.size ? slice_sub(text, equals + 1, text.size) : SLICE_NONE;
	value_pairs_add(reading->pool, place, &(struct value_pair){ .name = slice_sub(text, 0, equals), .value = value });
	return true;
}

bool
value_parse_pair(struct value_reading *reading, struct slice text, void *place)
{
	return add_pair(reading, text, slice_find(text, '='), place);
}

bool
value_parse_last_pair(struct value_reading *reading, struct slice text, void *place)
{
	return add_pair(reading, text, slice_find_last(text, '='), place);
}
