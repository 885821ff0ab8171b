/* SPDX-License-Identifier: MIT
 * Maps libcurl's errors to enum sender_error. */
#ifndef LEADHOOK_DELIVER_SENDER_ERROR_H
#define LEADHOOK_DELIVER_SENDER_ERROR_H

#include <curl/curl.h>

#include "deliver/sender.h"

/* For a transfer that ended with `code`; `error_text` is the contents of CURLOPT_ERRORBUFFER. */
enum sender_error sender_error_of(CURL *easy, CURLcode code, const char *error_text);

#endif
