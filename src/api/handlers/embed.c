/* SPDX-License-Identifier: MIT
 * The script for pages (docs/embedding.md). It needs no database. */
#include "api/call.h"

#include "api/embed.h"
#include "base/encode.h"
#include "crypto/digest.h"

enum { VERSION_BYTES = 16 };

/* The entity tag without its quotes. */
static struct slice
version_of(struct pool *pool, struct slice script)
{
	const struct digest digest = digest_sha256(&script, 1);
	return encode_hex(pool, slice_sub(digest_slice(&digest), 0, VERSION_BYTES));
}

/* Any tag of the list may be weak, or have a suffix: web servers that compress the answer change it. */
static bool
has_version(struct slice tags, struct slice version)
{
	return slice_present(tags) && memmem(tags.data, tags.size, version.data, version.size) != NULL;
}

void
handle_embed_script(struct call *call)
{
	struct http_response *response = call->response;
	const struct slice script = { embed_script, embed_script_size };
	const struct slice version = version_of(call->request->pool, script);
	response->content = HTTP_JAVASCRIPT;
	response->is_public = true;
	if (!http_response_header(response, "ETag", pool_printf(call->request->pool, "\"%.*s\"", SLICE_ARGS(version))))
		log_error("header_refused", LOG_STR("name", "ETag"));
	if (has_version(call->request->if_none_match, version))
		response->status = 304;
	else
		buffer_add(&response->body, script);
}
