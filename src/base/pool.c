/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/panic.h"

/* With the address sanitizer, each allocation is a separate block, so that overruns are detected. */
#if HAS_ADDRESS_SANITIZER
enum { BLOCK_SIZE = 0 };
#else
enum { BLOCK_SIZE = 16 * 1024 };
#endif

struct block {
	struct block *next;
	size_t size; /* of bytes[] */
	size_t used;
	_Alignas(max_align_t) char bytes[];
};

struct pool {
	struct block *blocks; /* newest first; pool_reset retains the oldest */
};

/* Bytes in the blocks of all pools. If two threads reach a peak at the same time, one of the peaks may be lost. */
static atomic_size_t held, peak;

void
memory_exhausted(void)
{
	panic("out of memory");
}

void *
memory_alloc(size_t size)
{
	void *memory = calloc(1, size == 0 ? 1 : size);
	if (memory == NULL)
		memory_exhausted();
	return memory;
}

void *
memory_realloc(void *old, size_t size)
{
	void *memory = realloc(old, size == 0 ? 1 : size);
	if (memory == NULL)
		memory_exhausted();
	return memory;
}

static void
count_block(size_t size)
{
	const size_t now = atomic_fetch_add_explicit(&held, size, memory_order_relaxed) + size;
	if (now > atomic_load_explicit(&peak, memory_order_relaxed))
		atomic_store_explicit(&peak, now, memory_order_relaxed);
}

size_t
memory_held(void)
{
	return atomic_load_explicit(&held, memory_order_relaxed);
}

size_t
memory_freed(void)
{
	const size_t now = memory_held();
	const size_t most = atomic_exchange_explicit(&peak, now, memory_order_relaxed);
	return most > now ? most - now : 0;
}

void
memory_trim(void)
{
	malloc_trim(0);
}

static struct block *
block_new(size_t size, struct block *next)
{
	if (size > SIZE_MAX - sizeof(struct block))
		memory_exhausted();
	struct block *block = memory_realloc(NULL, sizeof(*block) + size);
	block->next = next;
	block->size = size;
	block->used = 0;
	count_block(size);
	return block;
}

struct pool *
pool_new(void)
{
	struct pool *pool = memory_alloc(sizeof(*pool));
	pool->blocks = block_new(BLOCK_SIZE, NULL);
	return pool;
}

/* Pools contain keys, passwords, secrets and personal data, which must not remain in memory that is reused. */
static void
wipe(struct block *block)
{
	explicit_bzero(block->bytes, block->used);
	block->used = 0;
}

static void
free_block(struct block *block)
{
	wipe(block);
	atomic_fetch_sub_explicit(&held, block->size, memory_order_relaxed);
	free(block);
}

void
pool_reset(struct pool *pool)
{
	struct block *newest = pool->blocks;
	while (newest->next != NULL) {
		struct block *next = newest->next;
		free_block(newest);
		newest = next;
	}
	wipe(newest);
	pool->blocks = newest;
}

void
pool_free(struct pool **pool)
{
	if (*pool == NULL)
		return;
	pool_reset(*pool);
	free_block((*pool)->blocks);
	free(*pool);
	*pool = NULL;
}

static void *
take(struct pool *pool, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	if (size > SIZE_MAX - align)
		memory_exhausted();
	const size_t room = (size + align - 1) / align * align;
	struct block *block = pool->blocks;
	if (block->size - block->used < room) {
		block = block_new(size > BLOCK_SIZE ? size : BLOCK_SIZE, block);
		pool->blocks = block;
	}
	void *memory = block->bytes + block->used;
	block->used += room < block->size - block->used ? room : block->size - block->used;
	return memory;
}

void *
pool_alloc(struct pool *pool, size_t size)
{
	return memset(take(pool, size), 0, size);
}

char *
pool_bytes(struct pool *pool, size_t size)
{
	return take(pool, size);
}

void *
pool_alloc_array(struct pool *pool, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		memory_exhausted();
	return pool_alloc(pool, count * size);
}

struct slice
pool_copy(struct pool *pool, struct slice s)
{
	return slice_present(s) ? (struct slice){ pool_string(pool, s), s.size } : SLICE_NONE;
}

struct slice
pool_copy_lower(struct pool *pool, struct slice s)
{
	if (!slice_present(s))
		return SLICE_NONE;
	char *copy = pool_string(pool, s);
	for (size_t i = 0; i < s.size; i++)
		copy[i] = ascii_lower(copy[i]);
	return (struct slice){ copy, s.size };
}

struct slice
pool_divide_words(struct pool *pool, struct slice s)
{
	char *out = pool_bytes(pool, 2 * s.size + 1);
	size_t size = 0;
	for (size_t i = 0; i < s.size; i++) {
		if (i > 0 && ascii_upper(s.data[i - 1]) != s.data[i - 1] && ascii_lower(s.data[i]) != s.data[i])
			out[size++] = ' ';
		out[size++] = s.data[i];
	}
	return (struct slice){ out, size };
}

struct slice
pool_with_paired_brackets(struct pool *pool, struct slice s)
{
	if (slice_find(s, '[') == s.size && slice_find(s, ']') == s.size)
		return s;
	char *copy = pool_string(pool, s);
	size_t *open = POOL_ARRAY(pool, s.size, size_t), count = 0;
	for (size_t i = 0; i < s.size; i++) {
		if (copy[i] == '[')
			open[count++] = i;
		else if (copy[i] == ']' && count > 0)
			count--;
		else if (copy[i] == ']')
			copy[i] = ')';
	}
	while (count > 0)
		copy[open[--count]] = '(';
	return (struct slice){ copy, s.size };
}

struct slice
pool_with_line_feeds(struct pool *pool, struct slice s)
{
	char *copy = pool_bytes(pool, s.size);
	size_t size = 0;
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] != '\r' || i + 1 == s.size || s.data[i + 1] != '\n')
			copy[size++] = s.data[i];
	return (struct slice){ copy, size };
}

char *
pool_string(struct pool *pool, struct slice s)
{
	char *copy = pool_bytes(pool, s.size + 1);
	if (s.size > 0)
		memcpy(copy, s.data, s.size);
	copy[s.size] = '\0';
	return copy;
}

struct slice
pool_join(struct pool *pool, const struct slice *pieces, size_t count)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		size += pieces[i].size;
	char *text = pool_bytes(pool, size + 1), *at = text;
	for (size_t i = 0; i < count; i++) {
		if (pieces[i].size > 0)
			memcpy(at, pieces[i].data, pieces[i].size);
		at += pieces[i].size;
	}
	*at = '\0';
	return (struct slice){ text, size };
}

struct slice
pool_join_with(struct pool *pool, struct slice separator, const struct slice *texts, size_t count)
{
	struct slice *pieces = POOL_ARRAY(pool, 2 * count, struct slice);
	for (size_t i = 0; i < count; i++) {
		pieces[2 * i] = i == 0 ? SLICE("") : separator;
		pieces[2 * i + 1] = texts[i];
	}
	return pool_join(pool, pieces, 2 * count);
}

struct slice
pool_printf(struct pool *pool, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (size < 0)
		panic("a broken format string");
	char *text = pool_bytes(pool, (size_t)size + 1);
	vsnprintf(text, (size_t)size + 1, format, again);
	va_end(again);
	return (struct slice){ text, (size_t)size };
}

void *
pool_grow(struct pool *pool, void *items, size_t count, size_t *capacity, size_t item_size)
{
	require(count <= *capacity);
	if (count < *capacity)
		return items;
	size_t larger = *capacity == 0 ? 8 : *capacity * 2;
	void *moved = pool_alloc_array(pool, larger, item_size);
	if (count > 0)
		memcpy(moved, items, count * item_size);
	*capacity = larger;
	return moved;
}
