/* SPDX-License-Identifier: MIT
 * Encodings of files (leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "transfer/encoding.h"
#include "transfer/file_kind.h"
#include "transfer/status.h"

static struct charset
surveyed(const char *bytes, size_t size, bool *certain)
{
	struct encoding_survey survey = { 0 };
	encoding_survey_add(&survey, (struct slice){ bytes, size });
	return encoding_surveyed(&survey, certain);
}

/* The encoding is that of the file; right rows of UTF-8 stay right beside a wrong one. */
static void
encodings_are_detected(void **state UNUSED)
{
	static const struct {
		const char *bytes, *name;
		bool certain;
	} cases[] = {
		{ "email\nada@example.org\n", "UTF-8", true },
		{ "email,n\nx,J\xc3\xbcrgen\n", "UTF-8", true },
		{ "email,n\nx,J\xc3\xbcrgen\ny,Ren\xe9\n", "UTF-8", false },
		{ "\xef\xbb\xbf"
		  "email,n\nx,Ren\xe9\n",
		    "UTF-8", false },
		{ "email,n\nx,J\xfcrgen M\xfcller\n", "windows-1252", true },
		{ "email,n\rx,Ren\xe9\ry,Fran\xe7ois\r", "windows-1252", true },
		{ "email,n\nx,\xa3ukasz Wi\x9cniewski, Bo\xbf"
		  "ena, \xa3\xb9"
		  "czny\n",
		    "windows-1250", true },
		{ "email,n\nx,\xc8\xe1slavsk\xfd, \x8akoda, K\xf8\xed\x9e, D\xec"
		  "dek, Kr\xe1l\xf9v\n",
		    "windows-1250", true },
		{ "email,n\nx,J\x9frgen M\x9fller, Ren\x8e, Fran\x8dois\n", "macintosh", false },
		{ "email,n\nx,J\x81rgen M\x81ller, K\x94ln, Stra\xe1"
		  "e\n",
		    "IBM850", true },
		{ "email,n\nx,\xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2\n", "windows-1251", true },
	};
	bool certain;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct charset found = surveyed(cases[i].bytes, strlen(cases[i].bytes), &certain);
		assert_slice(encoding_name(pool, &found), cases[i].name);
		if (certain != cases[i].certain)
			fail_msg("%s", cases[i].bytes);
	}
	static const char le[] = "\xff\xfe"
				 "a\0,\0b\0\n\0",
			  be[] = "\xfe\xff"
				 "\0a\0,\0b\0\n",
			  bare[] = "e\0m\0a\0i\0l\0\n\0\xfc\0x\0", bare_be[] = "\0e\0m\0a\0i\0l\0\n\0\xfc\0x";
	assert_int_equal(surveyed(le, sizeof(le) - 1, &certain).form, ENCODING_UTF16LE);
	assert_int_equal(surveyed(be, sizeof(be) - 1, &certain).form, ENCODING_UTF16BE);
	assert_int_equal(surveyed(bare, sizeof(bare) - 1, &certain).form, ENCODING_UTF16LE);
	assert_int_equal(surveyed(bare_be, sizeof(bare_be) - 1, &certain).form, ENCODING_UTF16BE);
}

static void
encodings_have_names(void **state UNUSED)
{
	static const char *const good[][2] = { { "utf-8", "UTF-8" }, { "UTF-8+macintosh", "UTF-8+macintosh" },
		{ "WINDOWS-1252", "windows-1252" }, { "latin1", "windows-1252" }, { "UTF-16le", "UTF-16LE" },
		{ "utf-8+ISO-8859-1", "UTF-8" }, { "cp850", "IBM850" } };
	static const char *const bad[] = { "", "UTF-7", "UTF-8+", "UTF-8+UTF-8", "windows-1252+UTF-8", "UTF-16LE+windows-1252",
		"+", "EBCDIC" };
	struct charset encoding;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_true(encoding_parse(slice_of(good[i][0]), &encoding));
		assert_slice(encoding_name(pool, &encoding), good[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(encoding_parse(slice_of(bad[i]), &encoding));
}

static void
bytes_become_utf8(void **state UNUSED)
{
	static const struct {
		const char *encoding, *bytes;
		size_t size;
		const char *text;
		size_t used;
	} cases[] = {
		{ "windows-1252", "\x80 \xe9", 3, "€ é", 3 },
		{ "macintosh", "\x8e\xca", 2, "é\u00a0", 2 },
		{ "windows-1251", "\xcf\xe5", 2, "Пе", 2 },
		{ "ISO-8859-15", "\xa4", 1, "€", 1 },
		{ "UTF-16LE", "\xac\x20\x3d\xd8\x00\xde\x41", 7, "€😀", 6 },
		{ "UTF-16BE", "\xd8\x3d\x00\x41\xde\x00", 6,
		    "\xef\xbf\xbd"
		    "A\xef\xbf\xbd",
		    6 },
		{ "UTF-16BE", "\x00\x41\xd8\x3d", 4, "A", 2 },
	};
	char out[64];
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct charset encoding;
		size_t used;
		assert_true(encoding_parse(slice_of(cases[i].encoding), &encoding));
		const size_t size = encoding_convert(&encoding, (struct slice){ cases[i].bytes, cases[i].size }, out, &used);
		assert_slice(((struct slice){ out, size }), cases[i].text);
		assert_int_equal(used, cases[i].used);
		if (encoding.form == ENCODING_UTF16LE || encoding.form == ENCODING_UTF16BE)
			assert_int_equal(encoding_size(&encoding, (struct slice){ out, size }), used);
	}
}

static void
other_files_are_recognised(void **state UNUSED)
{
	static const struct {
		const char *bytes, *part; /* NULL: it may be CSV */
	} cases[] = {
		{ "PK\x03\x04....xl/workbook.xml", "Excel" },
		{ "PK\x03\x04..[Content_Types].xml", ".xlsx" },
		{ "PK\x03\x04..mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ".ods" },
		{ "PK\x03\x04..Index/Document.iwa", "Numbers" },
		{ "PK\x03\x04leads.csv", "ZIP" },
		{ "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls" },
		{ "%PDF-1.7", "PDF" },
		{ "\x1f\x8b\x08", "gzip" },
		{ "\n<!DOCTYPE HTML>", "web page" },
		{ "<table><tr>", "web page" },
		{ "\xef\xbb\xbf<html>", "web page" },
		{ "[{\"email\":1}]", "JSON array" },
		{ " [\n", "JSON array" },
		{ "BEGIN:VCARD\r\n", "vCard" },
		{ "<?xml version=\"1.0\"?><?mso-application progid=\"Excel.Sheet\"?>", "Excel" },
		{ "{\\rtf1", ".rtf" },
		{ "[email],[name]\n", NULL },
		{ "{\"email\":1}", NULL },
		{ "email\n", NULL },
		{ "PKZ,email\n", NULL },
		{ "", NULL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *kind = file_kind(slice_of(cases[i].bytes));
		assert_true((kind == NULL) == (cases[i].part == NULL));
		if (kind != NULL)
			assert_non_null(strstr(kind, cases[i].part));
	}
}

/* What is suggested: no value that was not understood is taken for consent. */
static void
meanings_are_suggested(void **state UNUSED)
{
	static const struct {
		const char *value;
		bool negative;
		enum value_meaning meaning;
	} cases[] = {
		{ "Subscribed", false, MEANS_ACTIVE },
		{ "un-subscribed", false, MEANS_UNKNOWN },
		{ "Unsubscribed", false, MEANS_OPTED_OUT },
		{ "Hard Bounce", false, MEANS_OPTED_OUT },
		{ "yes", false, MEANS_ACTIVE },
		{ "yes", true, MEANS_OPTED_OUT },
		{ "nein", false, MEANS_OPTED_OUT },
		{ "nein", true, MEANS_ACTIVE },
		{ "", false, MEANS_OPTED_OUT },
		{ "", true, MEANS_ACTIVE },
		{ "pending", false, MEANS_OPTED_OUT },
		{ "gold", false, MEANS_UNKNOWN },
		{ "Désabonné", false, MEANS_OPTED_OUT },
		{ "[]", true, MEANS_ACTIVE },
		{ "[\"HARD_BOUNCE\"]", false, MEANS_OPTED_OUT },
		{ "NEVER_SUBSCRIBED", false, MEANS_OPTED_OUT },
		{ "Não", false, MEANS_OPTED_OUT },
		{ "cancelled", false, MEANS_OPTED_OUT },
		{ "Non-Marketing Contact", false, MEANS_OPTED_OUT },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(
		    status_suggested(plain_words(pool, slice_of(cases[i].value)), cases[i].negative), cases[i].meaning);
	assert_true(status_of_file(plain_words(pool, SLICE("unsubscribed_members_export_1a2b.csv"))));
	assert_true(status_of_file(plain_words(pool, SLICE("Cleaned Members.csv"))));
	assert_true(status_of_file(plain_words(pool, SLICE("nonsubscribed_email_audience_export_1a2b.csv"))));
	assert_false(status_of_file(plain_words(pool, SLICE("subscribed_members_export.csv"))));
	assert_true(status_says_no(SLICE("inactive"), true)); /* of a column such as Status, which may be about orders */
	assert_false(status_says_no(SLICE("inactive"), false));
	assert_false(status_says_no(SLICE(""), true));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings_are_detected),
		cmocka_unit_test(encodings_have_names),
		cmocka_unit_test(bytes_become_utf8),
		cmocka_unit_test(other_files_are_recognised),
		cmocka_unit_test(meanings_are_suggested),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
