/* SPDX-License-Identifier: MIT */
#include "engine/payload_people.h"

#include <stddef.h>

#include "base/attributes.h"
#include "json/reader.h"

enum { DEPTH_MAX = 64 /* more than a payload has */, LEAD = 1, REFERRED /* depths of the members */ };

#define PLACE(member) offsetof(struct payload_person, member)
static const struct {
	struct slice name;
	size_t offset;
} members[] = {
	{ SLICE("social_id"), PLACE(social_id) },
	{ SLICE("email"), PLACE(email) },
	{ SLICE("phone_number"), PLACE(phone) },
};

struct people_reader {
	struct pool *pool;
	struct payload_people people;
	bool in_referral;
	struct slice *text; /* where the value of the key at hand belongs; NULL: nowhere */
};

static void
begin_member(struct people_reader *reader, const struct json_event *key)
{
	if (key->depth == LEAD)
		reader->in_referral = slice_equal(key->text, SLICE("__referral"));
	struct payload_person *person = key->depth == LEAD                              ? &reader->people.lead
					: key->depth == REFERRED && reader->in_referral ? &reader->people.referred
											: NULL;
	reader->text = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(members) && person != NULL; i++)
		if (slice_equal(key->text, members[i].name))
			reader->text = (struct slice *)((char *)person + members[i].offset);
}

/* A json_handler. */
static bool
read_member(void *context, const struct json_event *event)
{
	struct people_reader *reader = context;
	if (event->type == JSON_KEY) {
		begin_member(reader, event);
		return true;
	}
	if (event->type == JSON_STRING && reader->text != NULL)
		*reader->text = pool_copy(reader->pool, event->text);
	reader->text = NULL;
	return true;
}

struct payload_people
payload_people_read(struct pool *pool, struct slice payload)
{
	struct people_reader reader = { .pool = pool };
	struct json_problem problem;
	return json_read(payload, DEPTH_MAX, read_member, &reader, &problem) ? reader.people : (struct payload_people){ 0 };
}
