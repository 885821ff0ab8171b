/* SPDX-License-Identifier: MIT
 * A hash table with open addressing, at most half full. It grows, because most requests have few parameters and every byte of
 * their memory is cleared twice. The number of parameters is limited, and with it the steps of a search when names collide. */
#include "http/params_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "http/http_text.h"
#include "http/link_query.h"

struct params_entry {
	struct http_param param;
	uint32_t hash;
	size_t capacity; /* of the array */
};

enum { SLOTS_MIN = 32 };

struct http_params *
http_params_new(struct pool *pool, const struct http_caps *caps, const struct http_names *names)
{
	struct http_params *params = POOL_NEW(pool, struct http_params);
	params->pool = pool;
	params->caps = *caps;
	params->names = *names;
	params->slots = POOL_ARRAY(pool, SLOTS_MIN, uint32_t);
	params->mask = SLOTS_MIN - 1;
	params->query_is_valid = true;
	return params;
}

static void *
copy_array(struct pool *pool, const void *items, size_t count, size_t capacity, size_t item_size)
{
	void *copy = pool_alloc_array(pool, capacity, item_size);
	return count == 0 ? copy : memcpy(copy, items, count * item_size);
}

/* The copy shares the values, because values are replaced, never changed. */
struct http_params *
params_copy(const struct http_params *params)
{
	struct http_params *copy = POOL_NEW(params->pool, struct http_params);
	const size_t slots = params->mask + 1;
	*copy = *params;
	copy->slots = copy_array(params->pool, params->slots, slots, slots, sizeof(*params->slots));
	copy->entries = copy_array(params->pool, params->entries, params->count, params->capacity, sizeof(*params->entries));
	return copy;
}

struct params_source
params_source(struct http_params *params, enum http_origin origin, struct http_problem *problem)
{
	return (struct params_source){ params, origin, params->pool, params->caps, HTTP_NAME_FIELD, problem };
}

/* The name of a form's field without the brackets that make its values an array: `[]`, or for collecting names also `[0]`, as
 * PHP writes arrays. */
static struct slice
without_brackets(const struct http_names *names, struct slice name)
{
	const size_t open = slice_find_last(name, '[');
	uint64_t index;
	if (open == name.size || !slice_ends_with(name, SLICE("]")))
		return name;
	const struct slice base = slice_sub(name, 0, open), inside = slice_sub(name, open + 1, name.size - 1);
	const bool is_array = inside.size == 0 || (slice_to_u64(inside, UINT32_MAX, &index) &&
						      slice_is_one_of(base, names->collecting, names->collecting_count));
	return is_array ? slice_trim(base) : name;
}

bool
params_fail(struct params_source *source, enum http_problem_kind kind, const char *message)
{
	if (source->problem != NULL)
		*source->problem = (struct http_problem){ kind, pool_copy(source->pool, slice_of(message)) };
	return false;
}

/* Makes a rule such as "is longer than 64 bytes" from its parts. */
static const char *
cap_text(const struct params_source *source, const char *rule, size_t cap, const char *unit)
{
	if (source->problem == NULL)
		return "";
	return pool_printf(source->pool, "%s %zu %s", rule, cap, unit).data;
}

bool
params_begin(struct params_source *source, struct slice name)
{
	source->kind = source->params->names.kind_of(name);
	return source->kind != HTTP_NAME_DROPPED;
}

void
params_begin_member(struct params_source *source, struct slice object, struct slice member)
{
	const struct http_names *names = &source->params->names;
	if (names->kind_of_member != NULL && slice_equal_nocase(object, names->fields))
		source->kind = names->kind_of_member(member);
}

bool
params_begin_field(struct params_source *source, struct slice name)
{
	const struct slice base = without_brackets(&source->params->names, name);
	const size_t open = slice_find(base, '['), close = slice_find(base, ']');
	params_begin(source, base);
	if (open < close && close < base.size)
		params_begin_member(source, slice_sub(base, 0, open), slice_sub(base, open + 1, close));
	return source->kind != HTTP_NAME_DROPPED;
}

/* The maximum length of the name: in `custom_fields[plan]`, `plan` may be as long as it may be alone. */
static size_t
name_maximum(const struct params_source *source, struct slice name)
{
	const struct slice fields = source->params->names.fields;
	const bool within = fields.size > 0 && slice_starts_with_nocase(name, fields) &&
			    (name.size == fields.size || name.data[fields.size] == '[');
	return source->caps.name_bytes + (within ? fields.size + sizeof("[]") - 1 : 0);
}

/* Returns NULL, or the rule that the name breaks. */
static const char *
name_problem(const struct params_source *source, struct slice name)
{
	if (name.size == 0)
		return "A parameter has no name";
	if (name.size > name_maximum(source, name))
		return cap_text(source, "A parameter name is longer than", source->caps.name_bytes, "bytes");
	if (!utf8_valid(name))
		return "A parameter name is not valid UTF-8";
	return slice_has_control(name) ? "A parameter name contains control characters" : NULL;
}

bool
params_check_name(struct params_source *source, struct slice name)
{
	const char *problem = name_problem(source, name);
	return problem == NULL || params_fail(source, HTTP_INVALID_PARAMETER, problem);
}

bool
params_fail_named(struct params_source *source, struct slice name, const char *rule)
{
	if (!params_check_name(source, name) || source->problem == NULL)
		return false;
	struct slice message = pool_printf(source->pool, "Parameter %.*s %s", SLICE_ARGS(name), rule);
	return params_fail(source, HTTP_INVALID_PARAMETER, message.data);
}

/* FNV-1a */
static uint32_t
hash_name(struct slice name)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < name.size; i++)
		hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
	return hash;
}

/* The slot that has the name, or the free slot where it belongs. */
static uint32_t *
find_slot(const struct http_params *params, struct slice name, uint32_t hash)
{
	for (size_t at = hash & params->mask;; at = (at + 1) & params->mask) {
		uint32_t *slot = &params->slots[at];
		if (*slot == 0)
			return slot;
		const struct params_entry *entry = &params->entries[*slot - 1];
		if (entry->hash == hash && slice_equal(entry->param.name, name))
			return slot;
	}
}

static struct params_entry *
find_entry(const struct http_params *params, struct slice name)
{
	const uint32_t slot = *find_slot(params, name, hash_name(name));
	return slot == 0 ? NULL : &params->entries[slot - 1];
}

static void
double_slots(struct http_params *params)
{
	const size_t slots = 2 * (params->mask + 1);
	params->slots = POOL_ARRAY(params->pool, slots, uint32_t);
	params->mask = slots - 1;
	for (size_t i = 0; i < params->count; i++)
		*find_slot(params, params->entries[i].param.name, params->entries[i].hash) = (uint32_t)i + 1;
}

static struct params_entry *
add_entry(struct http_params *params, struct slice name)
{
	uint32_t hash = hash_name(name);
	if (2 * (params->count + 1) > params->mask + 1)
		double_slots(params);
	params->entries = pool_grow(params->pool, params->entries, params->count, &params->capacity, sizeof(*params->entries));
	struct params_entry *entry = &params->entries[params->count++];
	*entry = (struct params_entry){ .param.name = pool_copy(params->pool, name), .hash = hash };
	*find_slot(params, name, hash) = (uint32_t)params->count;
	return entry;
}

/* The entry of a valid name, added if needed; NULL when the table is full. */
static struct params_entry *
claim(struct params_source *source, struct slice name)
{
	struct params_entry *entry = find_entry(source->params, name);
	if (source->params->values >= source->caps.values) {
		params_fail(
		    source, HTTP_INVALID_PARAMETER, cap_text(source, "There are more than", source->caps.values, "values"));
		return NULL;
	}
	source->params->values++;
	if (entry != NULL)
		return entry;
	if (source->params->count < source->caps.parameters)
		return add_entry(source->params, name);
	params_fail(
	    source, HTTP_INVALID_PARAMETER, cap_text(source, "There are more than", source->caps.parameters, "parameters"));
	return NULL;
}

/* Normalizes a text that is only for people and statistics: it is made valid UTF-8 and cut. */
static void
soften(struct params_source *source, const struct http_value *scalar, struct http_value *copy)
{
	*copy = *scalar;
	if (scalar->type != HTTP_STRING && scalar->type != HTTP_NUMBER)
		return;
	copy->type = HTTP_STRING;
	copy->text = http_text_clean(source->pool, scalar->text);
	copy->whole_size = copy->text.size;
	copy->text = http_text_cut(copy->text, source->caps.value_bytes);
}

/* Checks the name and copies the normalized value, before an entry is added, so that an invalid field adds none. */
static bool
check_field(struct params_source *source, struct slice name, const struct http_value *scalar, struct http_value *copy)
{
	if (!params_check_name(source, name))
		return false;
	*copy = *scalar;
	if (scalar->type == HTTP_STRING) {
		copy->text = http_text_clean(source->pool, scalar->text);
	} else if (scalar->type == HTTP_NUMBER) {
		copy->text = pool_copy(source->pool, scalar->text);
		/* copied as written, but receivers may store it as a double */
		if (!isfinite(strtod(copy->text.data, NULL)))
			return params_fail_named(source, name, "must be a number that a double can hold");
	}
	if (copy->text.size > source->caps.value_bytes)
		return params_fail_named(source, name, cap_text(source, "is longer than", source->caps.value_bytes, "bytes"));
	return true;
}

static void
replace(struct params_entry *entry, const struct params_source *source, struct http_value value)
{
	entry->param.value = value;
	entry->param.origin = source->origin;
	entry->param.serial = ++source->params->serial;
	entry->capacity = 0;
}

static bool
set(struct params_source *source, struct slice name, struct http_value value)
{
	struct params_entry *entry = claim(source, name);
	if (entry != NULL)
		replace(entry, source, value);
	return entry != NULL;
}

static void
push(struct params_source *source, struct params_entry *entry, struct http_value item)
{
	struct http_value *array = &entry->param.value;
	array->items = pool_grow(source->pool, array->items, array->item_count, &entry->capacity, sizeof(item));
	array->items[array->item_count++] = item;
	entry->param.serial = ++source->params->serial;
}

static bool
append(struct params_source *source, struct slice name, struct http_value item)
{
	struct params_entry *entry = claim(source, name);
	if (entry == NULL)
		return false;
	const struct http_value *value = &entry->param.value;
	if (entry->param.origin != source->origin || value->type != HTTP_ARRAY)
		replace(entry, source, (struct http_value){ .type = HTTP_ARRAY });
	if (value->item_count >= source->caps.items) {
		params_fail_named(source, name, cap_text(source, "has more than", source->caps.items, "items"));
		if (source->problem != NULL)
			source->problem->kind = HTTP_TOO_MANY_ITEMS;
		return false;
	}
	push(source, entry, item);
	return true;
}

typedef bool add_value(struct params_source *source, struct slice name, struct http_value value);

/* Adds a scalar or an empty array according to the rules for the name. */
static bool
take(struct params_source *source, struct slice name, const struct http_value *sent, add_value *add)
{
	const enum http_name_kind kind = source->kind;
	struct params_source quiet = *source;
	struct http_value value;
	quiet.problem = NULL;
	if (kind != HTTP_NAME_PARAMETER && kind != HTTP_NAME_FIELD && source->params->values >= source->caps.values)
		return true; /* the text is not copied */
	switch (kind) {
	case HTTP_NAME_PARAMETER:
	case HTTP_NAME_FIELD:
		return check_field(source, name, sent, &value) && add(source, name, value);
	case HTTP_NAME_INFORMS:
		soften(source, sent, &value);
		(void)!add(&quiet, name, value);
		break;
	case HTTP_NAME_OPTIONAL:
		if (add == set && sent->type != HTTP_ARRAY && check_field(&quiet, name, sent, &value))
			(void)!add(&quiet, name, value);
		break;
	case HTTP_NAME_DROPPED:
		break;
	}
	return true;
}

bool
params_set(struct params_source *source, struct slice name, const struct http_value *scalar)
{
	return take(source, name, scalar, set);
}

bool
params_set_array(struct params_source *source, struct slice name)
{
	const struct http_value none = { .type = HTTP_ARRAY };
	return take(source, name, &none, set);
}

bool
params_append(struct params_source *source, struct slice name, const struct http_value *scalar)
{
	return take(source, name, scalar, append);
}

/* Converts a single value to an array. */
static void
make_array(struct params_source *source, struct params_entry *entry)
{
	struct http_value first = entry->param.value;
	if (first.type == HTTP_ARRAY)
		return;
	replace(entry, source, (struct http_value){ .type = HTTP_ARRAY });
	push(source, entry, first);
}

bool
params_add_field(struct params_source *source, struct slice name, struct slice text)
{
	const struct http_names *names = &source->params->names;
	const struct slice base = without_brackets(names, name);
	bool to_array = base.size < name.size;
	name = base;
	if (slice_is_one_of(name, names->collecting, names->collecting_count)) {
		struct params_entry *entry = find_entry(source->params, name);
		if (entry != NULL && entry->param.origin == source->origin) {
			make_array(source, entry);
			to_array = true;
		}
	}
	struct http_value value = { .type = HTTP_STRING, .text = text };
	return to_array ? params_append(source, name, &value) : params_set(source, name, &value);
}

/* Adds the parameters that `params` does not have and `allowed` accepts. */
static void
merge(struct http_params *params, const struct http_params *from, http_param_allowed *allowed, void *context)
{
	for (size_t i = 0; i < from->count && params->count < params->caps.parameters; i++) {
		const struct http_param *param = &from->entries[i].param;
		if (find_entry(params, param->name) == NULL && allowed(context, param))
			add_entry(params, param->name)->param = *param;
	}
}

const struct http_param *
http_params_find(const struct http_params *params, struct slice name)
{
	const struct params_entry *entry = find_entry(params, name);
	return entry == NULL ? NULL : &entry->param;
}

const struct http_value *
http_params_value(const struct http_params *params, struct slice name)
{
	const struct http_param *param = http_params_find(params, name);
	return param == NULL ? NULL : &param->value;
}

struct slice
http_params_text(const struct http_params *params, struct slice name)
{
	struct slice text;
	return http_value_string(http_params_value(params, name), &text) ? text : SLICE_NONE;
}

size_t
http_params_count(const struct http_params *params)
{
	return params->count;
}

const struct http_param *
http_params_at(const struct http_params *params, size_t index)
{
	return &params->entries[index].param;
}

void
http_params_merge_url(struct http_params *params, struct slice url, http_param_allowed *allowed, void *context)
{
	struct slice without_fragment = slice_sub(url, 0, slice_find(url, '#'));
	struct slice query = slice_sub(without_fragment, slice_find(without_fragment, '?') + 1, without_fragment.size);
	struct http_params *found = http_params_new(params->pool, &params->caps, &params->names);
	struct params_source source = params_source(found, HTTP_ORIGIN_URL, NULL);
	params_read_query(&source, http_link_query(params->pool, query));
	merge(params, found, allowed, context);
}
