/* SPDX-License-Identifier: MIT
 * The first line as REQUEST_URI, and the rest as the configured base path (docs/api.md 1, Path). */
#include "base/encode.h"
#include "fuzz.h"
#include "http/request.h"

enum { TARGET_MAX = 64 * 1024 };

static struct slice
get(void *context, const char *name)
{
	return slice_equal(slice_of(name), SLICE("REQUEST_URI")) ? *(struct slice *)context : SLICE_NONE;
}

static bool
read_path(struct pool *pool, struct slice target, struct slice base_path, struct http_request *request)
{
	return http_request_init(request, pool, get, &target, base_path) == RESULT_OK;
}

static void
require_segments(const struct http_request *request)
{
	for (size_t i = 0; i < request->segment_count; i++) {
		struct slice segment = request->segments[i];
		REQUIRE(segment.size > 0 && !slice_equal(segment, SLICE(".")) && !slice_equal(segment, SLICE("..")));
		REQUIRE(slice_find(segment, '/') == segment.size && slice_find(segment, '\0') == segment.size);
	}
}

static void
require_same(const struct http_request *one, const struct http_request *other)
{
	REQUIRE(one->segment_count == other->segment_count);
	for (size_t i = 0; i < one->segment_count; i++)
		REQUIRE(slice_equal(one->segments[i], other->segments[i]));
}

/* The path is the same with every possible byte escaped, with and without empty segments. */
static void
require_again(struct pool *pool, const struct http_request *request)
{
	struct buffer out;
	struct http_request again;
	buffer_init(&out, 4 * TARGET_MAX);
	for (size_t i = 0; i < request->segment_count; i++) {
		buffer_add_text(&out, i == 1 ? "///" : "/");
		encode_percent(&out, request->segments[i]);
	}
	REQUIRE(request->segment_count == 0 || read_path(pool, buffer_slice(&out), SLICE(""), &again));
	if (request->segment_count > 0)
		require_same(request, &again);
	buffer_add_byte(&out, '/');
	REQUIRE(buffer_ok(&out) && read_path(pool, buffer_slice(&out), SLICE("//"), &again));
	require_same(request, &again);
	buffer_free(&out);
}

/* Paths of pages are repaired (http/link_query.h). */
static bool
is_page(const struct http_request *request)
{
	return request->segment_count > 0 &&
	       (slice_equal(request->segments[0], SLICE("c")) || slice_equal(request->segments[0], SLICE("opt-out")));
}

/* Without escapes, the segments are what is between the slashes. */
static void
require_verbatim(struct slice target, const struct http_request *request)
{
	struct slice rest = slice_sub(target, 0, slice_find(target, '?')), text;
	size_t count = 0;
	if (!slice_starts_with(rest, SLICE("/")) || slice_find(rest, '%') < rest.size || is_page(request))
		return;
	while (slice_next(&rest, '/', &text))
		if (text.size > 0)
			REQUIRE(count < request->segment_count && slice_equal(request->segments[count++], text));
	REQUIRE(count == request->segment_count);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool *pool = pool_new();
	struct slice rest = fuzz_input(data, size < TARGET_MAX ? size : TARGET_MAX), target = fuzz_line(&rest);
	struct http_request whole, below;
	bool is_path = read_path(pool, target, SLICE(""), &whole);
	bool is_below = read_path(pool, target, rest, &below);
	require_segments(&whole);
	require_segments(&below);
	REQUIRE(is_path || (whole.segment_count == 0 && !is_below));
	REQUIRE(is_below || below.segment_count == 0);
	if (!is_page(&below) && !is_page(&whole)) {
		REQUIRE(below.segment_count <= whole.segment_count);
		for (size_t i = 1; i <= below.segment_count; i++)
			REQUIRE(slice_equal(below.segments[below.segment_count - i], whole.segments[whole.segment_count - i]));
	}
	if (is_path) {
		require_again(pool, &whole);
		require_verbatim(target, &whole);
	}
	pool_free(&pool);
	return 0;
}
