/* SPDX-License-Identifier: MIT
 * Failures of the API in words for visitors (docs/pages.md). */
#pragma once

#include "engine/failure.h"
#include "json/writer.h"
#include "text/text.h"

/* A sentence that says what the visitor can do, or that nothing can be done. */
enum text_key page_failure_text(enum failure failure);
/* Writes a JSON object of these sentences, whose names are the codes of the failures. `{time}` in a sentence stands for the
 * time to wait. */
void page_write_failures(struct json_writer *writer, enum text_language language);
/* Whether the visitor can correct it by changing values in the form. */
bool page_failure_is_about_values(enum failure failure);
/* The heading of the page that shows the failure. */
enum text_key page_failure_title(enum failure failure);
