/* SPDX-License-Identifier: MIT */
#include "transfer/file_kind.h"

#include <string.h>

#define AS_CSV ": save it as \"CSV UTF-8\" and import that file"
#define UNPACK ": unpack it, and import the CSV file that is in it"
#define WEB_PAGE                                                                                                               \
	"a web page (HTML), also if it is called .xls or .csv: open it in a spreadsheet, save it as \"CSV UTF-8\" and import " \
	"that file"
#define WORKBOOK "an Excel workbook (.xlsx)" AS_CSV

/* With `part`, a text that the first bytes must also contain. */
static const struct {
	struct slice begin, part;
	const char *kind;
} kinds[] = {
	{ SLICE("PK\x03\x04"), SLICE("xl/"), WORKBOOK },
	{ SLICE("PK\x03\x04"), SLICE("[Content_Types].xml"), WORKBOOK },
	{ SLICE("PK\x03\x04"), SLICE("opendocument.spreadsheet"), "a LibreOffice spreadsheet (.ods)" AS_CSV },
	{ SLICE("PK\x03\x04"), SLICE("opendocument"), "a LibreOffice document" AS_CSV },
	{ SLICE("PK\x03\x04"), SLICE("Index/"), "a Numbers spreadsheet: export it as CSV, and import that file" },
	{ SLICE("PK\x03\x04"), SLICE(""), "a ZIP archive" UNPACK },
	{ SLICE("PK\x05\x06"), SLICE(""), "an empty ZIP archive" },
	{ SLICE("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), SLICE(""), "an old Excel workbook (.xls)" AS_CSV },
	{ SLICE("%PDF"), SLICE(""), "a PDF, which has no rows and columns: export the table as CSV" },
	{ SLICE("\x1f\x8b"), SLICE(""), "compressed (gzip)" UNPACK },
	{ SLICE("BZh"), SLICE(""), "compressed (bzip2)" UNPACK },
	{ SLICE("\xfd\x37zXZ"), SLICE(""), "compressed (xz)" UNPACK },
	{ SLICE("\x28\xb5\x2f\xfd"), SLICE(""), "compressed (zstd)" UNPACK },
	{ SLICE("7z\xbc\xaf\x27\x1c"), SLICE(""), "a 7z archive" UNPACK },
	{ SLICE("Rar!"), SLICE(""), "a RAR archive" UNPACK },
	{ SLICE("SQLite format 3"), SLICE(""), "an SQLite database: export the table as CSV" },
	{ SLICE("\x89PNG"), SLICE(""), "a picture" },
	{ SLICE("\xff\xd8\xff"), SLICE(""), "a picture" },
	{ SLICE("GIF8"), SLICE(""), "a picture" },
	{ SLICE("{\\rtf"), SLICE(""), "a text with formats (.rtf): save the table as CSV" },
	{ SLICE("BEGIN:VCARD"), SLICE(""), "a vCard file (.vcf): export the contacts as CSV" },
	{ SLICE("<!doctype html"), SLICE(""), WEB_PAGE },
	{ SLICE("<html"), SLICE(""), WEB_PAGE },
	{ SLICE("<table"), SLICE(""), WEB_PAGE },
	{ SLICE("<meta"), SLICE(""), WEB_PAGE },
	{ SLICE("<?xml"), SLICE("Excel.Sheet"), "an Excel workbook as XML" AS_CSV },
	{ SLICE("<?xml"), SLICE(""), "XML: export the table as CSV" },
	{ SLICE("["), SLICE(""),
	    "a JSON array: write one object in each line, without brackets around them, or export the table as CSV" },
	{ SLICE("\xff\xfe\0\0"), SLICE(""), "in UTF-32" AS_CSV },
	{ SLICE("\0\0\xfe\xff"), SLICE(""), "in UTF-32" AS_CSV },
};

/* Whether a text that begins with [ is a JSON array rather than a heading in brackets. */
static bool
is_array(struct slice text)
{
	const struct slice rest = slice_trim(slice_sub(text, 1, text.size));
	return rest.size == 0 || memchr("{[]\"", rest.data[0], 4) != NULL;
}

const char *
file_kind(struct slice beginning)
{
	struct slice text = beginning;
	while (slice_starts_with(text, SLICE("\xef\xbb\xbf")))
		text = slice_sub(text, 3, text.size);
	text = slice_trim(text);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const bool begins =
		    slice_starts_with(beginning, kinds[i].begin) || slice_starts_with_nocase(text, kinds[i].begin);
		if (begins && slice_contains(beginning, kinds[i].part) && (kinds[i].begin.data[0] != '[' || is_array(text)))
			return kinds[i].kind;
	}
	return NULL;
}
