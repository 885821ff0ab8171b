/* SPDX-License-Identifier: MIT */
#include "deliver/send/delivery_request.h"

#include "base/encode.h"
#include "webhook/form.h"
#include "webhook/signature.h"

enum { HEADERS = 4 };

static const struct slice content_types[] = {
	[false] = SLICE("Content-Type: application/json"),
	[true] = SLICE("Content-Type: application/x-www-form-urlencoded"),
};

/* Signs with both secrets during a rotation. */
static bool
sign(struct pool *pool, const struct due_delivery *delivery, int64_t timestamp, struct slice body, struct slice *signatures)
{
	const struct destination *destination = delivery->destination;
	struct slice previous;
	if (!signature_header(pool, destination->secret, delivery->message_id, timestamp, body, signatures))
		return false;
	if (!slice_present(destination->previous_secret))
		return true;
	if (!signature_header(pool, destination->previous_secret, delivery->message_id, timestamp, body, &previous))
		return false;
	*signatures = pool_printf(pool, "%.*s %.*s", SLICE_ARGS(*signatures), SLICE_ARGS(previous));
	return true;
}

static struct slice
header(struct pool *pool, struct slice name, struct slice value)
{
	const struct slice pieces[] = { name, SLICE(": "), value };
	return pool_join(pool, pieces, ARRAY_SIZE(pieces));
}

static const char *
path_or_null(struct pool *pool, struct slice path)
{
	return slice_present(path) ? pool_string(pool, path) : NULL;
}

bool
delivery_request_make(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct attempt *attempt)
{
	const int64_t timestamp = now_ms / 1000;
	const struct destination *destination = delivery->destination;
	char digits[DECIMAL_SIZE];
	struct slice signatures, *headers = POOL_ARRAY(pool, HEADERS, struct slice);
	*attempt = (struct attempt){ .body = delivery->payload };
	if (!slice_present(delivery->payload) || !slice_present(destination->url) ||
	    (delivery->form && !form_encode(pool, delivery->payload, delivery->form_brackets ? FORM_UNNUMBERED : FORM_NUMBERED,
				   &attempt->body)) ||
	    !sign(pool, delivery, timestamp, attempt->body, &signatures))
		return false;
	headers[0] = content_types[delivery->form];
	headers[1] = header(pool, SLICE("webhook-id"), delivery->message_id);
	headers[2] = header(pool, SLICE("webhook-timestamp"), encode_decimal((uint64_t)timestamp, digits));
	headers[3] = header(pool, SLICE("webhook-signature"), signatures);
	attempt->url = pool_string(pool, destination->url);
	attempt->headers = headers;
	attempt->header_count = HEADERS;
	attempt->ca_file = path_or_null(pool, destination->ca_file);
	attempt->client_certificate = path_or_null(pool, destination->client_certificate);
	attempt->client_key = path_or_null(pool, destination->client_key);
	return true;
}
