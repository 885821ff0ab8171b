/* SPDX-License-Identifier: MIT
 * Failures of the API in words for people. */
#ifndef LEADHOOK_PAGE_FAILURES_H
#define LEADHOOK_PAGE_FAILURES_H

#include "engine/failure.h"
#include "text/text.h"
#include "json/writer.h"

/* A sentence of what to do, or why it is impossible. */
enum text_key page_failure_text(enum failure failure);
/* Writes an object with those sentences by the codes of the failures, for scripts: `{time}` is the time to wait. */
void page_write_failures(struct json_writer *writer, enum text_language language);
/* Whether other values in the form can correct it. */
bool page_failure_is_about_values(enum failure failure);
/* The heading of a page about it. */
enum text_key page_failure_title(enum failure failure);

#endif
