/* SPDX-License-Identifier: MIT */
#include "transfer/deferred.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

#include "os/descriptors.h"

/* ---- places ---- */

struct deferred {
	FILE *file;
	uint64_t count;
	bool writing; /* the position of the file is at its end */
};

struct deferred *
deferred_new(struct pool *pool, enum deferred_place place)
{
	FILE *file = place == DEFERRED_IN_MEMORY ? descriptor_in_memory() : tmpfile();
	if (file == NULL)
		return NULL;
	struct deferred *deferred = POOL_NEW(pool, struct deferred);
	deferred->file = file;
	return deferred;
}

void
deferred_close(struct deferred *deferred)
{
	if (deferred != NULL)
		fclose(deferred->file);
}

uint64_t
deferred_count(const struct deferred *deferred)
{
	return deferred->count;
}

bool
deferred_add(struct deferred *deferred, const struct record_place *place)
{
	if (!deferred->writing && fseeko(deferred->file, 0, SEEK_END) != 0)
		return false;
	deferred->writing = true;
	if (fwrite(place, sizeof(*place), 1, deferred->file) != 1)
		return false;
	deferred->count++;
	return true;
}

bool
deferred_get(struct deferred *deferred, uint64_t at, struct record_place *place)
{
	deferred->writing = false;
	return fseeko(deferred->file, (off_t)(at * sizeof(*place)), SEEK_SET) == 0 &&
	       fread(place, sizeof(*place), 1, deferred->file) == 1;
}

/* ---- their order ---- */

#define NO_ROW SIZE_MAX

struct chain_row {
	struct slice referrer; /* its social id, or the key of its email address */
	uint64_t line;
	size_t next;  /* the row of its referrer, or NO_ROW */
	size_t visit; /* the row, counted from 1, from which it was reached first; 0: not reached */
	bool is_end;  /* its referrer is not among the rows, or it is the first row of a cycle */
	bool is_placed;
};

/* A social id contains no '@', and a key of an email address contains one. */
struct identity {
	struct slice value;
	size_t row;
};

struct chains {
	struct pool *pool;
	struct chain_row *rows;
	struct identity *identities;
	size_t count, capacity, identity_count, identity_capacity;
	size_t *order, *waiting; /* rows */
	size_t placed;           /* rows in the order so far */
};

struct chains *
chains_new(struct pool *pool)
{
	struct chains *chains = POOL_NEW(pool, struct chains);
	chains->pool = pool;
	return chains;
}

static void
add_identity(struct chains *chains, struct slice value)
{
	if (!slice_present(value))
		return;
	chains->identities = pool_grow(
	    chains->pool, chains->identities, chains->identity_count, &chains->identity_capacity, sizeof(*chains->identities));
	chains->identities[chains->identity_count++] = (struct identity){ pool_copy(chains->pool, value), chains->count };
}

void
chains_add(struct chains *chains, const struct import *row, uint64_t line)
{
	const struct slice referrer = slice_present(row->referrer_email) ? row->referrer_email : row->signup.referrer_id;
	add_identity(chains, row->signup.subject);
	add_identity(chains, row->signup.email_key);
	chains->rows = pool_grow(chains->pool, chains->rows, chains->count, &chains->capacity, sizeof(*chains->rows));
	chains->rows[chains->count++] = (struct chain_row){ .referrer = pool_copy(chains->pool, referrer), .line = line };
}

static int
compare_identities(const void *a, const void *b)
{
	return slice_compare(((const struct identity *)a)->value, ((const struct identity *)b)->value);
}

static size_t
find_row(const struct chains *chains, struct slice referrer)
{
	const struct identity wanted = { .value = referrer };
	if (!slice_present(referrer) || chains->identity_count == 0)
		return NO_ROW;
	const struct identity *found =
	    bsearch(&wanted, chains->identities, chains->identity_count, sizeof(wanted), compare_identities);
	return found == NULL ? NO_ROW : found->row;
}

/* The row of the cycle that comes first in the file. */
static size_t
first_of_cycle(const struct chains *chains, size_t row)
{
	size_t first = row;
	for (size_t at = chains->rows[row].next; at != row; at = chains->rows[at].next)
		if (chains->rows[at].line < chains->rows[first].line)
			first = at;
	return first;
}

/* Follows the referrers of a row to the end, or to a row that was reached before. */
static void
follow(struct chains *chains, size_t row)
{
	const size_t visit = row + 1;
	while (chains->rows[row].visit == 0) {
		chains->rows[row].visit = visit;
		if (chains->rows[row].next == NO_ROW) {
			chains->rows[row].is_end = true;
			return;
		}
		row = chains->rows[row].next;
	}
	if (chains->rows[row].visit == visit)
		chains->rows[first_of_cycle(chains, row)].is_end = true;
}

/* Adds a row to the order, after those of its referrers that are not in it yet. */
static void
place(struct chains *chains, size_t row)
{
	size_t waiting = 0;
	while (row != NO_ROW && !chains->rows[row].is_placed) {
		chains->rows[row].is_placed = true;
		chains->waiting[waiting++] = row;
		row = chains->rows[row].is_end ? NO_ROW : chains->rows[row].next;
	}
	while (waiting > 0)
		chains->order[chains->placed++] = chains->waiting[--waiting];
}

const size_t *
chains_sort(struct chains *chains)
{
	if (chains->identity_count > 0)
		qsort(chains->identities, chains->identity_count, sizeof(*chains->identities), compare_identities);
	for (size_t i = 0; i < chains->count; i++)
		chains->rows[i].next = find_row(chains, chains->rows[i].referrer);
	for (size_t i = 0; i < chains->count; i++)
		follow(chains, i);
	chains->order = POOL_ARRAY(chains->pool, chains->count, size_t);
	chains->waiting = POOL_ARRAY(chains->pool, chains->count, size_t);
	for (size_t i = 0; i < chains->count; i++)
		place(chains, i);
	return chains->order;
}
