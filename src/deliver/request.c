/* SPDX-License-Identifier: MIT */
#include "deliver/request.h"

#include <inttypes.h>

#include "core/form.h"
#include "core/signature.h"
#include "core/webhook_url.h"

static const struct slice content_types[] = {
	[false] = SLICE("Content-Type: application/json"),
	[true] = SLICE("Content-Type: application/x-www-form-urlencoded"),
};

static bool
make_body(struct pool *pool, const struct due_delivery *delivery, struct slice *body)
{
	if (delivery->form)
		return form_encode(pool, delivery->payload, body);
	*body = pool_copy(pool, delivery->payload);
	return true;
}

bool
request_make(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct attempt *attempt)
{
	const int64_t timestamp = now_ms / 1000;
	struct slice signature, url;
	if (!webhook_url_dial(pool, delivery->url, &url) || !make_body(pool, delivery, &attempt->body) ||
	    !signature_header(pool, delivery->secret, delivery->message_id, timestamp, attempt->body, &signature))
		return false;
	const struct slice headers[] = {
		content_types[delivery->form],
		pool_printf(pool, "webhook-id: %.*s", SLICE_ARGS(delivery->message_id)),
		pool_printf(pool, "webhook-timestamp: %" PRId64, timestamp),
		pool_printf(pool, "webhook-signature: %.*s", SLICE_ARGS(signature)),
	};
	struct slice *kept = POOL_ARRAY(pool, ARRAY_SIZE(headers), struct slice);
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		kept[i] = headers[i];
	attempt->url = pool_string(pool, url);
	attempt->headers = kept;
	attempt->header_count = ARRAY_SIZE(headers);
	return true;
}
