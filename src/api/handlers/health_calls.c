/* SPDX-License-Identifier: MIT */
#include "api/handlers/health_calls.h"

#include "api/call/call_answers.h"
#include "base/encode.h"
#include "identity/network.h"
#include "os/clock.h"
#include "os/metrics_page.h"
#include "watch/watch.h"

void
handle_health(struct call *call)
{
	call_answer(call, SLICE("{\"status\":\"ok\"}"));
}

/* With another schema version, just as without a database, no call can be served. */
void
handle_ready(struct call *call)
{
	enum { READY_MS = 2000 };
	const struct api_backend *backend = call->api->backend;
	if (!call_may_wait(call, WAIT_READ))
		return;
	if (backend->ready(backend->context, call->request->pool, clock_monotonic_ms() + READY_MS) == RESULT_OK)
		handle_health(call);
	else
		call_fail(call, FAILURE_UNAVAILABLE);
}

/* Writes a text as its digest, which is enough: secrets and bodies are not repeated. */
static void
put_digest(struct json_writer *writer, struct pool *pool, struct slice name, struct slice text)
{
	const struct digest digest = digest_sha256(&text, 1);
	json_put_text(writer, name, slice_present(text) ? encode_hex(pool, digest_slice(&digest)) : SLICE_NONE);
}

/* `address` is NULL if it is unknown. */
static void
put_address(struct json_writer *writer, struct pool *pool, struct slice name, const struct ip_address *address)
{
	json_put_text(writer, name, ip_address_format(pool, address));
}

/* The answer contains only the caller's own request. */
void
handle_echo(struct call *call)
{
	const struct http_request *request = call->request;
	const int64_t arrived_ms = request->arrived_ms == 0 ? call->begun_ms : request->arrived_ms;
	const struct network_list *trusted = call->api->options->trusted_proxies;
	const struct network_list nothing = { .count = 0 };
	struct ip_address peer;
	const bool has_peer = client_address(request->remote_addr, SLICE_NONE, &nothing, &peer);
	struct json_writer writer = call_begin(call);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("version"), SLICE(LEADHOOK_VERSION));
	put_address(&writer, request->pool, SLICE("peer"), has_peer ? &peer : NULL);
	json_put_boolean(&writer, SLICE("peer_is_trusted"), has_peer && network_list_contains(trusted, &peer));
	put_address(&writer, request->pool, SLICE("client"), call_client(call));
	json_put_boolean(&writer, SLICE("forwarded"), slice_present(request->forwarded_for));
	put_digest(&writer, request->pool, SLICE("authorization"), request->authorization);
	json_put_u64(&writer, SLICE("body_bytes"), request->body.size);
	put_digest(&writer, request->pool, SLICE("body"), request->body);
	json_put_i64(&writer, SLICE("body_ms"), call->begun_ms - arrived_ms);
	json_end_object(&writer);
}

void
handle_metrics(struct call *call)
{
	enum { DATABASE_MS = 3000 }; /* a scraper waits for ten seconds */
	const struct api_options *options = call->api->options;
	struct pool *pool = call->request->pool;
	size_t count;
	const struct metric_route *routes = route_names(pool, &count);
	struct metrics_page *page = metrics_page_new(pool, routes, count);
	store_set_deadline(call->api->store, call->begun_ms + DATABASE_MS);
	watch_add_shared_database(page, pool, call->api->store);
	watch_add_limiter(page, options->limiter);
	watch_add_filesystems(page, options->metrics.state_dir, options->metrics.log_file);
	metrics_page_add_counts(page); /* last, to include the errors of the functions above */
	buffer_clear(&call->response->body);
	call->response->content = HTTP_METRICS;
	metrics_page_write(page, &call->response->body);
}
