/* SPDX-License-Identifier: MIT */
#include "api/call/sent_address.h"

#include <inttypes.h>

#include "base/encode.h"
#include "crypto/digest.h"
#include "crypto/seal.h"
#include "identity/email.h"

/* In the query. */
#define ADDRESS SLICE("to")
#define PLACE(call) ((struct seal_place){ "pages.sent", (call)->campaign.id })
enum { VALID_MS = 3600 * 1000 };

/* NULL: the database is unavailable. */
static struct seal_keys *
keys_of(struct call *call)
{
	const struct payload_settings *settings;
	const struct slice purpose = SLICE("pages.sent");
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK)
		return NULL;
	const struct digest key = digest_hmac_sha256(settings->server_secret, &purpose, 1);
	return seal_keys_new(encode_hex(call->request->pool, digest_slice(&key)));
}

struct slice
sent_address_path(struct call *call, struct slice email)
{
	struct pool *pool = call->request->pool;
	struct email parsed;
	struct buffer out;
	struct seal_keys *keys = email_parse(pool, email, &parsed) ? keys_of(call) : NULL;
	if (keys == NULL)
		return SLICE("/sent");
	const struct slice text = pool_printf(pool, "%" PRId64 " %.*s", call->now_ms + VALID_MS, SLICE_ARGS(parsed.key));
	const struct slice sealed = seal(keys, pool, PLACE(call), text);
	seal_keys_free(&keys);
	buffer_init(&out, 3 * sealed.size + sizeof("/sent?to="));
	buffer_add_text(&out, "/sent?to=");
	encode_percent(&out, sealed);
	const struct slice path = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return path;
}

struct slice
sent_address_read(struct call *call)
{
	struct slice sealed, text, digits;
	uint64_t until_ms;
	if (!http_value_string(http_params_value(call->params, ADDRESS), &sealed))
		return SLICE_NONE;
	struct seal_keys *keys = keys_of(call);
	const bool is_open = keys != NULL && seal_open(keys, call->request->pool, PLACE(call), sealed, &text) == SEAL_OPENED;
	seal_keys_free(&keys);
	if (!is_open || !slice_next(&text, ' ', &digits) || !slice_to_u64(digits, INT64_MAX, &until_ms) ||
	    (int64_t)until_ms < call->now_ms)
		return SLICE_NONE;
	return text;
}
