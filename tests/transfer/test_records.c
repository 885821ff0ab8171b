/* SPDX-License-Identifier: MIT
 * The records of files, and the fields of CSV (RFC 4180; leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "transfer/csv.h"
#include "transfer/records.h"

/* `encoding`: its name. `goes_on`: the bytes are only the beginning of the file. */
static struct records *
open_part(const char *bytes, size_t size, enum records_format format, const char *encoding, bool goes_on)
{
	struct charset parsed;
	assert_true(encoding_parse(slice_of(encoding), &parsed));
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fflush(file), 0);
	const int fd = dup(fileno(file));
	fclose(file);
	return records_new(pool, fd, goes_on ? CSV_MORE : CSV_NO_MORE, format, &parsed);
}

static struct records *
open_bytes(const char *bytes, size_t size, enum records_format format)
{
	return open_part(bytes, size, format, "UTF-8", false);
}

static void
assert_next(struct records *records, uint64_t line, uint64_t offset, const char *text)
{
	struct record record;
	struct slice again;
	assert_int_equal(records_next(records, &record), RECORD_GOOD);
	assert_slice(record.text, text);
	assert_int_equal(record.line, line);
	assert_int_equal(record.offset, offset);
	assert_int_equal(records_at(records, offset, record.size, &again), RECORD_GOOD);
	assert_slice(again, text);
}

static void
assert_end(struct records *records)
{
	struct record record;
	assert_int_equal(records_next(records, &record), RECORD_END);
	assert_int_equal(records_next(records, &record), RECORD_END);
}

static void
records_end_with_lines(void **state UNUSED)
{
	static const char text[] = "\xef\xbb\xbf"
				   "a,b\r\n\n \n\"x\ny\",1\n\"\"\"\n\",2\r\nlast";
	struct records *records = open_bytes(text, sizeof(text) - 1, RECORDS_CSV);
	for (int run = 0; run < 2; run++) {
		assert_next(records, 1, 3, "a,b");
		assert_next(records, 4, 11, "\"x\ny\",1");
		assert_next(records, 6, 19, "\"\"\"\n\",2");
		assert_next(records, 8, 28, "last");
		records_seek(records, 0, 1);
	}
	records = open_bytes(text, sizeof(text) - 1, RECORDS_NDJSON);
	assert_next(records, 1, 3, "a,b");
	assert_next(records, 4, 11, "\"x");
	records = open_bytes("", 0, RECORDS_CSV);
	assert_end(records);
	records = open_bytes("\r\n\n", 3, RECORDS_CSV);
	assert_end(records);
}

/* A quote that is never closed spoils only its own line, even if another one follows. */
static void
stray_quotes_cost_their_line(void **state UNUSED)
{
	static const struct {
		const char *text;
		size_t fields, records; /* good records; a record with a wrong quote has one line */
	} cases[] = {
		{ "a@x,\"b\nc@x,d\ne@x,f\n", 2, 3 },
		{ "a@x,\"b\nc@x,\"d\"\ne@x,f\n", 2, 3 },
		{ "a@x,a 24\" b\nc@x,d\ne@x,f\n", 2, 3 },
		{ "a@x,\"b\nc@x,d\ne@x,24\"\n", 2, 3 },
		{ "a@x,\"b,1\nc@x,24\",2\n", 3, 2 },
		{ "a@x,\"b\rc@x,d\re@x,f\r", 2, 3 },
		{ "a@x,\"b\nc\nd\"\ne@x,f\n", 2, 2 },
		{ "a@x,\"b\"c\"\ne@x,f\n", 2, 2 },
		{ "a@x, \"b\nc\" \ne@x,f\n", 2, 2 },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct records *records = open_bytes(cases[i].text, strlen(cases[i].text), RECORDS_CSV);
		struct record record;
		size_t count = 0;
		records_set_shape(records, ',', &(struct csv_shape){ cases[i].fields, 0 });
		while (records_next(records, &record) == RECORD_GOOD)
			count++;
		assert_int_equal(count, cases[i].records);
	}
	struct records *records = open_bytes("a@x,\"b\nc@x,24\"\n", 16, RECORDS_CSV);
	struct record record;
	records_set_shape(records, ',', &(struct csv_shape){ 2, 0 });
	assert_int_equal(records_next(records, &record), RECORD_BAD);
	assert_string_equal(record.problem, "the record has a quoted field with a line that could be a row");
}

/* The processor time for a file that repeats one line. */
static clock_t
time_of(const char *line, size_t fields)
{
	enum { BYTES = 1024 * 1024 };
	const size_t length = strlen(line), lines = BYTES / length;
	char *text = memory_alloc(BYTES);
	struct record record;
	uint64_t count = 0;
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * length, line, length);
	struct records *records = open_bytes(text, lines * length, RECORDS_CSV);
	records_set_shape(records, ',', &(struct csv_shape){ fields, 0 });
	const clock_t begun = clock();
	while (records_next(records, &record) != RECORD_END)
		count++;
	const clock_t took = clock() - begun;
	assert_true(count >= lines / 3);
	free(text);
	return took;
}

/* The time is proportional to the size, even if each line has a quote that could be paired with later ones, or there is no LF.
 * Such lines take up to 6 times as long as plain ones; searching for the partner of each quote would take hundreds of times as
 * long. */
static void
records_take_linear_time(void **state UNUSED)
{
	enum { TIMES = 40, NOISE = CLOCKS_PER_SEC / 20 };
	static const struct {
		const char *text;
		size_t fields;
	} lines[] = {
		{ "p@example.org,\"x\n", 2 },
		{ "p@example.org,q\",\"r\n", 2 },
		{ "q\",\"\n", CSV_FIELDS_MAX },
		{ "p@example.org,\"\"\"y\n", 2 },
		{ "p@example.org,\"x\"\"\n", 2 },
		{ "\"p@example.org\",\"x\",\"y\n", 2 },
		{ "a,x\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r\r", 2 },
	};
	const clock_t plain = time_of("p@example.org,x\n", 2);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		assert_true(time_of(lines[i].text, lines[i].fields) < TIMES * plain + NOISE);
}

static void
lines_end_in_three_ways(void **state UNUSED)
{
	static const char *const texts[] = { "a,b\r\n\"x\r\ny\",1\r\nlast", "a,b\n\"x\r\ny\",1\nlast",
		"a,b\r\"x\r\ny\",1\rlast\r", "a,b\r\r\n\"x\r\ny\",1\n\rlast" };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct records *records = open_bytes(texts[i], strlen(texts[i]), RECORDS_CSV);
		struct record record;
		static const char *const expected[] = { "a,b", "\"x\r\ny\",1", "last" };
		for (size_t k = 0; k < ARRAY_SIZE(expected); k++) {
			assert_int_equal(records_next(records, &record), RECORD_GOOD);
			assert_slice(record.text, expected[k]);
		}
		assert_end(records);
	}
}

/* A part ends with its last whole record, and the next part continues there, in any encoding. */
static void
parts_are_read_as_the_whole(void **state UNUSED)
{
	static const struct {
		const char *encoding, *text;
		size_t size;
	} files[] = {
		{ "UTF-8", "a,\xc3\xbc\r\n\"b\nc\",d\r\ne,f", 18 },
		{ "windows-1252", "a,\xfc\r\n\"b\nc\",d\r\ne,f", 17 },
		{ "UTF-16LE",
		    "\xff\xfe"
		    "a\0,\0\xfc\0\r\0\n\0\"\0b\0\n\0c\0\"\0,\0d\0\r\0\n\0e\0,\0f\0",
		    36 },
		{ "UTF-16BE", "\0a\0,\0\xfc\0\r\0\n\0\"\0b\0\n\0c\0\"\0,\0d\0\r\0\n\0e\0,\0f", 34 },
	};
	static const char *const expected[] = { "a,\xc3\xbc", "\"b\nc\",d", "e,f" };
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (size_t cut = 1; cut < files[i].size; cut++) {
			struct record record;
			uint64_t offset, line;
			size_t count = 0;
			struct records *records = open_part(files[i].text, cut, RECORDS_CSV, files[i].encoding, true);
			while (records_next(records, &record) == RECORD_GOOD)
				assert_slice(record.text, expected[count++]);
			records_place(records, &offset, &line);
			assert_true(offset <= cut);
			records =
			    open_part(files[i].text + offset, files[i].size - offset, RECORDS_CSV, files[i].encoding, false);
			while (count < ARRAY_SIZE(expected)) {
				assert_int_equal(records_next(records, &record), RECORD_GOOD);
				assert_slice(record.text, expected[count++]);
			}
			assert_end(records);
			pool_reset(pool);
		}
}

/* Records of any size up to the maximum, anywhere in the window. */
static void
long_records_are_reported(void **state UNUSED)
{
	const size_t sizes[] = { 170000, RECORD_MAX_BYTES, RECORD_MAX_BYTES + 1, 160000, 3 * RECORD_MAX_BYTES, 5 };
	size_t total = 0, at = 0;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		total += sizes[i] + 1;
	for (enum records_format format = RECORDS_CSV; format <= RECORDS_NDJSON; format++) {
		char *text = memory_alloc(total);
		memset(text, 'x', total);
		at = 0;
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			at += sizes[i];
			text[at++] = '\n';
		}
		struct records *records = open_bytes(text, total, format);
		struct record record;
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			const bool fits = sizes[i] <= RECORD_MAX_BYTES;
			assert_int_equal(records_next(records, &record), fits ? RECORD_GOOD : RECORD_BAD);
			assert_int_equal(record.line, i + 1);
			if (fits)
				assert_int_equal(record.text.size, sizes[i]);
		}
		assert_end(records);
		free(text);
	}
}

static void
fields_are_split(void **state UNUSED)
{
	static const struct {
		const char *record;
		size_t count;
		const char *fields[4];
	} good[] = {
		{ "a,b", 2, { "a", "b" } },
		{ "", 1, { "" } },
		{ ",", 2, { "", "" } },
		{ "a,\"b,c\",", 3, { "a", "b,c", "" } },
		{ "\"a \"\"b\"\"\",\"\",\"\r\n\"", 3, { "a \"b\"", "", "\r\n" } },
		{ "\"\"\"\"", 1, { "\"" } },
		{ "a\"b,24\" c", 2, { "a\"b", "24\" c" } },
		{ " \"a,b\" , c", 2, { "a,b", " c" } },
	};
	struct csv_fields fields;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_null(csv_split(pool, slice_of(good[i].record), ',', &fields));
		assert_int_equal(fields.count, good[i].count);
		for (size_t k = 0; k < fields.count; k++)
			assert_slice(fields.items[k], good[i].fields[k]);
	}
	static const struct {
		const char *record, *problem;
	} bad[] = {
		{ "a,\"b", "has a quote without a closing one" },
		{ "\"", "has a quote without a closing one" },
		{ "\"a\"b,c", "has text between a closing quote and the next delimiter" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_string_equal(csv_split(pool, slice_of(bad[i].record), ',', &fields), bad[i].problem);
	assert_string_equal(csv_split(pool, SLICE("a\0b"), ',', &fields), "has a NUL byte");
	char many[CSV_FIELDS_MAX];
	memset(many, ',', sizeof(many));
	assert_null(csv_split(pool, (struct slice){ many, CSV_FIELDS_MAX - 1 }, ',', &fields));
	assert_int_equal(fields.count, CSV_FIELDS_MAX);
	assert_string_equal(csv_split(pool, (struct slice){ many, CSV_FIELDS_MAX }, ',', &fields), "has more than 1000 fields");
}

static void
a_line_may_name_the_delimiter(void **state UNUSED)
{
	static const char *const others[] = { "sep=", "sep=;;", "sep;", "a=;", "" };
	char delimiter = ',';
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(csv_names_delimiter(slice_of(others[i]), &delimiter));
	assert_int_equal(delimiter, ',');
	assert_true(csv_names_delimiter(SLICE("SEP=\t"), &delimiter));
	assert_int_equal(delimiter, '\t');
}

static void
rows_of_empty_cells_are_empty(void **state UNUSED)
{
	assert_true(csv_is_empty(pool, SLICE(";; ;"), ';'));
	assert_true(csv_is_empty(pool, SLICE(""), ','));
	assert_false(csv_is_empty(pool, SLICE(";,;"), ';'));
	assert_true(csv_is_empty(pool, SLICE("\"\",\" \""), ','));
	assert_false(csv_is_empty(pool, SLICE("\"\"\"\""), ','));
	assert_false(csv_is_empty(pool, SLICE("\""), ','));
}

/* Formulas that a spreadsheet would run are marked as text, and every cell is read back unchanged. */
static void
formulas_become_text(void **state UNUSED)
{
	static const struct {
		const char *cell, *written;
		char delimiter;
	} cases[] = {
		{ "a", "a", ',' },
		{ "", "", ',' },
		{ "=1+1", "'=1+1", ',' },
		{ "+49", "'+49", ',' },
		{ "-1", "'-1", ',' },
		{ "@x", "'@x", ',' },
		{ "\tx", "\"'\tx\"", ',' },
		{ "\rx", "\"'\rx\"", ',' },
		{ "\n=x", "\"'\n'=x\"", ',' },
		{ " =1", "' =1", ',' },
		{ " 1", " 1", ',' },
		{ "\xc2\xa0 @x", "'\xc2\xa0 @x", ',' },
		{ "\xef\xbb\xbf-1", "'\xef\xbb\xbf-1", ',' },
		{ "\xe3\x80\x80+1", "'\xe3\x80\x80+1", ',' },
		{ "\xef\xbc\x9dx", "'\xef\xbc\x9dx", ',' }, /* U+FF1D, U+FF0B, U+FF0D, U+FF20 */
		{ "\xef\xbc\x8bx", "'\xef\xbc\x8bx", ',' },
		{ "\xef\xbc\x8dx", "'\xef\xbc\x8dx", ',' },
		{ "\xef\xbc\xa0x", "'\xef\xbc\xa0x", ',' },
		{ "\xef\xbc\x8cx", "\xef\xbc\x8cx", ',' },
		{ "\xef", "\xef", ',' },
		{ "' =1", "'' =1", ',' },
		{ "x|=cmd", "\"x|=cmd\"", '|' },
		{ "x|=cmd", "x|'=cmd", ',' },
		{ "x;=1;@2;y", "\"x;'=1;'@2;y\"", ',' },
		{ "x,=1;'=2", "\"x,=1;''=2\"", ',' },
		{ "x,'=1,'a", "\"x,''=1,'a\"", ',' },
		{ "x,=1;'=2", "\"x,'=1;''=2\"", ';' },
		{ "x\t +1", "\"x\t' +1\"", ',' },
		{ "x;\"=1\";2", "\"x;'\"\"=1\"\";2\"", ',' },
		{ "a\r\n\r\n- b\n\nc", "\"a\r\n\r\n'- b\n\nc\"", ',' },
		{ "\"=1\"", "\"'\"\"=1\"\"\"", ',' },
		{ "a,b", "\"a,b\"", '|' },
		{ "=1", "\"'=1\"", '\'' },
		{ "a=1", "a=1", ',' },
		{ "'", "'", ',' },
		{ "'a", "'a", ',' },
		{ "'=1", "''=1", ',' },
		{ "''=1", "'''=1", ',' },
		{ "=\"a\",b", "\"'=\"\"a\"\",b\"", ',' },
	};
	struct buffer out;
	buffer_init(&out, 100);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct csv_fields fields;
		buffer_clear(&out);
		csv_add_cell(&out, slice_of(cases[i].cell), cases[i].delimiter);
		assert_slice(buffer_slice(&out), cases[i].written);
		assert_null(csv_split(pool, buffer_slice(&out), cases[i].delimiter, &fields));
		assert_int_equal(fields.count, 1);
		assert_slice(csv_cell(pool, fields.items[0]), cases[i].cell);
	}
	buffer_free(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_end_with_lines),
		cmocka_unit_test(stray_quotes_cost_their_line),
		cmocka_unit_test(records_take_linear_time),
		cmocka_unit_test(lines_end_in_three_ways),
		cmocka_unit_test(parts_are_read_as_the_whole),
		cmocka_unit_test(long_records_are_reported),
		cmocka_unit_test(fields_are_split),
		cmocka_unit_test(a_line_may_name_the_delimiter),
		cmocka_unit_test(rows_of_empty_cells_are_empty),
		cmocka_unit_test(formulas_become_text),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
