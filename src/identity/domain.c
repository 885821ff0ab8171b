/* SPDX-License-Identifier: MIT */
#include "identity/domain.h"

#include <idn2.h>

static bool
is_label(struct slice label)
{
	return label.size > 0 && label.size <= DOMAIN_LABEL_MAX && label.data[0] != '-' && label.data[label.size - 1] != '-' &&
	       slice_is_alnum(label, "-");
}

/* Letters, digits and hyphens in labels of the right length. */
static bool
is_name(struct slice name)
{
	if (name.size == 0 || name.size > DOMAIN_MAX || name.data[name.size - 1] == '.')
		return false;
	struct slice label;
	while (slice_next(&name, '.', &label))
		if (!is_label(label))
			return false;
	return true;
}

static bool
has_alabel(struct slice name)
{
	struct slice label;
	while (slice_next(&name, '.', &label))
		if (slice_starts_with_nocase(label, SLICE("xn--")))
			return true;
	return false;
}

/* Without IDN2_USE_STD3_ASCII_RULES, which drops invalid characters: "a_b.example" would become "ab.example". */
static bool
convert(struct pool *pool, struct slice typed, struct slice *ascii)
{
	if (slice_find(typed, '\0') != typed.size)
		return false;
	char *out = NULL;
	int code = idn2_to_ascii_8z(pool_string(pool, typed), &out, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (code == IDN2_MALLOC)
		memory_exhausted();
	if (code != IDN2_OK)
		return false;
	*ascii = pool_copy(pool, slice_of(out));
	idn2_free(out);
	return true;
}

bool
domain_to_ascii(struct pool *pool, struct slice typed, struct slice *ascii)
{
	struct slice name = typed;
	/* libidn2 refuses hyphens in third and fourth place, which some ASCII names have: only other names are converted */
	if ((!slice_is_ascii(typed) || has_alabel(typed)) && !convert(pool, typed, &name))
		return false;
	if (!is_name(name))
		return false;
	*ascii = pool_copy_lower(pool, name);
	return true;
}
