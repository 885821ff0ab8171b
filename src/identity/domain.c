/* SPDX-License-Identifier: MIT */
#include "identity/domain.h"

#include <idn2.h>
#include <stdlib.h>

static bool
is_label(struct slice label)
{
	return label.size > 0 && label.size <= DOMAIN_LABEL_MAX && label.data[0] != '-' && label.data[label.size - 1] != '-' &&
	       slice_is_alnum(label, "-");
}

/* Letters, digits and hyphens in labels of the right length. */
static bool
is_name(struct slice name)
{
	if (name.size == 0 || name.size > DOMAIN_MAX || name.data[name.size - 1] == '.')
		return false;
	struct slice label;
	while (slice_next(&name, '.', &label))
		if (!is_label(label))
			return false;
	return true;
}

static bool
has_alabel(struct slice name)
{
	struct slice label;
	while (slice_next(&name, '.', &label))
		if (slice_starts_with_nocase(label, SLICE("xn--")))
			return true;
	return false;
}

/* IDN2_USE_STD3_ASCII_RULES is not set, because it drops invalid characters: "a_b.example" would become "ab.example". */
static bool
convert(struct pool *pool, struct slice typed, struct slice *ascii)
{
	if (slice_find(typed, '\0') != typed.size)
		return false;
	char *out = NULL;
	int code = idn2_to_ascii_8z(pool_string(pool, typed), &out, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (code == IDN2_MALLOC)
		memory_exhausted();
	if (code != IDN2_OK)
		return false;
	*ascii = pool_copy(pool, slice_of(out));
	idn2_free(out);
	return true;
}

bool
domain_to_ascii(struct pool *pool, struct slice typed, struct slice *ascii)
{
	struct slice name = typed;
	/* libidn2 refuses hyphens in third and fourth place, which some ASCII names have, so only other names are converted */
	if ((!slice_is_ascii(typed) || has_alabel(typed)) && !convert(pool, typed, &name))
		return false;
	if (!is_name(name))
		return false;
	*ascii = pool_copy_lower(pool, name);
	return true;
}

/* ---- lists ---- */

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

/* Sorts the hosts and removes duplicates. */
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
		*POOL_ADD(pool, list->hosts, list->count, capacity) = host;
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
