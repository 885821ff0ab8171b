/* SPDX-License-Identifier: MIT
 * Encodings of files (leadhook(1), lead import). */
#include "unit.h"
#include "with_pool.h"

#include <string.h>

#include "transfer/consent.h"
#include "transfer/encoding.h"
#include "transfer/file_kind.h"

static bool
fits(const char *bytes, size_t size, struct charset *found, bool *certain)
{
	struct encoding_survey survey = { 0 };
	encoding_survey_add(&survey, (struct slice){ bytes, size });
	return encoding_surveyed(&survey, found, certain);
}

static struct charset
surveyed(const char *bytes, size_t size, bool *certain)
{
	struct charset found;
	assert_true(fits(bytes, size, &found, certain));
	return found;
}

/* A file has one encoding; an invalid row does not change how valid UTF-8 rows are read. */
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
		{ "email,n\nx,J\x9frgen M\x9fller, Ren\x8e, Fran\x8dois\n", "macintosh", true },
		{ "email,n\nx,J\x81rgen M\x81ller, K\x94ln, Stra\xe1"
		  "e\n",
		    "IBM850", true },
		{ "email,n\nx,\xc8\xe2\xe0\xed \xcf\xe5\xf2\xf0\xee\xe2\n", "windows-1251", true },
		{ "email,n\nG\xfcl\xfe"
		  "en,\xddzmir\nY\xfdlmaz,Eski\xfe"
		  "ehir\n",
		    "windows-1254", true },
		{ "email,n\nO\xf0uz \xc7"
		  "a\xf0lar,Mu\xf0la\nI\xfe\xfdl,\xde"
		  "anl\xfdurfa\n",
		    "windows-1254", true },
		{ "email,n\nY\xfdld\xfdz\n", "windows-1254", false },
		{ "email,n\n\xc3\xe9\xfe\xf1\xe3\xef\xf2,\xc1\xe8\xde\xed\xe1\n\xc5\xeb\xdd\xed\xe7,"
		  "\xc8\xe5\xf3\xf3\xe1\xeb\xef\xed\xdf\xea\xe7\n",
		    "windows-1253", true },
		{ "email,n\n\xc3\xe9\xfe\xf1\xe3\xef\xf2\n", "windows-1253", false },
		{ "email,n\n\xce\xeb\xfc\xe3\xe0,\xd2\xfe\xec\xe5\xed\xfc\n", "windows-1251", true },
		{ "email,n\n\xce\xeb\xe5\xea\xf1\xb3\xe9,\xca\xe8\xbf\xe2\n", "windows-1251", true },
		{ "email,n\n\xce\xcb\xdc\xc3\xc0,\xcc\xce\xd1\xca\xc2\xc0\n", "windows-1251", true },
		{ "email,n\nDvo\xf8\xe1k,Kol\xedn\nR\xf9\x9e"
		  "ena,Plze\xf2\n",
		    "windows-1250", true },
		{ "email,n\nGy\xf5z\xf5 Sz\xfb"
		  "cs,P\xe9"
		  "cs\n",
		    "windows-1250", false },
		{ "email,n\n\xaatefan,Constan\xfe"
		  "a\n",
		    "windows-1250", true },
		{ "email,n\n\xa3ukasz,\xa6widnica\n", "ISO-8859-2", true },
		{ "email,n\nR\xfbta Petrauskien\xeb,\xd0iauliai\n", "windows-1257", true },
		{ "email,n\nB\xe7rzi\xf2\xf0,R\xeega\n", "windows-1257", true },
		{ "email,n\nGu\xf0r\xfan \xde\xf3rsd\xf3ttir\n", "windows-1252", true },
		{ "email,n\nNiccol\xf2,Forl\xec\nCitt\xe0,Cant\xf9\n", "windows-1252", true },
		{ "email,n\nJo\xe3o Sim\xf5"
		  "es,S\xe3o Paulo\n",
		    "windows-1252", true },
		{ "email,n\n\xc5sa,Malm\xf6\nS\xf8ren,\xc5rhus\n", "windows-1252", true },
		{ "email,n\nD\x92"
		  "Angelo,\x93"
		  "Bob\x94\n",
		    "windows-1252", true },
		{ "email,n\nM\x81ller & S\x94hne\n", "IBM850", true },
		{ "email,n\nK\x94ln\n", "IBM850", false },
		{ "email,n\nRen\x82\n", "IBM850", true },
		{ "email,n\nRen\x8e\n", "macintosh", true },
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

/* A file that fits no encoding is not stored as garbage; if another encoding is possible, a sample shows how the file is
 * read. */
static void
unknown_encodings_are_recognised(void **state UNUSED)
{
	static const char *const unknown[] = {
		"email,n\n\xcd\xf5\xce\xb0,\xb1\xb1\xbe\xa9\n",
		"email,n\n\xb3\xaf\xa9\xc9\xa7g,\xa5x\xa5_\xa5\xab\n",
		"email,n\n\x8eR\x93"
		"c\x91\xbe\x98Y,\x83"
		"e\x83X\x83g\n",
		"email,n\n\xba\xb4\xc6\xa3\xb2\xd6\xbb\xd2,\xbb\xa5\xcb\xda\n",
		"email,n\n\xb1\xe8\xb9\xce\xc1\xd8,\xba\xce\xbb\xea\n",
		"email,n\n\xe3\xe5\xe3 \xeb\xe4\xef,\xe7\xe9\xf4\xe4\n",
		"email,n\n\xe9\xd7\xc1\xce \xf0\xc5\xd4\xd2\xcf\xd7\n",
	};
	static const char *const known[] = { "email\n", "x,Acme\x99\n", "x,Acme\xa9\n", "x,J\xfcrgen\n",
		"x,J\xc3\xbcrgen\ny,\xcd\xf5\xce\xb0\n" };
	struct charset found;
	bool certain;
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		if (fits(unknown[i], strlen(unknown[i]), &found, &certain))
			fail_msg("%s", unknown[i]);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		assert_true(fits(known[i], strlen(known[i]), &found, &certain));
	struct encoding_survey survey = { 0 };
	struct charset encoding;
	encoding_survey_add(&survey, SLICE("email;n;m\na@example.org;Herr M\xfcller; x\n"));
	assert_true(encoding_parse(SLICE("windows-1252"), &encoding));
	assert_slice(encoding_sample(pool, &survey, &encoding), "Herr Müller");
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

/* Values that are not understood are never suggested as consent. */
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
		assert_int_equal(consent_suggested(plain_words(pool, slice_of(cases[i].value)),
				     cases[i].negative ? COLUMN_OF_REFUSALS : COLUMN_OF_CONSENT),
		    cases[i].meaning);
	assert_true(consent_file_refuses(plain_words(pool, SLICE("unsubscribed_members_export_1a2b.csv"))));
	assert_true(consent_file_refuses(plain_words(pool, SLICE("Cleaned Members.csv"))));
	assert_true(consent_file_refuses(plain_words(pool, SLICE("nonsubscribed_email_audience_export_1a2b.csv"))));
	assert_false(consent_file_refuses(plain_words(pool, SLICE("subscribed_members_export.csv"))));
	assert_true(consent_state_refuses(SLICE("inactive"))); /* a column such as Status may be about orders */
	assert_false(consent_value_refuses(SLICE("inactive")));
	assert_false(consent_state_refuses(SLICE("")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings_are_detected),
		cmocka_unit_test(unknown_encodings_are_recognised),
		cmocka_unit_test(encodings_have_names),
		cmocka_unit_test(bytes_become_utf8),
		cmocka_unit_test(other_files_are_recognised),
		cmocka_unit_test(meanings_are_suggested),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
