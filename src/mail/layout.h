/* SPDX-License-Identifier: MIT
 * The HTML of mails that have none of their own, made from their text (docs/mail.md 1.5). */
#pragma once

#include "mail/names.h"

/* Maximum size of this HTML in bytes. */
enum { LAYOUT_MAX_BYTES = 16 * 1024 * 1024 };

struct layout_options {
	struct slice language, direction; /* of the element html: "en", "ltr" */
	enum mail_name main_url;          /* the link that is shown as a button */
	struct slice accent, dark_accent; /* button colours, "#rrggbb"; absent: the default, and `accent` for the latter */
};

/* An HTML template with the values and sections of a text template that template_compile accepted, in the pool:
 * - Lines between empty ones are a paragraph.
 * - `Label: {{status_url}}` on a line of its own is a link with this label, and the first link to main_url is a button.
 * - Any other URL, as a value or written out, is a link that shows itself.
 * - A line `--` begins the footer.
 * It needs no images, and has colours for dark backgrounds. It compiles whenever the text does, with LAYOUT_MAX_BYTES as
 * source_max. */
struct slice layout_html(struct pool *pool, struct slice text, const struct layout_options *options);
