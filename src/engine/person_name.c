/* SPDX-License-Identifier: MIT */
#include "engine/person_name.h"

#include "engine/custom_fields.h"
#include "engine/short_name.h"

/* Returns the length of the first UTF-8 character. */
static size_t
first_character(struct slice s)
{
	size_t size = s.size == 0 ? 0 : 1;
	while (size < s.size && ((unsigned char)s.data[size] & 0xc0) == 0x80)
		size++;
	return size;
}

static struct slice
first_present(struct slice a, struct slice b, struct slice c)
{
	return slice_present(a) ? a : slice_present(b) ? b : c;
}

struct person_name
person_name_of(struct pool *pool, const struct lead *lead)
{
	enum { WHOLE, FIRST, GIVEN, LAST, FAMILY, FIELDS };
	static const struct slice fields[FIELDS] = { SLICE("name"), SLICE("first_name"), SLICE("given_name"),
		SLICE("last_name"), SLICE("family_name") };
	struct slice texts[FIELDS];
	custom_fields_texts(pool, lead->custom_fields, fields, FIELDS, texts);
	size_t space = slice_find(texts[WHOLE], ' ');
	struct slice first = slice_sub(texts[WHOLE], 0, space),
		     rest = slice_trim(slice_sub(texts[WHOLE], space, texts[WHOLE].size));
	return (struct person_name){
		.given = first_present(texts[FIRST], texts[GIVEN], first.size > 0 ? first : SLICE_NONE),
		.family = first_present(texts[LAST], texts[FAMILY], rest.size > 0 ? rest : SLICE_NONE),
	};
}

struct slice
person_whole_name(struct pool *pool, const struct person_name *names)
{
	if (slice_present(names->given) && slice_present(names->family))
		return POOL_JOIN(pool, names->given, SLICE(" "), names->family);
	return slice_present(names->given) ? names->given : names->family;
}

struct slice
person_masked_name(struct pool *pool, const struct lead *lead)
{
	if (!slice_present(lead->email))
		return person_address_name(pool, lead);
	return POOL_JOIN(pool, slice_sub(lead->email, 0, first_character(lead->email)), SLICE(NAME_MASK));
}

struct slice
person_address_name(struct pool *pool, const struct lead *lead)
{
	if (slice_present(lead->email))
		return slice_sub(lead->email, 0, slice_find_last(lead->email, '@'));
	struct slice phone = lead->phone;
	size_t tail = phone.size > 2 ? phone.size - 2 : 0;
	return POOL_JOIN(pool, slice_sub(phone, 0, 3), SLICE(NAME_MASK), slice_sub(phone, tail, phone.size));
}

struct slice
person_display_name(struct pool *pool, const struct lead *lead)
{
	const struct person_name names = person_name_of(pool, lead);
	const struct slice name = person_whole_name(pool, &names);
	return slice_present(name) ? name : person_address_name(pool, lead);
}
