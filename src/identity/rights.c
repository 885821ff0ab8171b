/* SPDX-License-Identifier: MIT */
#include "identity/rights.h"

#define WORD(name, word, help) SLICE(word),
static const struct slice words[RIGHTS] = { RIGHT_LIST(WORD) };
#undef WORD

static const struct {
	struct slice name;
	rights set;
} sets[] = {
	{ SLICE("full"), RIGHTS_FULL_KEY },
	{ SLICE("numbers"), RIGHT_STATS },
	{ SLICE("viewer"), RIGHTS_VIEWER },
	{ SLICE("all"), RIGHTS_ALL },
};

static rights
find_item(struct slice item)
{
	const size_t place = slice_place_in(item, words, RIGHTS);
	if (place < RIGHTS)
		return (rights)1 << place;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		if (slice_equal(item, sets[i].name))
			return sets[i].set;
	return RIGHTS_NONE;
}

bool
rights_parse(struct slice text, rights *set, struct slice *bad)
{
	struct slice item;
	*set = RIGHTS_NONE;
	*bad = SLICE_NONE;
	while (slice_next_item(&text, &item)) {
		const rights found = find_item(item);
		if (found == RIGHTS_NONE) {
			*bad = item;
			return false;
		}
		*set |= found;
	}
	return *set != RIGHTS_NONE;
}

struct slice
right_word(unsigned number)
{
	return words[number];
}

struct slice *
rights_words(struct pool *pool, rights set, size_t *count)
{
	struct slice *list = POOL_ARRAY(pool, RIGHTS, struct slice);
	*count = 0;
	for (unsigned i = 0; i < RIGHTS; i++)
		if ((set >> i & 1) != 0)
			list[(*count)++] = words[i];
	return list;
}

/* ---- roles ---- */

static const struct slice role_names[ROLES] = {
	[ROLE_OPERATOR] = SLICE("operator"),
	[ROLE_OWNER] = SLICE("owner"),
	[ROLE_EDITOR] = SLICE("editor"),
	[ROLE_VIEWER] = SLICE("viewer"),
};

struct slice
role_name(enum role role)
{
	return role_names[role];
}

bool
role_parse(struct slice text, enum role *role)
{
	const size_t place = slice_place_in(text, role_names, ROLES);
	if (place < ROLES)
		*role = (enum role)place;
	return place < ROLES;
}

rights
role_rights(enum role role)
{
	static const rights of_roles[ROLES] = { RIGHTS_ALL, RIGHTS_OWNER, RIGHTS_EDITOR, RIGHTS_VIEWER };
	return of_roles[role];
}

bool
role_takes_campaigns(enum role role)
{
	return role == ROLE_EDITOR || role == ROLE_VIEWER;
}
