/* SPDX-License-Identifier: MIT
 * Memory for the lifetime of a request, a batch or a delivery: allocated in pieces, freed all at once. Freed memory is
 * overwritten. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

struct pool;

/* Never returns NULL: if there is no memory, the process ends (memory_exhausted below). */
struct pool *pool_new(void);
/* Frees all its memory and sets *pool to NULL; *pool may be NULL. */
void pool_free(struct pool **pool);
/* Frees all allocations, but retains one block for reuse. */
void pool_reset(struct pool *pool);

/* Zeroed, aligned for any type. Never NULL. */
void *pool_alloc(struct pool *pool, size_t size);
void *pool_alloc_array(struct pool *pool, size_t count, size_t size);
/* Not initialized: the caller fills it. */
char *pool_bytes(struct pool *pool, size_t size);
#define POOL_NEW(pool, type) ((type *)pool_alloc((pool), sizeof(type)))
#define POOL_ARRAY(pool, count, type) ((type *)pool_alloc_array((pool), (count), sizeof(type)))

/* A copy, terminated (the terminator is not counted). An absent slice stays absent. */
struct slice pool_copy(struct pool *pool, struct slice s);
/* A copy with ASCII letters in lower case. */
struct slice pool_copy_lower(struct pool *pool, struct slice s);
/* The text with a space before each capital ASCII letter after a small one: createdAt becomes "created At". */
struct slice pool_divide_words(struct pool *pool, struct slice s);
/* The text with each unpaired bracket, [ or ], replaced by a parenthesis. */
struct slice pool_with_paired_brackets(struct pool *pool, struct slice s);
/* A copy with each CR LF replaced by LF. */
struct slice pool_with_line_feeds(struct pool *pool, struct slice s);
/* A terminated copy; an absent slice gives "". A NUL inside is copied: if that matters, the caller must refuse it before. */
char *pool_string(struct pool *pool, struct slice s);
/* Concatenates the pieces; the result is terminated. */
struct slice pool_join(struct pool *pool, const struct slice *pieces, size_t count);
#define POOL_JOIN(pool, ...) \
	pool_join((pool), (const struct slice[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct slice[]){ __VA_ARGS__ })))
/* Concatenates the texts with a separator between them. */
struct slice pool_join_with(struct pool *pool, struct slice separator, const struct slice *texts, size_t count);
struct slice pool_printf(struct pool *pool, const char *format, ...) PRINTF_LIKE(2, 3);

/* A growing array in a pool: makes room for one more item. `*capacity` counts items; `items` may be NULL initially. Returns the
 * array, which may have moved; new items are zeroed. */
void *pool_grow(struct pool *pool, void *items, size_t count, size_t *capacity, size_t item_size);

/* The place of a new last item of this array: *POOL_ADD(pool, items, count, capacity) = item. */
#define POOL_ADD(pool, items, count, capacity) \
	((items) = pool_grow((pool), (items), (count), &(capacity), sizeof(*(items))), &(items)[(count)++])

/* For data that outlives all pools. Never returns NULL. */
void *memory_alloc(size_t size);
void *memory_realloc(void *old, size_t size);
/* The memory held by all pools. */
size_t memory_held(void);
/* How much less memory pools hold than at their peak since the last call. */
size_t memory_freed(void);
/* Returns free memory to the system, even from the middle of the heap; free(3) returns only its end. The time it takes grows
 * with the heap, so call it rarely, not for each request. */
void memory_trim(void);
/* A panic (base/panic.h). */
NO_RETURN void memory_exhausted(void);
