/* SPDX-License-Identifier: MIT
 * The route of `leadhook doctor`, which learns from it what of its request arrives at the program (docs/api.md 4.1). For all
 * other callers the path is unknown. The answer has nothing but the caller's own request. */
#include "api/fetch.h"
#include "base/encode.h"
#include "identity/client_address.h"
#include "identity/probe_token.h"
#include "os/clock.h"

enum { TOKEN_SEGMENT = 2 };

/* Callers without a genuine token get the same answer whatever fails. No limit of their address applies, because none does to
 * unknown paths: the secret is read once for each process, and not while the database is slow. */
enum failure
call_check_probe(struct call *call)
{
	const struct slice token = call->request->segments[TOKEN_SEGMENT];
	const struct payload_settings *settings;
	if (!probe_token_is_current(token, clock_wall_ms()))
		return FAILURE_NOT_FOUND;
	if (call_would_wait(call, WAIT_READ))
		return FAILURE_NOT_FOUND;
	if (store_payload_settings(call->api->store, &settings) != RESULT_OK) {
		call->hides_failure = true;
		return FAILURE_NOT_FOUND;
	}
	return probe_token_is_genuine(token, settings->server_secret) ? FAILURE_NONE : FAILURE_NOT_FOUND;
}

/* Secrets and bodies are not repeated: their digests are enough. */
static void
put_digest(struct json_writer *writer, struct pool *pool, struct slice name, struct slice text)
{
	const struct digest digest = digest_sha256(&text, 1);
	json_put_text(writer, name, slice_present(text) ? encode_hex(pool, digest_slice(&digest)) : SLICE_NONE);
}

/* NULL: there is none. */
static void
put_address(struct json_writer *writer, struct pool *pool, struct slice name, const struct ip_address *address)
{
	json_put_text(writer, name, ip_address_format(pool, address));
}

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
	put_address(&writer, request->pool, SLICE("client"), call->has_client ? &call->client : NULL);
	json_put_boolean(&writer, SLICE("forwarded"), slice_present(request->forwarded_for));
	put_digest(&writer, request->pool, SLICE("authorization"), request->authorization);
	json_put_u64(&writer, SLICE("body_bytes"), request->body.size);
	put_digest(&writer, request->pool, SLICE("body"), request->body);
	json_put_i64(&writer, SLICE("body_ms"), call->begun_ms - arrived_ms);
	json_end_object(&writer);
}
