/* SPDX-License-Identifier: MIT */
#include "store/removal/wanted.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/id_list.h"

static void
add_spelling(struct slice *spellings, size_t *count, struct slice text)
{
	for (size_t i = 0; i < *count; i++)
		if (slice_equal_nocase(spellings[i], text))
			return;
	if (slice_present(text) && *count < FINDER_SPELLINGS_MAX)
		spellings[(*count)++] = text;
}

struct slice
store_address_spellings(struct pool *pool, const struct person *person, const struct person_found *found)
{
	struct slice spellings[FINDER_SPELLINGS_MAX];
	size_t count = 0;
	add_spelling(spellings, &count, person->address);
	if (person->channel == CHANNEL_EMAIL)
		add_spelling(spellings, &count, person->typed);
	for (size_t i = 0; i < found->count && person->channel == CHANNEL_EMAIL; i++)
		add_spelling(spellings, &count, found->leads[i].email);
	return pool_join_with(pool, SLICE("\n"), spellings, count);
}

struct address_finder *
store_address_finder(struct pool *pool, enum lead_channel channel, struct slice spellings)
{
	struct slice lines[FINDER_SPELLINGS_MAX];
	size_t count = 0;
	if (channel == CHANNEL_PHONE)
		return address_finder_of_phone(pool, spellings);
	while (count < FINDER_SPELLINGS_MAX && slice_next(&spellings, '\n', &lines[count]))
		count++;
	return address_finder_of_email(pool, lines, count);
}

static int
compare_slices(const void *left, const void *right)
{
	return slice_compare(*(const struct slice *)left, *(const struct slice *)right);
}

bool
wanted_has_social_id(const struct wanted *wanted, struct slice social_id)
{
	return slice_present(social_id) && wanted->count > 0 &&
	       bsearch(&social_id, wanted->social_ids, wanted->count, sizeof(social_id), compare_slices) != NULL;
}

static void
sort_leads(struct wanted *wanted)
{
	uint64_t *ids = POOL_ARRAY(wanted->pool, wanted->count, uint64_t);
	wanted->social_ids = POOL_ARRAY(wanted->pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++) {
		ids[i] = wanted->leads[i].id;
		wanted->social_ids[i] = wanted->leads[i].social_id;
	}
	wanted->ids = id_set(ids, wanted->count);
	qsort(wanted->social_ids, wanted->count, sizeof(*wanted->social_ids), compare_slices);
}

static void
append(struct wanted *wanted, uint64_t id, struct slice social_id)
{
	wanted->leads = pool_grow(wanted->pool, wanted->leads, wanted->count, &wanted->capacity, sizeof(*wanted->leads));
	wanted->leads[wanted->count++] = (struct person_lead){ id, pool_copy(wanted->pool, social_id) };
}

bool
wanted_add(struct wanted *wanted, const struct person_lead *leads, size_t count)
{
	struct person_lead *sorted = POOL_ARRAY(wanted->pool, count, struct person_lead);
	const size_t before = wanted->count;
	if (count == 0)
		return false;
	memcpy(sorted, leads, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_ids);
	for (size_t i = 0; i < count; i++)
		if ((i == 0 || sorted[i].id != sorted[i - 1].id) && !id_set_contains(&wanted->ids, sorted[i].id))
			append(wanted, sorted[i].id, sorted[i].social_id);
	if (wanted->count > before)
		sort_leads(wanted);
	return wanted->count > before;
}

struct wanted
wanted_of(struct pool *pool, const struct person *person, const struct person_found *found)
{
	struct wanted wanted = { .channel = person->channel,
		.finder = store_address_finder(pool, person->channel, store_address_spellings(pool, person, found)),
		.pool = pool };
	struct person_lead *own = POOL_ARRAY(pool, found->own, struct person_lead);
	for (size_t i = 0; i < found->own; i++)
		own[i] = (struct person_lead){ found->leads[i].id, found->leads[i].social_id };
	wanted_add(&wanted, own, found->own);
	return wanted;
}

/* ---- as it is stored ---- */

static struct slice
listed(struct pool *pool, const struct slice *texts, size_t count)
{
	return count == 0 ? SLICE_NONE : pool_join_with(pool, SLICE(","), texts, count);
}

struct slice
wanted_ids_text(struct pool *pool, const struct wanted *wanted)
{
	struct slice *texts = POOL_ARRAY(pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++)
		texts[i] = pool_printf(pool, "%" PRIu64, wanted->leads[i].id);
	return listed(pool, texts, wanted->count);
}

struct slice
wanted_social_ids_text(struct pool *pool, const struct wanted *wanted)
{
	struct slice *texts = POOL_ARRAY(pool, wanted->count, struct slice);
	for (size_t i = 0; i < wanted->count; i++)
		texts[i] = wanted->leads[i].social_id;
	return listed(pool, texts, wanted->count);
}

void
wanted_read(struct wanted *wanted, struct slice ids, struct slice social_ids)
{
	uint64_t id;
	struct slice social_id;
	while (id_list_next(&ids, &id) && slice_next(&social_ids, ',', &social_id))
		append(wanted, id, social_id);
	sort_leads(wanted);
}
