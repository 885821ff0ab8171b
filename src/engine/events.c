/* SPDX-License-Identifier: MIT */
#include "engine/events.h"

#define NAME(type, name) [EVENT_##type] = SLICE(name),
static const struct slice names[EVENT_TYPES] = { EVENT_LIST(NAME) };
#undef NAME

struct slice
event_name(enum event_type type)
{
	return (size_t)type < EVENT_TYPES ? names[type] : SLICE_NONE;
}

bool
event_parse(struct slice name, enum event_type *type)
{
	if (slice_equal(name, SLICE("fraudulent")))
		name = names[EVENT_MARKED_AS_FRAUDULENT];
	const size_t place = slice_place_in(name, names, EVENT_TYPES);
	if (place < EVENT_TYPES)
		*type = (enum event_type)place;
	return place < EVENT_TYPES;
}
