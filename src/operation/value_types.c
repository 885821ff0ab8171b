/* SPDX-License-Identifier: MIT */
#include "operation/value_types.h"

#include <sysexits.h>

#include "base/boolean.h"
#include "bots/difficulty.h"
#include "engine/events.h"
#include "engine/message.h"
#include "engine/rank.h"
#include "engine/strangers.h"
#include "identity/host_list.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/social_id.h"
#include "os/clock.h"
#include "os/zone.h"
#include "store/operator/admin.h"
#include "text/text.h"
#include "webhook/retry.h"
#include "webhook/webhook_url.h"

enum {
	URL_BYTES_MAX = 2048,
	LIST_ITEMS_MAX = 5000,        /* of a setting */
	TEXT_BYTES_MAX = 65535,       /* maximum of a TEXT column */
	DESCRIPTION_BYTES_MAX = 4096, /* one response has those of all tags */
	LISTED_MAX_BYTES = 8192,
	SHOWN_MAX_BYTES = 100, /* of a refused value */
	ALIKE_MIN_BYTES = 3,
	SCHEDULE_BYTES_MAX = 255, /* sizes of the columns of webhooks */
	FILE_BYTES_MAX = 1024,
	RATE_MAX = 10000
};

static struct slice
or_none(struct slice text)
{
	return text.size == 0 ? SLICE_NONE : text;
}

bool
value_name(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = text;
	return admin_is_name(text) && slice_trim(text).size > 0;
}

bool
value_trimmed(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	return value_name(pool, slice_trim(text), place, bad);
}

bool
value_description(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = or_none(slice_trim(text));
	return text.size <= DESCRIPTION_BYTES_MAX;
}

bool
value_url(struct pool *pool, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = or_none(text);
	const bool has_scheme = link_is_absolute(text);
	static const struct slice not_in_url = SLICE(" \"<>\\^`{|}"); /* RFC 3986 */
	for (size_t i = 0; i < text.size; i++)
		if (slice_find(not_in_url, text.data[i]) < not_in_url.size)
			return false;
	return text.size == 0 || (text.size <= URL_BYTES_MAX && has_scheme && slice_present(link_host(pool, text)));
}

bool
value_destination(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = text;
	return text.size > 0 && text.size <= WEBHOOK_URL_MAX;
}

/* Whether a list can be stored; else *bad is how long it is. */
static bool
fits(struct pool *pool, size_t count, const char *items, struct slice text, struct slice *bad)
{
	if (count > LIST_ITEMS_MAX)
		*bad = pool_printf(pool, "%zu %s", count, items);
	else if (text.size > TEXT_BYTES_MAX)
		*bad = pool_printf(pool, "%zu bytes", text.size);
	else
		return true;
	return false;
}

bool
value_hosts(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	struct host_list list;
	/* comments are allowed in files only */
	*bad = SLICE("#");
	if (slice_find(text, '#') < text.size || !host_list_parse(pool, text, &list, bad))
		return false;
	const struct slice stored = host_list_text(pool, &list);
	*(struct slice *)place = or_none(stored);
	return fits(pool, list.count, "host names", stored, bad);
}

bool
value_networks(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	struct network_list list;
	const struct slice stored = slice_trim(text);
	*(struct slice *)place = or_none(stored);
	return network_list_parse(pool, text, &list, bad) && fits(pool, list.count, "networks", stored, bad);
}

bool
value_language(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	enum text_language language;
	const bool automatic = slice_equal(text, SLICE("auto"));
	if (!automatic && !text_language_parse(text, &language))
		return false;
	*(struct slice *)place = automatic ? SLICE_NONE : text_language_code(language);
	return true;
}

static bool
read_choice(struct slice text, const struct slice *words, size_t count, void *place)
{
	for (size_t i = 0; i < count; i++) {
		if (slice_equal(text, words[i])) {
			*(uint32_t *)place = (uint32_t)i;
			return true;
		}
	}
	return false;
}

bool
value_form_answer(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_choice(text, form_answer_names, FORM_ANSWERS, place);
}

bool
value_public_lookup(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_choice(text, public_lookup_names, PUBLIC_LOOKUPS, place);
}

bool
value_leaderboard_names(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_choice(text, leaderboard_names, LEADERBOARD_NAMES, place);
}

bool
value_public_update(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_choice(text, public_update_names, PUBLIC_UPDATES, place);
}

bool
value_mails(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	uint32_t mails = 0;
	struct slice item;
	while (slice_next_item(&text, &item)) {
		enum message_kind kind;
		if (!message_kind_parse(item, &kind) || (MESSAGE_BIT(kind) & MESSAGES_CHOSEN) == 0) {
			*bad = item;
			return false;
		}
		mails |= MESSAGE_BIT(kind);
	}
	*(uint32_t *)place = mails;
	return true;
}

bool
value_bots(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_choice(text, campaign_bots_names, CAMPAIGN_BOTS, place);
}

bool
value_difficulty(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint64_t level;
	if (!slice_to_u64(text, DIFFICULTY_MAX, &level) || level == 0)
		return false;
	*(uint32_t *)place = (uint32_t)level;
	return true;
}

bool
value_time(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return clock_parse_rfc3339(text, place);
}

bool
value_end(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	*(int64_t *)place = -1;
	return text.size == 0 || value_time(pool, text, place, bad);
}

static bool
read_u32(struct slice text, uint32_t maximum, uint32_t *number)
{
	uint64_t wide;
	if (!slice_to_u64(text, maximum, &wide))
		return false;
	*number = (uint32_t)wide;
	return true;
}

bool
value_count(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_u32(text, UINT32_MAX, place);
}

bool
value_points(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_u32(text, SCORE_POINTS_MAX, place);
}

bool
value_delta(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	const bool below = slice_starts_with(text, SLICE("-"));
	uint32_t number;
	if (!read_u32(slice_sub(text, below ? 1 : 0, text.size), SCORE_POINTS_MAX, &number))
		return false;
	*(int32_t *)place = below ? -(int32_t)number : (int32_t)number;
	return true;
}

bool
value_switch(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return boolean_parse(text, place);
}

bool
value_filter(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	bool on = false;
	const bool read = value_switch(pool, text, &on, bad);
	*(int *)place = on ? 1 : 0;
	return read;
}

bool
value_given(struct pool *pool UNUSED, struct slice text UNUSED, void *place, struct slice *bad UNUSED)
{
	*(bool *)place = true;
	return true;
}

bool
value_state(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	const bool ended = slice_equal(text, SLICE("ended"));
	*(enum campaign_request *)place = ended ? CAMPAIGN_ENDS : CAMPAIGN_OPENS;
	return ended || slice_equal(text, SLICE("active"));
}

bool
value_id(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return admin_is_id(text, place);
}

bool
value_campaign_id(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return admin_is_id(text, place) && *(uint64_t *)place <= CAMPAIGN_ID_MAX;
}

bool
value_id_or_none(struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	*(uint64_t *)place = 0;
	return text.size == 0 || value_id(pool, text, place, bad);
}

bool
value_social_id(struct pool *pool, struct slice text, void *place, struct slice *bad UNUSED)
{
	return social_id_parse(pool, text, place);
}

bool
value_limit(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	uint32_t limit;
	if (!read_u32(text, VALUE_LIMIT_MAX, &limit) || limit == 0)
		return false;
	*(size_t *)place = limit;
	return true;
}

bool
value_format(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	const bool form = slice_equal(text, SLICE("form"));
	*(bool *)place = form;
	return form || slice_equal(text, SLICE("json"));
}

bool
value_source(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = or_none(text);
	return text.size <= TEXT_BYTES_MAX;
}

bool
value_events(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	uint32_t events = 0;
	struct slice item;
	while (slice_next_item(&text, &item)) {
		enum event_type event;
		if (!event_parse(item, &event)) {
			*bad = item;
			return false;
		}
		events |= EVENT_BIT(event);
	}
	*(uint32_t *)place = events;
	return events != 0;
}

bool
value_schedule(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	struct slice trimmed = slice_trim(text);
	struct retry_schedule schedule;
	*(struct slice *)place = or_none(trimmed);
	if (trimmed.size == 0)
		return true;
	/* a list of separators only is an error: without delays there would be a single attempt */
	return trimmed.size <= SCHEDULE_BYTES_MAX && retry_schedule_parse(trimmed, &schedule, bad) && schedule.count > 0;
}

/* Only redirects that form handlers and scripts answer with after their work. Other statuses say that it was not done. */
bool
value_accepts(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad)
{
	static const struct slice lists[] = { SLICE_NONE, SLICE("302"), SLICE("303"), SLICE("302,303") };
	unsigned given = 0;
	while (slice_next_item(&text, bad)) {
		const unsigned bit = slice_equal(*bad, lists[1]) ? 1 : slice_equal(*bad, lists[2]) ? 2 : 0;
		if (bit == 0)
			return false;
		given |= bit;
	}
	*(struct slice *)place = lists[given];
	return true;
}

bool
value_rate(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	return read_u32(text, RATE_MAX, place);
}

bool
value_time_zone(struct pool *pool, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = or_none(text);
	return text.size == 0 || zone_is_known(pool, text);
}

bool
value_file(struct pool *pool UNUSED, struct slice text, void *place, struct slice *bad UNUSED)
{
	*(struct slice *)place = or_none(text);
	return text.size == 0 || (text.data[0] == '/' && text.size <= FILE_BYTES_MAX);
}

void
values_list(const struct value_settings *settings, FILE *out)
{
	fputs("Settings:\n", out);
	for (size_t i = 0; i < settings->count; i++)
		fprintf(out, "  %-22s%s\n", settings->rows[i].name, settings->rows[i].expected);
	fputc('\n', out);
}

/* The setting that begins like the name, or NULL. */
static const char *
alike(const struct value_settings *settings, struct slice name)
{
	const char *best = NULL;
	size_t most = ALIKE_MIN_BYTES - 1;
	for (size_t i = 0; i < settings->count; i++) {
		const char *row = settings->rows[i].name;
		size_t size = 0;
		while (size < name.size && row[size] != '\0' && ascii_lower(name.data[size]) == row[size])
			size++;
		if (size > most) {
			most = size;
			best = row;
		}
	}
	return best;
}

static void
fail_unknown(struct admin_call *call, const struct value_settings *settings, struct slice name)
{
	const char *best = alike(settings, name);
	const struct slice shown = slice_sub(name, 0, SHOWN_MAX_BYTES);
	struct buffer all;
	buffer_init(&all, LISTED_MAX_BYTES);
	for (size_t i = 0; best == NULL && i < settings->count; i++)
		buffer_printf(&all, "%s%s", i == 0 ? "" : ", ", settings->rows[i].name);
	if (best != NULL)
		admin_fail(call, PROBLEM_INVALID, "%s has no setting \"%.*s\"; did you mean %s?", settings->owner,
		    SLICE_ARGS(shown), best);
	else
		admin_fail(call, PROBLEM_INVALID, "%s has no setting \"%.*s\"; there are: %.*s", settings->owner,
		    SLICE_ARGS(shown), SLICE_ARGS(buffer_slice(&all)));
	buffer_free(&all);
}

/* "setting=value". */
static bool
apply(struct admin_call *call, const struct value_settings *settings, struct slice text, void *target)
{
	size_t equals = slice_find(text, '=');
	struct slice name = slice_sub(text, 0, equals), value = slice_sub(text, equals + 1, text.size), bad = SLICE_NONE;
	for (size_t i = 0; i < settings->count; i++) {
		const struct value_setting *row = &settings->rows[i];
		if (!slice_equal(name, slice_of(row->name)))
			continue;
		if (i >= settings->count - settings->operators && !caller_is_operator(call->caller)) {
			admin_fail(call, PROBLEM_FORBIDDEN, "only an operator may set %s", row->name);
			return false;
		}
		if (equals < text.size && row->read(call->pool, value, (char *)target + row->offset, &bad))
			return true;
		if (!slice_present(bad))
			bad = slice_sub(value, 0, SHOWN_MAX_BYTES);
		admin_fail_setting(
		    call, row->name, "expected %s%s%.*s", row->expected, bad.size > 0 ? ", not " : "", SLICE_ARGS(bad));
		return false;
	}
	fail_unknown(call, settings, name);
	return false;
}

bool
values_apply(struct admin_call *call, size_t first, void *target)
{
	for (size_t i = first; i < call->operand_count; i++)
		if (!apply(call, call->command->settings, slice_of(call->operands[i]), target))
			return false;
	return true;
}

bool
values_have(struct admin_call *call, size_t first, const char *setting)
{
	for (size_t i = first; i < call->operand_count; i++) {
		struct slice text = slice_of(call->operands[i]);
		if (slice_equal(slice_sub(text, 0, slice_find(text, '=')), slice_of(setting)))
			return true;
	}
	return false;
}

bool
values_take(struct admin_call *call, const struct value_option *options, size_t count, void *target)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = call->options[options[i].option];
		struct slice bad = SLICE_NONE;
		if (value == NULL || options[i].read(call->pool, slice_of(value), (char *)target + options[i].offset, &bad))
			continue;
		admin_fail_option(call, PROBLEM_INVALID, options[i].option, "expected %s", options[i].expected);
		return false;
	}
	return true;
}

static bool
take_part(struct admin_call *call, size_t limit, struct list_part *part)
{
	static const struct value_option limit_option = { OPTION_LIMIT, value_limit, 0, "a number from 1 to 10000" },
					 after_option = { OPTION_AFTER, value_id_or_none, 0, "the id of the last row before" };
	*part = (struct list_part){ .after = 0 };
	if (!values_take(call, &limit_option, 1, &limit) || !values_take(call, &after_option, 1, &part->after))
		return false;
	part->limit = limit;
	return true;
}

bool
values_take_part(struct admin_call *call, struct list_part *part)
{
	return take_part(call, VALUE_LIMIT_DEFAULT, part);
}

bool
values_take_large_part(struct admin_call *call, struct list_part *part)
{
	return take_part(call, call->is_remote ? VALUE_LIMIT_REMOTE : VALUE_LIMIT_MAX, part);
}
