/* SPDX-License-Identifier: MIT
 * docs/api.md 1.4: links that people have copied. The examples are in tests/http/links.txt; tests/system/api/test_links.py uses
 * them for the scripts of pages. */
#include "unit.h"
#include "with_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http_text.h"
#include "http/link_query.h"

/* The known parameters of a repaired query, decoded and sorted by name. Each name occurs once, with its last value. */
static struct slice
known_of(struct slice query)
{
	static const char *const names[] = { "kid", "utm_campaign", "utm_content", "utm_medium", "utm_source" };
	struct slice all = SLICE("");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice rest = query, one, value = SLICE_NONE;
		while (slice_next(&rest, '&', &one))
			if (slice_equal(slice_sub(one, 0, slice_find(one, '=')), slice_of(names[i])))
				value = http_decode_form(pool, slice_sub(one, slice_find(one, '=') + 1, one.size));
		if (slice_present(value))
			all = POOL_JOIN(pool, all, slice_of(all.size > 0 ? "&" : ""), slice_of(names[i]), SLICE("="), value);
	}
	return all;
}

static void
copied_links_are_mended(void **state UNUSED)
{
	char line[1024], path[1024];
	const char *folder = getenv("top_srcdir");
	size_t count = 0;
	snprintf(path, sizeof(path), "%s/tests/http/links.txt", folder == NULL ? "." : folder);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		char *tab = strchr(line, '\t');
		if (line[0] == '#' || tab == NULL)
			continue;
		const struct slice query = { line, (size_t)(tab - line) };
		const struct slice found = known_of(http_link_query(pool, query)), wanted = slice_trim(slice_of(tab + 1));
		if (!slice_equal(found, wanted))
			fail_msg("%.*s: %.*s", (int)query.size, query.data, (int)found.size, found.data);
		count++;
	}
	fclose(file);
	assert_true(count > 60);
}

static void
other_parameters_stay(void **state UNUSED)
{
	static const struct {
		const char *query, *mended;
	} queries[] = {
		{ "plan=pro%2B&size=L", "plan=pro%2B&size=L" },
		{ "a%3Db&c", "a%3Db&c" },
		{ "plan=a?b", "plan=a?b" },
		{ "plan=pro&amp;size=a%20b", "plan=pro&size=a%20b" },
		{ "plan=pro?size=L", "plan=pro&size=L" },
		{ "next=https://a.example/?b=c", "next=https://a.example/?b=c" },
		{ "a=1&&b=2", "a=1&b=2" },
	};
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		assert_slice(http_link_query(pool, slice_of(queries[i].query)), queries[i].mended);
}

/* However many separators a long query has, the result is at most three times as long. */
static void
long_queries_are_read(void **state UNUSED)
{
	enum { SIZE = 1000000 };
	static const char *const parts[] = { "?", "amp;", ";amp;", "?a", "/kid", "%26", "?utm_a", "kid=" };
	char *text = pool_bytes(pool, SIZE);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const size_t part = strlen(parts[i]);
		for (size_t k = 0; k < SIZE; k++)
			text[k] = parts[i][k % part];
		assert_true(http_link_query(pool, (struct slice){ text, SIZE }).size <= 3 * SIZE);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(copied_links_are_mended, begin, end),
		cmocka_unit_test_setup_teardown(other_parameters_stay, begin, end),
		cmocka_unit_test_setup_teardown(long_queries_are_read, begin, end),
	};
	return cmocka_run_group_tests_name("http/link_query", tests, NULL, NULL);
}
