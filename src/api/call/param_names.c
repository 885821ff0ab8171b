/* SPDX-License-Identifier: MIT */
#include "api/call/param_names.h"

#include "base/panic.h"

#define ROW(id, groups, flags, ...) [id] = { { __VA_ARGS__ }, groups, flags },
const struct param param_table[PARAMS] = { PARAM_LIST(ROW) };

enum { COLLECTING_MAX = 16, LETTER_ROWS_MAX = 24 };

static bool
has_name(const struct param *parameter, struct slice name)
{
	for (size_t i = 0; param_has_name(parameter, i); i++)
		if (slice_equal_nocase(parameter->names[i], name))
			return true;
	return false;
}

bool
param_informs(struct slice lower_name)
{
	for (size_t i = 0; i < PARAMS; i++)
		if ((param_table[i].flags & PARAM_INFORMS) != 0 && has_name(&param_table[i], lower_name))
			return true;
	return false;
}

/* Names that begin with '_' must be written exactly as in the table; all others in upper or lower case. */
static bool
is_named(const struct param *parameter, struct slice name)
{
	return slice_starts_with(name, SLICE("_")) ? slice_is_one_of(name, parameter->names, PARAM_NAMES_MAX)
						   : has_name(parameter, name);
}

/* The rows that have a name with the same first letter, in order, and the sizes of these names as a bit mask. */
struct letter {
	const struct param *rows[LETTER_ROWS_MAX];
	size_t count;
	uint64_t sizes;
};

static void
add_name(struct letter *letter, const struct param *row, struct slice name)
{
	letter->sizes |= UINT64_C(1) << name.size;
	if (letter->count > 0 && letter->rows[letter->count - 1] == row)
		return;
	require(letter->count < LETTER_ROWS_MAX);
	if (letter->count < LETTER_ROWS_MAX)
		letter->rows[letter->count++] = row;
}

/* The rows that may have the name. This must be fast: a request may have thousands of names, and limits apply only after its
 * query is read. */
static const struct letter *
find_letter(struct slice name)
{
	enum { LETTERS = 32, SIZE_MAX_BITS = 64 }; /* for ASCII, without the bits for case */
	static struct letter letters[LETTERS];
	static bool is_filled;
	for (const struct param *row = param_table; !is_filled && row < param_table + PARAMS; row++)
		for (size_t k = 0; param_has_name(row, k); k++)
			add_name(&letters[row->names[k].data[0] & (LETTERS - 1)], row, row->names[k]);
	is_filled = true;
	if (name.size == 0 || name.size >= SIZE_MAX_BITS)
		return NULL;
	const struct letter *letter = &letters[name.data[0] & (LETTERS - 1)];
	return (letter->sizes >> name.size & 1) != 0 ? letter : NULL;
}

bool
param_is_reserved(struct slice name)
{
	const struct letter *letter = find_letter(name);
	for (size_t i = 0; letter != NULL && i < letter->count; i++)
		if ((letter->rows[i]->groups & GROUPS_RESERVED) != 0 && has_name(letter->rows[i], name))
			return true;
	return false;
}

/* How a name is read. `groups` are those of parameters that are not fields. */
static enum http_name_kind
kind_in(unsigned groups, struct slice name)
{
	const struct letter *letter = find_letter(name);
	for (size_t i = 0; letter != NULL && i < letter->count; i++) {
		const struct param *parameter = letter->rows[i];
		if ((parameter->groups & groups) == 0 || !is_named(parameter, name))
			continue;
		if (parameter->groups == GROUP_IGNORED)
			return HTTP_NAME_DROPPED;
		return (parameter->flags & PARAM_INFORMS) != 0      ? HTTP_NAME_INFORMS
		       : (parameter->flags & PARAM_STRUCTURED) != 0 ? HTTP_NAME_FIELD
								    : HTTP_NAME_PARAMETER;
	}
	if (name.size == 0 || slice_starts_with(name, SLICE("_")))
		return HTTP_NAME_DROPPED;
	if (!slice_starts_with_nocase(name, SLICE(UTM_PREFIX)))
		return HTTP_NAME_FIELD;
	return slice_find(name, '[') < name.size ? HTTP_NAME_DROPPED : HTTP_NAME_OPTIONAL; /* a member of an object */
}

/* In a sign-up, the parameters of other calls are custom fields. If such a parameter names leads or tags, an object as its
 * value is refused, because it would look as if it had an effect. */
static enum http_name_kind
kind_in_signup(struct slice name)
{
	return kind_in(GROUPS_RESERVED | GROUP_VIEW | GROUP_LEAD | GROUP_LEADS | GROUP_TAG | GROUP_TAGS, name);
}

static enum http_name_kind
kind_in_call(struct slice name)
{
	return kind_in(~0U, name);
}

/* A member of `custom_fields` that would not be a custom field outside of it is dropped. */
static enum http_name_kind
kind_of_member(struct slice name)
{
	const bool drops = name.size == 0 || slice_starts_with(name, SLICE("_")) ||
			   slice_starts_with_nocase(name, SLICE(UTM_PREFIX)) || param_is_reserved(name);
	return drops ? HTTP_NAME_DROPPED : HTTP_NAME_FIELD;
}

struct collecting {
	struct slice names[COLLECTING_MAX];
	size_t count;
};

static void
add_names(struct collecting *collecting, const struct param *row)
{
	for (size_t k = 0; param_has_name(row, k); k++) {
		require(collecting->count < COLLECTING_MAX);
		if (collecting->count < COLLECTING_MAX)
			collecting->names[collecting->count++] = row->names[k];
	}
}

static const struct collecting *
find_collecting(bool bulk)
{
	static struct collecting found[2];
	struct collecting *collecting = &found[bulk];
	const bool is_filled = collecting->count > 0;
	for (const struct param *row = param_table; !is_filled && row < param_table + PARAMS; row++)
		if ((row->flags & PARAM_REPEATABLE) != 0 && (bulk || (row->groups & (GROUP_LEADS | GROUP_TAGS)) == 0))
			add_names(collecting, row);
	return collecting;
}

struct http_names
param_names(const struct route *route)
{
	const struct collecting *collecting = find_collecting((route->flags & ROUTE_BULK) != 0);
	return (struct http_names){ .collecting = collecting->names,
		.collecting_count = collecting->count,
		.kind_of = (route->flags & ROUTE_FIELDS) != 0 ? kind_in_signup : kind_in_call,
		.fields = SLICE(CUSTOM_FIELDS_NAME),
		.kind_of_member = kind_of_member };
}
