/* SPDX-License-Identifier: MIT */
#include "engine/payload_people.h"

#include <stddef.h>

#include "base/attributes.h"
#include "json/reader.h"

enum { DEPTH_MAX = 64 /* more than a payload has */, LEAD = 1, REFERRED /* depths of the members */ };

#define PLACE(member) offsetof(struct payload_person, member)
static const struct member {
	struct slice name;
	size_t offset;
	enum json_type type;
} members[] = {
	{ SLICE("social_id"), PLACE(social_id), JSON_STRING },
	{ SLICE("email"), PLACE(email), JSON_STRING },
	{ SLICE("phone_number"), PLACE(phone), JSON_STRING },
	{ SLICE("verified_email"), PLACE(verified_email), JSON_BOOLEAN },
	{ SLICE("verified_phone_number"), PLACE(verified_phone), JSON_BOOLEAN },
	{ SLICE("claimed"), PLACE(claimed), JSON_STRING },
};

struct people_reader {
	struct pool *pool;
	struct payload_people people;
	bool in_referral;
	const struct member *member;   /* where to store the key being read; NULL: ignore it */
	struct payload_person *person; /* the person whose key it is */
};

static void
begin_member(struct people_reader *reader, const struct json_event *key)
{
	if (key->depth == LEAD)
		reader->in_referral = slice_equal(key->text, SLICE("__referral"));
	reader->person = key->depth == LEAD                              ? &reader->people.lead
			 : key->depth == REFERRED && reader->in_referral ? &reader->people.referred
									 : NULL;
	reader->member = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(members) && reader->person != NULL; i++)
		if (slice_equal(key->text, members[i].name))
			reader->member = &members[i];
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
	if (reader->member != NULL && event->type == reader->member->type) {
		void *place = (char *)reader->person + reader->member->offset;
		if (event->type == JSON_STRING)
			*(struct slice *)place = pool_copy(reader->pool, event->text);
		else
			*(bool *)place = event->boolean;
	}
	reader->member = NULL;
	return true;
}

struct payload_people
payload_people_read(struct pool *pool, struct slice payload)
{
	struct people_reader reader = { .pool = pool };
	struct json_problem problem;
	return json_read(payload, DEPTH_MAX, read_member, &reader, &problem) ? reader.people : (struct payload_people){ 0 };
}
