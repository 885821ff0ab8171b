/* SPDX-License-Identifier: MIT */
#include "transfer/encoding.h"

#include <string.h>
#include <uchar.h>

#include "base/utf8.h"

#define MARK "\xef\xbb\xbf"

/* An encoding with one byte for each character: the characters of the 128 non-ASCII bytes. A byte without a character stands
 * for the code point with its number. */
struct byte_table {
	struct slice name;
	const char16_t *characters;
};
enum { BYTE_TABLE_FIRST = 0x80, BYTE_TABLE_SIZE = 0x80 };

/* clang-format off */
#define CONTROLS \
	u"\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f" \
	u"\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c\x9d\x9e\x9f"

/* The most common one comes first. */
static const struct byte_table byte_tables[] = {
	{ SLICE("windows-1252"),
	    u"€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿"
	    u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ" },
	{ SLICE("windows-1250"),
	    u"€\x81‚\x83„…†‡\x88‰Š‹ŚŤŽŹ\x90‘’“”•–—\x98™š›śťžź\u00a0ˇ˘Ł¤Ą¦§¨©Ş«¬\u00ad®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż"
	    u"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙" },
	{ SLICE("windows-1251"),
	    u"ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\x98™љ›њќћџ\u00a0ЎўЈ¤Ґ¦§Ё©Є«¬\u00ad®Ї°±Ііґµ¶·ё№є»јЅѕї"
	    u"АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя" },
	{ SLICE("windows-1253"),
	    u"€\x81‚ƒ„…†‡\x88‰\x8a‹\x8c\x8d\x8e\x8f\x90‘’“”•–—\x98™\x9a›\x9c\x9d\x9e\x9f\u00a0΅Ά£¤¥¦§¨©ª«¬\u00ad®―°±²³΄µ¶·ΈΉΊ»Ό½ΎΏ"
	    u"ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡÒΣΤΥΦΧΨΩΪΫάέήίΰαβγδεζηθικλμνξοπρςστυφχψωϊϋόύώÿ" },
	{ SLICE("windows-1254"),
	    u"€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8d\x8e\x8f\x90‘’“”•–—˜™š›œ\x9d\x9eŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿"
	    u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞßàáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ" },
	{ SLICE("windows-1257"),
	    u"€\x81‚\x83„…†‡\x88‰\x8a‹\x8c¨ˇ¸\x90‘’“”•–—\x98™\x9a›\x9c¯˛\x9f\u00a0¡¢£¤¥¦§Ø©Ŗ«¬\u00ad®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ"
	    u"ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽßąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙" },
	{ SLICE("ISO-8859-2"),
	    CONTROLS u"\u00a0Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u00adŽŻ°ą˛ł´ľśˇ¸šşťź˝žż"
	    u"ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢßŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙" },
	{ SLICE("ISO-8859-15"),
	    CONTROLS u"\u00a0¡¢£€¥Š§š©ª«¬\u00ad®¯°±²³Žµ¶·ž¹º»ŒœŸ¿"
	    u"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ" },
	{ SLICE("macintosh"),
	    u"ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
	    u"¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ" },
	{ SLICE("IBM850"),
	    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
	    u"└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0" },
	{ SLICE("IBM437"),
	    u"ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
	    u"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0" },
	{ SLICE("KOI8-R"),
	    u"─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u00a0⌡°²·÷═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©"
	    u"юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ" },
};
/* clang-format on */

static const struct {
	struct slice name;
	enum encoding_form form;
} unicode[] = {
	{ SLICE("UTF-8"), ENCODING_UTF8 },
	{ SLICE("UTF-16LE"), ENCODING_UTF16LE },
	{ SLICE("UTF-16BE"), ENCODING_UTF16BE },
	{ SLICE("UTF-16"), ENCODING_UTF16LE },
};

/* Other names of tables. Where ISO-8859-1 differs from windows-1252, it has nothing that occurs in files. */
static const struct {
	struct slice name;
	struct slice table;
} aliases[] = { { SLICE("ISO-8859-1"), SLICE("windows-1252") }, { SLICE("latin1"), SLICE("windows-1252") },
	{ SLICE("ANSI"), SLICE("windows-1252") }, { SLICE("cp1252"), SLICE("windows-1252") },
	{ SLICE("cp1250"), SLICE("windows-1250") }, { SLICE("cp1251"), SLICE("windows-1251") },
	{ SLICE("MacRoman"), SLICE("macintosh") }, { SLICE("cp850"), SLICE("IBM850") }, { SLICE("cp437"), SLICE("IBM437") } };

static const struct byte_table *
find_table(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(aliases); i++)
		if (slice_equal_nocase(name, aliases[i].name))
			name = aliases[i].table;
	for (size_t i = 0; i < ARRAY_SIZE(byte_tables); i++)
		if (slice_equal_nocase(name, byte_tables[i].name))
			return &byte_tables[i];
	return NULL;
}

bool
encoding_parse(struct slice name, struct charset *encoding)
{
	const size_t plus = slice_find(name, '+');
	const struct byte_table *table = find_table(plus < name.size ? slice_sub(name, plus + 1, name.size) : name);
	*encoding = (struct charset){ ENCODING_BYTES, table };
	for (size_t i = 0; i < ARRAY_SIZE(unicode); i++)
		if (slice_equal_nocase(slice_sub(name, 0, plus), unicode[i].name)) {
			encoding->form = unicode[i].form;
			encoding->table = plus == name.size ? &byte_tables[0] : table;
			return encoding->table != NULL && (plus == name.size || encoding->form == ENCODING_UTF8);
		}
	return table != NULL && plus == name.size;
}

struct slice
encoding_name(struct pool *pool, const struct charset *encoding)
{
	if (encoding->form == ENCODING_BYTES)
		return encoding->table->name;
	if (encoding->form == ENCODING_UTF8 && encoding->table != &byte_tables[0])
		return POOL_JOIN(pool, unicode[encoding->form].name, SLICE("+"), encoding->table->name);
	return unicode[encoding->form].name;
}

struct slice
encoding_tables(struct pool *pool)
{
	struct slice names = byte_tables[0].name;
	for (size_t i = 1; i < ARRAY_SIZE(byte_tables); i++)
		names = POOL_JOIN(pool, names, SLICE(", "), byte_tables[i].name);
	return names;
}

size_t
encoding_mark_size(struct slice bytes, const struct charset *encoding)
{
	size_t size = 0;
	if (encoding->form == ENCODING_UTF16LE || encoding->form == ENCODING_UTF16BE)
		return slice_starts_with(bytes, encoding->form == ENCODING_UTF16LE ? SLICE("\xff\xfe") : SLICE("\xfe\xff")) ? 2
															    : 0;
	while (slice_starts_with(slice_sub(bytes, size, bytes.size), SLICE(MARK)))
		size += sizeof(MARK) - 1;
	return size;
}

/* ---- what a file shows ---- */

/* Recognizes UTF-16 without a byte order mark: most of its characters are ASCII, so every other byte is zero. */
static bool
is_utf16(struct slice bytes, struct charset *found)
{
	size_t zeros[2] = { 0 };
	for (size_t i = 0; i < bytes.size; i++)
		zeros[i % 2] += bytes.data[i] == '\0' ? 1 : 0;
	found->form = zeros[1] > zeros[0] ? ENCODING_UTF16LE : ENCODING_UTF16BE;
	return zeros[0] + zeros[1] > bytes.size / 4 && (zeros[0] == 0 || zeros[1] == 0);
}

static void
begin(struct encoding_survey *survey, struct slice piece)
{
	enum { SAMPLE = 4096 };
	static const enum encoding_form wide[] = { ENCODING_UTF16LE, ENCODING_UTF16BE };
	survey->begun = true;
	survey->found = (struct charset){ ENCODING_UTF8, &byte_tables[0] };
	survey->has_mark = encoding_mark_size(piece, &survey->found) > 0;
	if (survey->has_mark)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(wide) && !survey->is_wide; i++) {
		survey->found.form = wide[i];
		survey->is_wide = survey->has_mark = encoding_mark_size(piece, &survey->found) > 0;
	}
	if (!survey->is_wide)
		survey->is_wide = is_utf16(slice_sub(piece, 0, SAMPLE), &survey->found);
	if (!survey->is_wide)
		survey->found.form = ENCODING_UTF8;
}

/* Where Cyrillic and Greek letters begin, and where the small ones do. All Hebrew letters are among the latter. */
enum { LETTERS = 0xc0, SMALL = 0xe0 };

static bool
is_letter(char c)
{
	return (unsigned char)c >= LETTERS;
}

/* The field with the first non-ASCII byte. */
static void
keep_sample(struct encoding_survey *survey, struct slice line)
{
	static const char ends[] = ",;|\t\"";
	size_t from = 0, to;
	while (is_ascii(line.data[from]))
		from++;
	for (to = from; to < line.size && to - from < sizeof(survey->sample) / 2 && strchr(ends, line.data[to]) == NULL; to++)
		;
	while (from > 0 && to - from < sizeof(survey->sample) && strchr(ends, line.data[from - 1]) == NULL)
		from--;
	survey->sample_size = to - from;
	memcpy(survey->sample, line.data + from, survey->sample_size);
}

/* Counts a byte by its place. In the usual encodings of scripts whose letters are all non-ASCII, the last ones are small
 * letters. */
static void
count_place(struct encoding_survey *survey, struct slice line, size_t at)
{
	const size_t byte = (unsigned char)line.data[at] - BYTE_TABLE_FIRST;
	const char before = at > 0 ? line.data[at - 1] : ' ', after = at + 1 < line.size ? line.data[at + 1] : ' ';
	const bool within = ascii_is_alpha(before) && ascii_is_alpha(after), rises = ascii_lower(after) != after;
	survey->bytes[byte]++;
	survey->within[byte] += within;
	survey->no_small[byte] += rises;
	survey->no_capital[byte] +=
	    (ascii_is_alpha(before) && ascii_lower(before) == before) || (within && !rises) || (unsigned char)before >= SMALL;
}

/* Counts what cannot be a character of two bytes. */
static void
count_pairs(struct encoding_survey *survey, struct slice line)
{
	enum { LEAD_MAX = 0xfe, TRAIL_MIN = 0x40, TRAIL_NONE = 0x7f };
	for (size_t i = 0; i < line.size; i++) {
		if (is_ascii(line.data[i]))
			continue;
		const unsigned char lead = (unsigned char)line.data[i],
				    trail = i + 1 < line.size ? (unsigned char)line.data[i + 1] : 0;
		survey->singles += lead == BYTE_TABLE_FIRST || lead > LEAD_MAX || trail < TRAIL_MIN || trail == TRAIL_NONE;
		i++;
	}
}

static void
count_other(struct encoding_survey *survey, struct slice line)
{
	if (survey->other++ == 0)
		keep_sample(survey, line);
	count_pairs(survey, line);
	for (size_t i = 0; i < line.size; i++) {
		if (is_ascii(line.data[i]))
			continue;
		count_place(survey, line, i);
		survey->capitals += is_letter(line.data[i]) && (unsigned char)line.data[i] < SMALL;
		survey->neighbours += i > 0 && is_letter(line.data[i - 1]) && is_letter(line.data[i]);
	}
}

void
encoding_survey_add(struct encoding_survey *survey, struct slice piece)
{
	if (!survey->begun)
		begin(survey, piece);
	if (survey->is_wide || slice_is_ascii(piece))
		return;
	while (piece.size > 0) {
		size_t size = slice_find(piece, '\n');
		const size_t other = slice_find(slice_sub(piece, 0, size), '\r');
		size = other < size ? other : size;
		const struct slice line = slice_sub(piece, 0, size);
		if (!utf8_valid(line))
			count_other(survey, line);
		else if (!slice_is_ascii(line))
			survey->utf8++;
		piece = slice_sub(piece, size + 1, piece.size);
	}
}

#define WESTERN "windows-1252 macintosh IBM850"
#define CENTRAL "windows-1250 ISO-8859-2"

/* The non-ASCII letters in names, by languages whose encodings are mistaken for each other: a text that is read in a wrong one
 * contains letters of several languages. If two fit equally well, the first one is found. */
static const struct {
	const char *tables;
	const char *small, *capital;
	bool joined; /* the letters of a word are neighbours; accented Latin letters seldom are */
} alphabets[] = {
	{ WESTERN, "äöüß", "ÄÖÜ", false },
	{ WESTERN, "äöüßéèêëàâçñóáíúôîï", "ÄÖÜÉÀÇÑÓÁÍÚÂ", false },
	{ WESTERN, "éèêëàâçîïôûùœæüö", "ÉÈÊÀÂÇÎÔŒ", false },
	{ WESTERN, "ãõáéíóúâêôçàü", "ÃÁÉÍÓÚÂÊÔÇÀ", false },
	{ WESTERN, "àèéìòù", "ÀÈÉÌÒÙ", false },
	{ WESTERN, "åæøäöüé", "ÅÆØÄÖÜ", false },
	{ "windows-1252", "äöüõšž", "ÄÖÜÕŠŽ", false },
	{ "windows-1254", "çğıöşüâîû", "ÇĞİÖŞÜ", false },
	{ CENTRAL, "ąćęłńóśźżäöüßé", "ĄĆĘŁŃÓŚŹŻÄÖÜ", false },
	{ CENTRAL, "áčďéěíľňóřšťúůýžäôöüß", "ÁČĎÉĚÍĽŇÓŘŠŤÚŮÝŽÄÖÜ", false },
	{ CENTRAL, "áéíóöőúüűäß", "ÁÉÍÓÖŐÚÜŰÄ", false },
	{ CENTRAL, "ăâîşţéáöü", "ĂÂÎŞŢÖÜ", false },
	{ CENTRAL, "čćđšžéäöüß", "ČĆĐŠŽÄÖÜ", false },
	{ "windows-1252", "áðéíóúýþæö", "ÁÐÉÍÓÚÝÞÆÖ", false },
	{ "windows-1257", "ąčęėįšųūžäõöü", "ĄČĘĖĮŠŲŪŽÄÕÖÜ", false },
	{ "windows-1257", "āčēģīķļņšūžäõöü", "ĀČĒĢĪĶĻŅŠŪŽÄÕÖÜ", false },
	{ WESTERN, "äöüßéèêëàâçñóáíúôîûïøåæœãõìòù", "ÄÖÜØÅÆÑÉ", false },
	{ "windows-1253", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ", "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏ", true },
	{ "windows-1251", "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґўђјљњћџѓќ", "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁІЇЄҐЎЂЈЉЊЋЏ",
	    true },
};

static bool
has_character(const char *text, uint32_t wanted)
{
	struct slice rest = slice_of(text);
	uint32_t character;
	while (utf8_next(&rest, &character))
		if (character == wanted)
			return true;
	return false;
}

static uint64_t
score_of(const struct encoding_survey *survey, size_t alphabet, const struct byte_table *table)
{
	static const char anywhere[] = "’\u00a0", marks[] = "“”„–…€«»";
	uint64_t score = 0;
	for (size_t i = 0; i < BYTE_TABLE_SIZE; i++) {
		const uint32_t character = table->characters[i];
		if (survey->bytes[i] == 0)
			continue;
		if (has_character(anywhere, character))
			score += survey->bytes[i];
		else if (has_character(alphabets[alphabet].small, character))
			score += survey->bytes[i] - survey->no_small[i];
		else if (has_character(alphabets[alphabet].capital, character))
			score += survey->bytes[i] - survey->no_capital[i];
		else if (has_character(marks, character))
			score += survey->bytes[i] - survey->within[i];
	}
	return score;
}

static bool
differ(const struct encoding_survey *survey, const struct byte_table *a, const struct byte_table *b)
{
	for (size_t i = 0; i < BYTE_TABLE_SIZE; i++)
		if (survey->bytes[i] > 0 && a->characters[i] != b->characters[i])
			return true;
	return false;
}

struct choice {
	const struct byte_table *table;
	uint64_t score;
	bool joined, certain, fits; /* fits: its letters explain the file */
};

static void
try_table(const struct encoding_survey *survey, size_t alphabet, struct slice name, struct choice *best)
{
	const struct byte_table *table = find_table(name);
	const uint64_t score = score_of(survey, alphabet, table);
	if (score > 0 && score == best->score)
		best->certain = best->certain && !differ(survey, best->table, table);
	if (score > best->score)
		*best = (struct choice){ table, score, best->joined, true, false };
}

static struct choice
best_table(const struct encoding_survey *survey)
{
	struct choice best = { &byte_tables[0], .certain = false };
	uint64_t all = 0;
	for (size_t i = 0; i < BYTE_TABLE_SIZE; i++)
		all += survey->bytes[i];
	best.joined = survey->neighbours > all / 3;
	for (size_t i = 0; i < ARRAY_SIZE(alphabets); i++) {
		struct slice tables = slice_of(alphabets[i].joined == best.joined ? alphabets[i].tables : ""), name;
		while (slice_next(&tables, ' ', &name))
			try_table(survey, i, name, &best);
	}
	best.fits = best.score * 10 >= all * 9 && (!best.joined || survey->capitals > 0);
	best.certain = best.certain && best.fits;
	return best;
}

bool
encoding_surveyed(const struct encoding_survey *survey, struct charset *found, bool *certain)
{
	*found = survey->begun ? survey->found : (struct charset){ ENCODING_UTF8, &byte_tables[0] };
	*certain = survey->other == 0;
	if (*certain)
		return true;
	const struct choice best = best_table(survey);
	const bool whole = survey->utf8 == 0 && !survey->has_mark;
	found->table = best.table;
	found->form = whole ? ENCODING_BYTES : ENCODING_UTF8;
	*certain = best.certain && whole;
	return !whole || best.fits || (!best.joined && survey->singles > 0);
}

struct slice
encoding_sample(struct pool *pool, const struct encoding_survey *survey, const struct charset *encoding)
{
	const struct charset bytes = { ENCODING_BYTES, encoding->table };
	char *out = pool_bytes(pool, 3 * survey->sample_size);
	size_t used;
	return slice_trim(
	    (struct slice){ out, encoding_convert(&bytes, (struct slice){ survey->sample, survey->sample_size }, out, &used) });
}

/* ---- conversion ---- */

uint64_t
encoding_size(const struct charset *encoding, struct slice text)
{
	uint64_t size = 0;
	if (encoding->form != ENCODING_UTF16LE && encoding->form != ENCODING_UTF16BE)
		return text.size;
	for (size_t i = 0; i < text.size; i++) {
		const unsigned char c = (unsigned char)text.data[i];
		size += c >= 0xf0 ? 4 : (c & 0xc0) != 0x80 ? 2 : 0;
	}
	return size;
}

static size_t
put_character(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = size - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(first[size] | c);
	return size;
}

static uint32_t
unit_at(const struct charset *encoding, struct slice bytes, size_t at)
{
	const unsigned char a = (unsigned char)bytes.data[at], b = (unsigned char)bytes.data[at + 1];
	return encoding->form == ENCODING_UTF16LE ? (uint32_t)(b << 8 | a) : (uint32_t)(a << 8 | b);
}

static bool
is_surrogate(uint32_t unit, uint32_t first)
{
	return (unit & 0xfc00) == first;
}

/* A surrogate without its counterpart becomes U+FFFD. */
static size_t
convert_wide(const struct charset *encoding, struct slice bytes, char *out, size_t *used)
{
	enum { UNIT = 2, HIGH = 0xd800, LOW = 0xdc00, REPLACEMENT = 0xfffd, BEYOND = 0x10000 };
	size_t size = 0, at = 0;
	while (at + UNIT <= bytes.size) {
		const uint32_t unit = unit_at(encoding, bytes, at);
		if (!is_surrogate(unit, HIGH)) {
			size += put_character(out + size, is_surrogate(unit, LOW) ? REPLACEMENT : unit);
			at += UNIT;
			continue;
		}
		if (at + 2 * UNIT > bytes.size)
			break;
		const uint32_t next = unit_at(encoding, bytes, at + UNIT);
		const bool pair = is_surrogate(next, LOW);
		size += put_character(out + size, pair ? BEYOND + ((unit - HIGH) << 10 | (next - LOW)) : REPLACEMENT);
		at += pair ? 2 * UNIT : UNIT;
	}
	*used = at;
	return size;
}

size_t
encoding_convert(const struct charset *encoding, struct slice bytes, char *out, size_t *used)
{
	size_t size = 0;
	if (encoding->form == ENCODING_UTF16LE || encoding->form == ENCODING_UTF16BE)
		return convert_wide(encoding, bytes, out, used);
	for (size_t i = 0; i < bytes.size; i++) {
		const unsigned char byte = (unsigned char)bytes.data[i];
		size += put_character(
		    out + size, byte < BYTE_TABLE_FIRST ? byte : encoding->table->characters[byte - BYTE_TABLE_FIRST]);
	}
	*used = bytes.size;
	return size;
}
