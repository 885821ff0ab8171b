/* SPDX-License-Identifier: MIT
 * A lead as JSON. */
#pragma once

#include "operation/operation.h"

struct json_writer;

/* Renders a lead as the API does for a request with a key. *json is in the call's pool. */
MUST_CHECK enum result lead_render(struct operation_call *call, const struct payload_subject *subject, struct slice *json);
/* Writes the origin of the sign-up as an object. */
void lead_put_origin(struct json_writer *writer, const struct lead *lead);
