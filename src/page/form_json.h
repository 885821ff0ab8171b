/* SPDX-License-Identifier: MIT
 * The form of a campaign as JSON, for the script that shows it on other sites (docs/embedding.md 2.2). */
#pragma once

#include "page/signup.h"

/* Writes the fields, the consent, the texts and colours, and what the rules against bots need other than the stamp. */
void page_write_form_json(const struct page *page, const struct page_form *form);
