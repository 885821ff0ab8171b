/* SPDX-License-Identifier: MIT */
#include "identity/host_list.h"

#include <stdlib.h>

#include "identity/domain.h"

static int
compare(const void *left, const void *right)
{
	return slice_compare(*(const struct slice *)left, *(const struct slice *)right);
}

static struct slice
without_wildcard(struct slice item)
{
	size_t skip = slice_starts_with(item, SLICE("*.")) ? 2 : slice_starts_with(item, SLICE(".")) ? 1 : 0;
	return slice_sub(item, skip, item.size);
}

static bool
parse_line(struct pool *pool, struct slice line, struct host_list *list, size_t *capacity, struct slice *bad)
{
	struct slice item;
	while (slice_next_item(&line, &item)) {
		list->hosts = pool_grow(pool, list->hosts, list->count, capacity, sizeof(*list->hosts));
		if (!domain_to_ascii(pool, without_wildcard(item), &list->hosts[list->count])) {
			*bad = item;
			return false;
		}
		list->count++;
	}
	return true;
}

/* Sorted, each host once. */
static void
put_in_order(struct host_list *list)
{
	size_t count = 0;
	if (list->count > 1)
		qsort(list->hosts, list->count, sizeof(*list->hosts), compare);
	for (size_t i = 0; i < list->count; i++)
		if (count == 0 || !slice_equal(list->hosts[count - 1], list->hosts[i]))
			list->hosts[count++] = list->hosts[i];
	list->count = count;
}

bool
host_list_parse(struct pool *pool, struct slice text, struct host_list *list, struct slice *bad)
{
	size_t capacity = 0;
	struct slice line;
	*list = (struct host_list){ NULL, 0 };
	while (slice_next(&text, '\n', &line))
		if (!parse_line(pool, slice_sub(line, 0, slice_find(line, '#')), list, &capacity, bad))
			return false;
	put_in_order(list);
	return true;
}

struct slice
host_list_text(struct pool *pool, const struct host_list *list)
{
	return pool_join_with(pool, SLICE(" "), list->hosts, list->count);
}

void
host_list_read(struct pool *pool, struct slice text, struct host_list *list)
{
	size_t capacity = 0;
	struct slice rest = pool_copy(pool, text), host;
	*list = (struct host_list){ NULL, 0 };
	while (slice_next_item(&rest, &host)) {
		list->hosts = pool_grow(pool, list->hosts, list->count, &capacity, sizeof(*list->hosts));
		list->hosts[list->count++] = host;
	}
	put_in_order(list);
}

bool
host_list_contains(const struct host_list *list, struct slice host)
{
	while (list->count > 0 && host.size > 0) {
		if (bsearch(&host, list->hosts, list->count, sizeof(*list->hosts), compare) != NULL)
			return true;
		size_t dot = slice_find(host, '.');
		host = slice_sub(host, dot + 1, host.size);
	}
	return false;
}

bool
host_list_text_contains(struct slice text, struct slice host)
{
	struct slice domain;
	while (host.size > 0 && slice_next_item(&text, &domain))
		if (slice_ends_with(host, domain) &&
		    (host.size == domain.size || host.data[host.size - domain.size - 1] == '.'))
			return true;
	return false;
}
