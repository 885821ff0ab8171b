/* SPDX-License-Identifier: MIT */
#include "engine/custom_fields.h"

#include <stdlib.h>
#include <unicase.h>

#include "json/reader.h"
#include "json/writer.h"

enum { DEPTH_MAX = 2 };

struct slice
custom_field_name(struct pool *pool, struct slice typed)
{
	typed = pool_with_paired_brackets(pool, typed); /* so that `custom_fields[name]` can be read in only one way */
	if (slice_is_ascii(typed))                      /* true for most names */
		return pool_copy_lower(pool, typed);
	size_t size = 0;
	/* without a language or normalisation: the result must not depend on the locale */
	uint8_t *lower = u8_tolower((const uint8_t *)typed.data, typed.size, NULL, NULL, NULL, &size);
	if (lower == NULL)
		memory_exhausted();
	struct slice name = pool_copy(pool, (struct slice){ (const char *)lower, size });
	free(lower);
	return name;
}

/* Returns where the bracketed name that starts at `at` ends; the size of the text if its bracket is not closed. The name may
 * contain brackets itself. */
static size_t
end_of_member(struct slice text, size_t at)
{
	for (size_t open = 1; at < text.size; at++) {
		if (text.data[at] == '[')
			open++;
		else if (text.data[at] == ']' && --open == 0)
			return at;
	}
	return text.size;
}

bool
custom_field_member(struct pool *pool, struct slice typed, struct slice *name, struct slice *base)
{
	const struct slice before = SLICE(CUSTOM_FIELDS_NAME "[");
	const size_t end = slice_starts_with_nocase(typed, before) ? end_of_member(typed, before.size) : typed.size;
	const struct slice rest = slice_sub(typed, end + 1, typed.size);
	const bool within = end < typed.size && end > before.size && (rest.size == 0 || rest.data[0] == '[');
	if (within)
		typed = POOL_JOIN(pool, slice_sub(typed, before.size, end), rest);
	*name = custom_field_name(pool, typed);
	*base = slice_sub(*name, 0, slice_find(*name, '['));
	return within;
}

/* Builds the list of fields while the object is parsed. */
struct field_reader {
	struct pool *pool;
	struct custom_field *items;
	size_t count, capacity;
	struct slice name;
	struct buffer value;
	struct json_writer writer;
};

static void
write_scalar(struct json_writer *writer, const struct json_event *event)
{
	switch (event->type) {
	case JSON_BOOLEAN:
		json_boolean(writer, event->boolean);
		break;
	case JSON_NUMBER:
		json_raw(writer, event->text);
		break;
	case JSON_STRING:
		json_string(writer, event->text);
		break;
	default:
		json_null(writer);
		break;
	}
}

static void
end_value(struct field_reader *reader, struct slice text)
{
	*POOL_ADD(reader->pool, reader->items, reader->count, reader->capacity) = (struct custom_field){
		.name = reader->name,
		.json = pool_copy(reader->pool, buffer_slice(&reader->value)),
		.text = pool_copy(reader->pool, text),
	};
}

static bool
read_event(void *context, const struct json_event *event)
{
	struct field_reader *reader = context;
	switch (event->type) {
	case JSON_OBJECT_BEGIN:
	case JSON_OBJECT_END:
		return event->depth == 0;
	case JSON_KEY:
		reader->name = pool_copy(reader->pool, event->text);
		buffer_clear(&reader->value);
		json_writer_init(&reader->writer, &reader->value);
		return true;
	case JSON_ARRAY_BEGIN:
		if (event->depth != 1)
			return false;
		json_begin_array(&reader->writer);
		return true;
	case JSON_ARRAY_END:
		json_end_array(&reader->writer);
		end_value(reader, SLICE_NONE);
		return true;
	default:
		if (event->depth == 0)
			return false;
		write_scalar(&reader->writer, event);
		if (event->depth == 1)
			end_value(reader, event->type == JSON_STRING ? event->text : SLICE_NONE);
		return true;
	}
}

struct custom_fields
custom_fields_read(struct pool *pool, struct slice json)
{
	struct field_reader reader = { .pool = pool };
	struct json_problem problem;
	if (!slice_present(json))
		return (struct custom_fields){ 0 };
	buffer_init(&reader.value, CUSTOM_FIELDS_MAX_BYTES);
	bool read = json_read(json, DEPTH_MAX, read_event, &reader, &problem);
	buffer_free(&reader.value);
	return read ? (struct custom_fields){ reader.items, reader.count } : (struct custom_fields){ 0 };
}

static struct slice
text_of(const struct custom_fields *fields, struct slice name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (slice_equal(fields->items[i].name, name))
			return fields->items[i].text.size > 0 ? fields->items[i].text : SLICE_NONE;
	return SLICE_NONE;
}

/* Returns the end of the unescaped string at `at`, or 0 when there is none. */
static size_t
end_of_string(struct slice json, size_t at)
{
	if (at >= json.size || json.data[at] != '"')
		return 0;
	size_t size = slice_find(slice_sub(json, at + 1, json.size), '"');
	return at + 1 + size < json.size ? at + size + 2 : 0;
}

/* Returns the end of the value at `at`, where the comma or brace is, or 0. The value must be as custom_fields_merge writes
 * it. */
static size_t
end_of_value(struct slice json, size_t at)
{
	bool array = at < json.size && json.data[at] == '[';
	if (at < json.size && json.data[at] == '"')
		return end_of_string(json, at);
	while (at < json.size) {
		char c = json.data[at];
		if (array ? c == ']' : c == ',' || c == '}')
			return array ? at + 1 : at;
		if (c == '"' && !array)
			return 0;
		at = c == '"' ? end_of_string(json, at) : at + 1;
		if (at == 0)
			return 0;
	}
	return 0;
}

/* Finds the texts without a parser. Returns false when the object is not as custom_fields_merge writes it, or contains escapes;
 * few objects do. */
static bool
find_texts(struct slice json, const struct slice *names, size_t count, struct slice *texts)
{
	size_t at = 0;
	do {
		size_t name_end = end_of_string(json, at + 1), value = name_end + 1;
		size_t end =
		    name_end == 0 || name_end >= json.size || json.data[name_end] != ':' ? 0 : end_of_value(json, value);
		if (end == 0 || end >= json.size)
			return false;
		struct slice name = slice_sub(json, at + 2, name_end - 1);
		for (size_t i = 0; i < count; i++)
			if (!slice_present(texts[i]) && slice_equal(name, names[i]) && json.data[value] == '"' &&
			    end - value > 2)
				texts[i] = slice_sub(json, value + 1, end - 1);
		at = end;
	} while (json.data[at] == ',');
	return json.data[at] == '}' && at + 1 == json.size;
}

void
custom_fields_texts(struct pool *pool, struct slice json, const struct slice *names, size_t count, struct slice *texts)
{
	for (size_t i = 0; i < count; i++)
		texts[i] = SLICE_NONE;
	if (!slice_present(json))
		return;
	bool plain = slice_starts_with(json, SLICE("{")) && slice_find(json, '\\') == json.size;
	if (plain && find_texts(json, names, count, texts))
		return;
	struct custom_fields fields = custom_fields_read(pool, json);
	for (size_t i = 0; i < count; i++)
		texts[i] = text_of(&fields, names[i]);
}

/* ---- merging ---- */

/* A field, stored or sent, as it would be written. */
struct member {
	struct slice name, text; /* text: `"name":value`; absent: the field is removed */
	bool optional, stays;
};

struct members {
	struct member *items;
	size_t count;
};

/* How much may still be added to an object. */
struct room {
	size_t fields, bytes;
};

/* The limit that leaves no room for a member. */
enum shortage { SHORT_OF_NOTHING, SHORT_OF_FIELDS, SHORT_OF_BYTES };

static struct member *
find(const struct members *members, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(members->items[i].name, name))
			return &members->items[i];
	return NULL;
}

/* If a name is given twice, the last value counts; but an optional field (these come last) never replaces a required one. */
static struct members
members_of(struct pool *pool, const struct custom_field *fields, size_t count, size_t optional)
{
	struct members members = { POOL_ARRAY(pool, count, struct member), 0 };
	struct buffer text;
	struct json_writer writer;
	buffer_init(&text, CUSTOM_FIELDS_MAX_BYTES);
	for (size_t i = 0; i < count; i++) {
		struct member *member = find(&members, members.count, fields[i].name);
		const bool is_optional = i + optional >= count;
		if (member != NULL && is_optional && !member->optional)
			continue;
		if (member == NULL)
			member = &members.items[members.count++];
		*member = (struct member){ .name = fields[i].name, .optional = is_optional };
		if (!slice_present(fields[i].json))
			continue;
		buffer_clear(&text);
		json_writer_init(&writer, &text);
		json_key(&writer, fields[i].name);
		json_raw(&writer, fields[i].json);
		member->text = pool_copy(pool, buffer_slice(&text));
	}
	buffer_free(&text);
	return members;
}

/* The room in an empty object. Each member is counted with a comma. Of the two braces only one byte needs to be counted,
 * because the first member has no comma. */
static struct room
room_of(size_t fields, size_t bytes)
{
	return (struct room){ fields, bytes == 0 ? 0 : bytes - 1 };
}

/* Required members come before the optional ones. */
static size_t
count_required(const struct members *members)
{
	size_t count = 0;
	while (count < members->count && !members->items[count].optional)
		count++;
	return count;
}

static enum shortage
shortage_for(const struct room *room, const struct member *member)
{
	if (room->fields == 0)
		return SHORT_OF_FIELDS;
	return room->bytes > member->text.size ? SHORT_OF_NOTHING : SHORT_OF_BYTES;
}

static void
take(struct room *room, const struct member *member)
{
	const size_t bytes = member->text.size + 1;
	room->fields -= room->fields > 0;
	room->bytes -= bytes < room->bytes ? bytes : room->bytes;
}

static bool
fail_merge(struct pool *pool, enum shortage shortage, const struct room *most, struct slice *problem)
{
	*problem = shortage == SHORT_OF_FIELDS
		       ? pool_printf(pool, "A lead may have at most %zu custom fields", most->fields)
		       : pool_printf(pool, "The custom fields of a lead may have at most %zu bytes together", most->bytes + 1);
	return false;
}

/* The fields of a call, as if there were no others. Optional fields come last; those that do not fit are removed. */
static bool
fit_alone(struct pool *pool, struct members *sent, const struct room *most, struct slice *problem)
{
	struct room room = *most;
	size_t count = 0;
	for (size_t i = 0; i < sent->count; i++) {
		const struct member member = sent->items[i];
		const enum shortage shortage = slice_present(member.text) ? shortage_for(&room, &member) : SHORT_OF_NOTHING;
		if (shortage != SHORT_OF_NOTHING && !member.optional)
			return fail_merge(pool, shortage, most, problem);
		if (shortage != SHORT_OF_NOTHING)
			continue;
		if (slice_present(member.text))
			take(&room, &member);
		sent->items[count++] = member;
	}
	sent->count = count;
	return true;
}

/* Keyed fields stay, unless the call removes them. */
static void
keep_keyed(const struct members *old, size_t keyed, const struct members *sent, struct room *room)
{
	for (size_t i = 0; i < keyed; i++) {
		struct member *member = &old->items[i];
		const struct member *change = find(sent, sent->count, member->name);
		member->stays = change == NULL || slice_present(change->text);
		if (member->stays)
			take(room, member);
	}
}

/* A field of the call replaces a stored one; if there is no room for the change, the stored one stays. The first `keyed_sent`
 * fields are not a stranger's; strangers have only a share of the room. Returns what the first required field that was left out
 * is short of. */
static enum shortage
keep_sent(const struct members *old, size_t keyed, const struct members *sent, size_t keyed_sent, struct room *room,
    struct room *share)
{
	enum shortage first = SHORT_OF_NOTHING;
	for (size_t i = 0; i < sent->count; i++) {
		struct member *member = &sent->items[i], *stored = find(old, keyed, member->name);
		if (!slice_present(member->text) || (member->optional && stored != NULL))
			continue;
		const struct room before = *room;
		if (stored != NULL) {
			room->fields++;
			room->bytes += stored->text.size + 1;
		}
		enum shortage shortage = shortage_for(room, member);
		if (shortage == SHORT_OF_NOTHING && i >= keyed_sent)
			shortage = shortage_for(share, member);
		member->stays = shortage == SHORT_OF_NOTHING;
		if (!member->stays) {
			*room = before;
			if (first == SHORT_OF_NOTHING && !member->optional)
				first = shortage;
			continue;
		}
		take(room, member);
		if (i >= keyed_sent)
			take(share, member);
		if (stored != NULL)
			stored->stays = false;
	}
	return first;
}

/* Strangers' fields give way to all others. */
static void
keep_public(const struct members *old, size_t keyed, const struct members *sent, struct room *room, struct room *share)
{
	for (size_t i = keyed; i < old->count; i++) {
		struct member *member = &old->items[i];
		const struct member *change = find(sent, sent->count, member->name);
		if (change != NULL && (change->stays || !slice_present(change->text)))
			continue;
		member->stays =
		    shortage_for(room, member) == SHORT_OF_NOTHING && shortage_for(share, member) == SHORT_OF_NOTHING;
		if (!member->stays)
			continue;
		take(room, member);
		take(share, member);
	}
}

/* Returns the number of fields written. */
static size_t
write_members(struct buffer *out, const struct member *members, size_t count)
{
	size_t written = 0;
	for (size_t i = 0; i < count; i++) {
		if (!members[i].stays)
			continue;
		buffer_add_byte(out, out->size == 0 ? '{' : ',');
		buffer_add(out, members[i].text);
		written++;
	}
	return written;
}

static struct stored_fields
write_merged(struct pool *pool, const struct members *old, size_t keyed, const struct members *sent, size_t keyed_sent)
{
	struct stored_fields merged = { SLICE_NONE, 0 };
	struct buffer out;
	buffer_init(&out, CUSTOM_FIELDS_MAX_BYTES);
	merged.keyed = write_members(&out, old->items, keyed);
	merged.keyed += write_members(&out, sent->items, keyed_sent);
	write_members(&out, old->items + keyed, old->count - keyed);
	write_members(&out, sent->items + keyed_sent, sent->count - keyed_sent);
	if (out.size > 0) {
		buffer_add_byte(&out, '}');
		merged.json = pool_copy(pool, buffer_slice(&out));
	}
	buffer_free(&out);
	return merged;
}

bool
custom_fields_merge(struct pool *pool, const struct stored_fields *stored, const struct custom_field_changes *changes,
    const struct custom_field_limits *limits, struct stored_fields *merged, struct slice *problem)
{
	const struct custom_fields fields = custom_fields_read(pool, stored->json);
	const struct members old = members_of(pool, fields.items, fields.count, 0);
	struct members sent = members_of(pool, changes->items, changes->count, changes->optional);
	const size_t keyed = stored->keyed < old.count ? stored->keyed : old.count;
	const bool is_less = limits->public_bytes != 0 && limits->public_bytes < limits->bytes;
	const struct room most = room_of(limits->fields, limits->bytes);
	struct room room = most, share = room_of(limits->fields, is_less ? limits->public_bytes : limits->bytes);
	if (!fit_alone(pool, &sent, changes->keyed ? &most : &share, problem))
		return false;
	const size_t keyed_sent = changes->keyed ? count_required(&sent) : 0;
	keep_keyed(&old, keyed, &sent, &room);
	const enum shortage shortage = keep_sent(&old, keyed, &sent, keyed_sent, &room, &share);
	if (shortage != SHORT_OF_NOTHING && changes->keyed)
		return fail_merge(pool, shortage, &most, problem);
	keep_public(&old, keyed, &sent, &room, &share);
	*merged = write_merged(pool, &old, keyed, &sent, keyed_sent);
	return true;
}
