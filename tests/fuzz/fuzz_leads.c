/* SPDX-License-Identifier: MIT
 * A line as a heading, and the rest as records of CSV, or as one lead in JSON (leadhook(1), lead import). */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "transfer/row_reader.h"

enum { FIELDS_MAX = 50 };

static bool
is_reserved(struct slice lower_name)
{
	return slice_equal(lower_name, SLICE("action"));
}

static const struct row_limits limits = {
	.name_bytes = 64, .value_bytes = 4096, .depth = 16, .is_reserved = is_reserved, .utm_bytes = 16384
};

/* docs/api.md 1.1, 1.3, 4.4 */
static void
require_field(const struct custom_field *field)
{
	REQUIRE(field->name.size > 0 && field->name.size <= limits.name_bytes && !slice_starts_with(field->name, SLICE("_")));
	REQUIRE(!is_reserved(field->name) && utf8_valid(field->json));
	if (field->json.data[0] == '-' || ascii_is_digit(field->json.data[0]))
		REQUIRE(field->json.size <= limits.value_bytes && isfinite(strtod(field->json.data, NULL)));
}

/* What is read can be stored: texts are UTF-8, within their limits. */
static void
require_import(const char *problem, const struct import *import)
{
	if (problem != NULL) {
		REQUIRE(utf8_valid(slice_of(problem)));
		return;
	}
	REQUIRE(slice_present(import->signup.email_key) || slice_present(import->signup.phone));
	REQUIRE(import->signup.subject.size <= 16 && import->signup.referrer_id.size <= 16);
	REQUIRE(import->signup.uid.size <= limits.value_bytes && import->signup.user_agent.size <= limits.value_bytes);
	REQUIRE(utf8_valid(import->signup.user_agent) && utf8_valid(import->signup.signup_url));
	for (size_t i = 0; i < import->signup.custom_field_count; i++)
		require_field(&import->signup.custom_fields[i]);
}

/* A record is a part of the text, no matter where its quotes are; if it is broken, its first line is read instead. */
static size_t
record_size(struct slice text, char delimiter)
{
	size_t size = 0;
	if (csv_record_size(text, CSV_NO_MORE, delimiter, FIELDS_MAX, &size) != CSV_ENDS)
		size = csv_line_size(text, CSV_NO_MORE);
	REQUIRE(size > 0 && size <= text.size);
	return size;
}

static void
read_csv(struct pool *pool, struct slice heading, struct slice rest)
{
	const char delimiter = slice_find(heading, ';') < heading.size ? ';' : ',';
	struct column columns[FIELDS_MAX];
	struct csv_fields names, fields;
	if (csv_split(pool, heading, delimiter, &names) != NULL || names.count > FIELDS_MAX)
		return;
	for (size_t i = 0; i < names.count; i++) {
		columns[i] = column_of_heading(pool, names.items[i]);
		if (columns[i].field == LEAD_CUSTOM && is_reserved(columns[i].name))
			columns[i].field = LEAD_IGNORED; /* as the command does */
	}
	for (size_t size; rest.size > 0; rest = slice_sub(rest, size, rest.size)) {
		struct row_notes notes;
		struct import import;
		size = record_size(rest, delimiter);
		if (csv_split(pool, slice_sub(rest, 0, size - 1), delimiter, &fields) == NULL)
			require_import(row_from_csv(pool, &limits, &(struct row_columns){ columns, names.count }, &fields,
					   &notes, &import),
			    &import);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size);
	struct import import = { 0 };
	struct row_notes notes;
	require_import(row_from_json(pool, &limits, rest, &notes, &import), &import);
	const struct slice heading = fuzz_line(&rest);
	read_csv(pool, heading, rest);
	pool_free(&pool);
	return 0;
}
