/* SPDX-License-Identifier: MIT
 * A map and a payload (docs/inbound.md 3), divided by the first line end: fields are plain and few, and have known targets; a
 * map that was read is written unchanged. */
#include "fuzz.h"

#include "webhook/mapping.h"

enum { DEPTH = 16, JSON_MAX = 4 * 1024 * 1024 };

static void
check_entry(struct pool *pool, const struct payload_map *map, const struct payload_list *payload, size_t entry)
{
	struct mapped_field *fields;
	const size_t count = mapping_apply(pool, map, payload, entry, &fields);
	struct buffer out;
	struct json_writer writer;
	REQUIRE(count <= MAPPING_FIELDS_MAX);
	buffer_init(&out, JSON_MAX);
	json_writer_init(&writer, &out);
	for (size_t i = 0; i < count; i++) {
		REQUIRE(document_is_plain(fields[i].value));
		REQUIRE(!slice_equal_nocase(fields[i].target, SLICE("api_key")));
		REQUIRE(map->count > 0 || !slice_equal_nocase(fields[i].target, SLICE("points")));
		document_write(fields[i].value, &writer);
	}
	buffer_free(&out);
	(void)mapping_notes(pool, map, payload, fields, count);
}

/* Checks the fields of the first entries of a payload. */
static void
check_fields(struct pool *pool, const struct payload_map *map, struct document_node *root)
{
	enum { ENTRIES = 3 };
	const struct payload_list payload = mapping_entries(pool, map, root);
	REQUIRE(payload.count > 0);
	for (size_t i = 0; i < payload.count && i < ENTRIES; i++)
		check_entry(pool, map, &payload, i);
}

static void
check_written(struct pool *pool, const struct payload_map *map)
{
	struct payload_map again;
	const struct slice text = mapping_write(pool, map);
	REQUIRE(mapping_parse(pool, text, &again) && again.count == map->count);
	for (size_t i = 0; i < map->count; i++)
		REQUIRE(slice_equal(map->rules[i].target, again.rules[i].target) &&
			slice_equal(map->rules[i].path, again.rules[i].path));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct slice input = { (const char *)data, size };
	const size_t line = slice_find(input, '\n');
	struct pool *pool = pool_new();
	struct payload_map map;
	struct document_node *root;
	struct slice problem;
	if (!mapping_parse(pool, slice_sub(input, 0, line), &map))
		map = (struct payload_map){ .count = 0 };
	check_written(pool, &map);
	if (document_read_json(pool, slice_sub(input, line + 1, size), DEPTH, &root, &problem))
		check_fields(pool, &map, root);
	(void)document_add_field(pool, document_new(pool), input);
	pool_free(&pool);
	return 0;
}
