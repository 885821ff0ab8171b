/* SPDX-License-Identifier: MIT
 * ETags (docs/manage.md 1.3): "VERSION-HASH" of what a change of settings may depend on, else "HASH". The hash is that of the
 * answer; a change that names the version is refused when it is another one. */
#include <inttypes.h>

#include "base/encode.h"
#include "crypto/digest.h"
#include "manage/request.h"

enum { HASH_SHOWN_BYTES = 12 };

static bool
parse_version(struct slice tag, uint64_t *version)
{
	if (slice_starts_with(tag, SLICE("W/")))
		tag = slice_sub(tag, 2, tag.size);
	if (tag.size < 2 || tag.data[0] != '"' || tag.data[tag.size - 1] != '"')
		return false;
	tag = slice_sub(tag, 1, tag.size - 1);
	return slice_to_u64(slice_sub(tag, 0, slice_find(tag, '-')), UINT64_MAX, version);
}

/* Read before what is answered: a change in between makes the version too old, and never too new. */
static void
read_version(struct manage_request *request)
{
	/* where it fails, the operation does, too */
	request->has_version = store_read_settings_version(
				   request->manage->store, request->call.owner.campaign_id, &request->version) == RESULT_OK;
}

bool
request_expect_version(struct manage_request *request)
{
	const struct slice tag = request->http->if_match;
	const bool expects = request->operation->method != METHOD_GET && slice_present(tag) && !slice_equal(tag, SLICE("*"));
	uint64_t *version = &request->expected_version;
	if (expects && !request->operation->versioned)
		return request_fail(request, PROBLEM_USAGE, SLICE_NONE, "If-Match is for changes of settings only");
	if (expects && !parse_version(tag, version))
		return request_fail(request, PROBLEM_CHANGED, SLICE_NONE, "If-Match: expected the ETag of an earlier answer");
	if (request->operation->versioned && request->operation->method == METHOD_GET)
		read_version(request);
	if (expects)
		request->call.precondition.settings_version = version;
	return true;
}

static struct slice
tag_of(struct manage_request *request)
{
	struct pool *pool = request->http->pool;
	const struct slice body = buffer_slice(&request->response->body);
	const struct digest hash = digest_sha256(&body, 1);
	const struct slice shown = encode_hex(pool, slice_sub(digest_slice(&hash), 0, HASH_SHOWN_BYTES));
	return request->has_version ? pool_printf(pool, "\"%" PRIu64 "-%.*s\"", request->version, SLICE_ARGS(shown))
				    : pool_printf(pool, "\"%.*s\"", SLICE_ARGS(shown));
}

static bool
list_has(struct slice list, struct slice tag)
{
	struct slice item;
	while (slice_next(&list, ',', &item)) {
		item = slice_trim(item);
		if (slice_starts_with(item, SLICE("W/")))
			item = slice_sub(item, 2, item.size);
		if (slice_equal(item, tag) || slice_equal(item, SLICE("*")))
			return true;
	}
	return false;
}

void
request_add_version(struct manage_request *request)
{
	const struct slice tag = tag_of(request);
	request_add_header(request, "ETag", tag);
	if (list_has(request->http->if_none_match, tag))
		request->response->status = 304;
}
