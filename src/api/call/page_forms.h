/* SPDX-License-Identifier: MIT
 * Forms on pages: reads what was typed, and shows the form again with its errors. */
#pragma once

#include "api/call/api_call.h"
#include "page/page_form.h"

/* Reads the form of the campaign's page from the body; for other methods it is empty. `page` has the looks. False: the call has
 * failed, because the setting of the fields is invalid. */
MUST_CHECK bool call_read_page_form(
    struct call *call, const struct page *page, struct page_fields *fields, struct page_form *form);
/* Answers a form that failed by showing it again: on the campaign's page, or on a page with the fields of a form of another
 * site. The status does not change. */
void call_answer_failed_form(struct call *call);
