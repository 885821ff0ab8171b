/* SPDX-License-Identifier: MIT
 * Idempotency-Key (docs/manage.md 1.5): a call that made or added something and whose answer was lost can be repeated. Answers
 * are not stored: they may have secrets. */
#include <inttypes.h>
#include <string.h>

#include "crypto/digest.h"
#include "json/writer.h"
#include "manage/request.h"

bool
request_key(const struct manage_request *request, struct request_key *key)
{
	const struct http_request *http = request->http;
	const struct caller *caller = &request->caller;
	struct slice path = SLICE("");
	if (!operation_is_repeatable(request->operation) || http->idempotency_key.size == 0)
		return false;
	for (size_t i = 0; i < http->segment_count; i++)
		path = POOL_JOIN(http->pool, path, SLICE("/"), http->segments[i]);
	const struct slice named[] = { pool_printf(http->pool, "%d %" PRIu64 " ", (int)caller->kind, caller->id), path,
		SLICE(" "), http->idempotency_key };
	const struct digest hash = digest_sha256(named, ARRAY_SIZE(named)), parameters = digest_sha256(&http->body, 1);
	memcpy(key->hash, hash.bytes, sizeof(key->hash));
	memcpy(key->parameters, parameters.bytes, sizeof(key->parameters));
	return true;
}

bool
request_is_repeated(struct manage_request *request)
{
	const struct request_key *key = request->call.precondition.key;
	struct repeated_request earlier;
	struct json_writer writer;
	if (key == NULL || store_find_request(request->manage->store, key, &earlier) != RESULT_OK)
		return false;
	if (!earlier.same_parameters) {
		(void)request_fail_status(
		    request, 422, "key_used", SLICE("a call with other parameters had this Idempotency-Key"));
		return true;
	}
	request->response->status = 200;
	json_writer_init(&writer, &request->response->body);
	json_begin_object(&writer);
	json_put_u64(&writer, SLICE("id"), earlier.object_id);
	json_put_boolean(&writer, SLICE("repeated"), true);
	json_end_object(&writer);
	buffer_add_byte(&request->response->body, '\n');
	return true;
}
