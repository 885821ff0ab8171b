/* SPDX-License-Identifier: MIT */
#include "page/icons.h"

#define LETTERS(text, size)                                                                              \
	"<text x=\"16\" y=\"16\" dy=\".36em\" text-anchor=\"middle\" fill=\"#fff\" font-weight=\"700\" " \
	"font-family=\"sans-serif\" font-size=\"" size "\">" text "</text>"
#define LINES(path)                                                                                                    \
	"<path fill=\"none\" stroke=\"#fff\" stroke-width=\"2.5\" stroke-linecap=\"round\" stroke-linejoin=\"round\" " \
	"d=\"" path "\"/>"
#define ENVELOPE LINES("M7 10h18v12H7zM7 10.5l9 7 9-7")
#define LINK LINES("M14 18a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5M18 14a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.5-1.5")
#define BUBBLE LINES("M7 9h18v11H15l-5 4v-4H7zM12 14.5h.01M16 14.5h.01M20 14.5h.01")
#define SHARE LINES("M16 19V6M11.5 10L16 5.5 20.5 10M9 15v10h14V15")

static const struct {
	struct slice name;
	const char *drawing;
} icons[] = {
	{ SLICE("copy"), LINK },
	{ SLICE("email"), ENVELOPE },
	{ SLICE("envelope"), ENVELOPE },
	{ SLICE("facebook"), LETTERS("f", "22") },
	{ SLICE("google_plus"), LETTERS("g+", "17") },
	{ SLICE("link"), LINK },
	{ SLICE("linkedin"), LETTERS("in", "18") },
	{ SLICE("messenger"), BUBBLE },
	{ SLICE("pinterest"), LETTERS("p", "21") },
	{ SLICE("reddit"), LETTERS("r", "21") },
	{ SLICE("share"), SHARE },
	{ SLICE("sms"), BUBBLE },
	{ SLICE("telegram"), LETTERS("tg", "17") },
	{ SLICE("tumblr"), LETTERS("t", "21") },
	{ SLICE("twitter"), LETTERS("tw", "16") },
	{ SLICE("whatsapp"), LETTERS("wa", "16") },
	{ SLICE("x"), LETTERS("x", "21") },
};

struct slice
page_icon(struct pool *pool, struct slice name)
{
	const size_t dot = slice_find_last(name, '.');
	const struct slice stem = slice_sub(name, 0, dot), end = slice_sub(name, dot, name.size);
	if (!slice_equal(end, SLICE(".png")) && !slice_equal(end, SLICE(".svg")))
		return SLICE_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(icons); i++)
		if (slice_equal(stem, icons[i].name))
			return pool_printf(pool,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"32\" height=\"32\" viewBox=\"0 0 32 32\">"
			    "<rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#334155\"/>%s</svg>\n",
			    icons[i].drawing);
	return SLICE_NONE;
}
