/* SPDX-License-Identifier: MIT
 * The rules of every answer, to any request (docs/api.md 2 and 7). */
#pragma once

#include "fuzz.h"
#include "http/request.h"
#include "http/response.h"

void require_answer(const struct http_request *request, const struct http_response *response);
