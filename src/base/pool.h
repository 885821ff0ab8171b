/* SPDX-License-Identifier: MIT
 * Memory that lives as long as one request, one batch or one delivery: taken piece by piece, given back all at once. What is
 * given back is overwritten. */
#ifndef LEADHOOK_BASE_POOL_H
#define LEADHOOK_BASE_POOL_H

#include <stdarg.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/slice.h"

struct pool;

/* Never NULL: where memory ends, the process ends (memory_exhausted below). */
struct pool *pool_new(void);
/* Frees everything taken from it and sets *pool to NULL; *pool may be NULL. */
void pool_free(struct pool **pool);
/* Forgets everything taken from it, keeps one block for the next use. */
void pool_reset(struct pool *pool);

/* Zeroed, aligned for any type. Never NULL. */
void *pool_alloc(struct pool *pool, size_t size);
void *pool_alloc_array(struct pool *pool, size_t count, size_t size);
/* Bytes that the caller fills: not zeroed. */
char *pool_bytes(struct pool *pool, size_t size);
#define POOL_NEW(pool, type) ((type *)pool_alloc((pool), sizeof(type)))
#define POOL_ARRAY(pool, count, type) ((type *)pool_alloc_array((pool), (count), sizeof(type)))

/* A copy that is terminated too (the terminator is not counted). The absent slice stays absent. */
struct slice pool_copy(struct pool *pool, struct slice s);
/* The same with ASCII letters in lower case. */
struct slice pool_copy_lower(struct pool *pool, struct slice s);
/* A terminated copy; an absent slice gives "". A NUL inside stays where it is: the caller has refused those. */
char *pool_string(struct pool *pool, struct slice s);
/* The pieces one behind the other, terminated too. */
struct slice pool_join(struct pool *pool, const struct slice *pieces, size_t count);
#define POOL_JOIN(pool, ...) \
	pool_join((pool), (const struct slice[]){ __VA_ARGS__ }, ARRAY_SIZE(((const struct slice[]){ __VA_ARGS__ })))
struct slice pool_printf(struct pool *pool, const char *format, ...) PRINTF_LIKE(2, 3);

/* An array that grows in a pool: makes room for one more item. `*capacity` counts items; `items` may be NULL at first.
 * Answers the array, moved or not, new places zeroed. */
void *pool_grow(struct pool *pool, void *items, size_t count, size_t *capacity, size_t item_size);

/* For the few things that outlive every pool. Never NULL. */
void *memory_alloc(size_t size);
void *memory_realloc(void *old, size_t size);
/* By how much pools hold less now than at their peak since the last call. */
size_t memory_freed(void);
/* Returns free memory to the system, also from the middle of the heap: free(3) returns only its end. This takes time that
 * grows with the heap, so it is for unusual use, not for each request. */
void memory_trim(void);
/* A panic (base/panic.h). */
NO_RETURN void memory_exhausted(void);

#endif
