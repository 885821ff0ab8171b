/* SPDX-License-Identifier: MIT
 * What libcurl says of a transfer, in the sender's words. */
#ifndef LEADHOOK_DELIVER_SENDER_ERROR_H
#define LEADHOOK_DELIVER_SENDER_ERROR_H

#include <curl/curl.h>

#include "deliver/sender.h"

/* Of a transfer that has ended with `code`; `words`: what it left in CURLOPT_ERRORBUFFER. */
enum sender_error sender_error_of(CURL *easy, CURLcode code, const char *words);

#endif
