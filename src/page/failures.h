/* SPDX-License-Identifier: MIT
 * Failures of the API in words for visitors. */
#pragma once

#include "engine/failure.h"
#include "json/writer.h"
#include "text/text.h"

/* A sentence that says what to do, or why it is impossible. */
enum text_key page_failure_text(enum failure failure);
/* Writes these sentences as an object, by the codes of the failures. In one of them `{time}` stands for the time to wait. */
void page_write_failures(struct json_writer *writer, enum text_language language);
/* Whether the visitor can correct it by other values in the form. */
bool page_failure_is_about_values(enum failure failure);
/* The heading of the page that shows it. */
enum text_key page_failure_title(enum failure failure);
