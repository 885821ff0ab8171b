/* SPDX-License-Identifier: MIT */
#include "base/boolean.h"

/* For false, for true. */
static const struct slice words[][2] = {
	{ SLICE("no"), SLICE("yes") },
	{ SLICE("false"), SLICE("true") },
	{ SLICE("off"), SLICE("on") },
	{ SLICE("0"), SLICE("1") },
	{ SLICE("n"), SLICE("y") },
	{ SLICE("f"), SLICE("t") },
	{ SLICE("falsch"), SLICE("wahr") },
	{ SLICE("faux"), SLICE("vrai") },
	{ SLICE("falso"), SLICE("verdadero") },
	{ SLICE("falso"), SLICE("vero") },
	{ SLICE("onwaar"), SLICE("waar") },
};

bool
boolean_parse(struct slice text, bool *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		for (int truth = 0; truth < 2; truth++)
			if (slice_equal_nocase(text, words[i][truth])) {
				*value = truth == 1;
				return true;
			}
	return false;
}
