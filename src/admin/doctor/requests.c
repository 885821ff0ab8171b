/* SPDX-License-Identifier: MIT
 * Requests through the web server, and what arrives of them at the program. */
#include <inttypes.h>
#include <string.h>

#include "admin/doctor/doctor.h"
#include "base/encode.h"
#include "crypto/digest.h"
#include "os/random.h"

static struct slice
digest_of(struct pool *pool, struct slice text)
{
	const struct digest digest = digest_sha256(&text, 1);
	return encode_hex(pool, digest_slice(&digest));
}

static struct slice
random_text(struct pool *pool)
{
	char bytes[16];
	random_bytes(bytes, sizeof(bytes));
	return encode_hex(pool, (struct slice){ bytes, sizeof(bytes) });
}

/* ---- headers and the address ---- */

/* The addresses of the documents (RFC 5737): no proxy has one. The second is what a proxy of a stranger would be. */
#define STRANGER "203.0.113.77"
#define STRANGERS_PROXY "198.51.100.77"

static bool
is_loopback(struct slice address)
{
	return slice_starts_with(address, SLICE("127.")) || slice_equal(address, SLICE("::1"));
}

/* This client is no proxy, and names an address. It counts where the address of a stranger is one of a trusted proxy, or its
 * own is: by loopback only programs of this host have that one. `plain`: of a request that names no address. */
static void
check_forwarded(struct doctor *doctor, const struct echo *plain)
{
	const struct slice header = SLICE("X-Forwarded-For: " STRANGER ", " STRANGERS_PROXY);
	struct web_request request = { .method = "GET", .headers = &header, .header_count = 1 };
	struct web_answer answer;
	struct echo echo;
	if (!web_probe(doctor, &request, &answer, &echo))
		return;
	const bool all = slice_equal(echo.client, SLICE(STRANGER));
	if (!all && (!slice_equal(echo.client, SLICE(STRANGERS_PROXY)) || is_loopback(answer.local_address)))
		return;
	DOCTOR_FIND(doctor, "trusted_proxies", "X-Forwarded-For of a client at %.*s made it a client at %.*s",
	    SLICE_ARGS(answer.local_address), SLICE_ARGS(echo.client));
	if (!all)
		doctor_weaken(doctor); /* this host may be a proxy for others */
	doctor_setting(doctor, "server", "trusted_proxies",
	    plain->forwarded ? plain->peer
	    : all            ? SLICE("")
			     : SLICE("(the addresses of the proxies alone)"));
}

/* What was not sent and arrives comes from a proxy. A web server may have replaced the address by that of the client itself. */
static void
check_proxy(struct doctor *doctor, const struct echo *echo, const struct web_answer *answer)
{
	const char *trusted = doctor->conf == NULL ? "" : doctor->conf->server.trusted_proxies;
	const bool is_own = slice_equal(echo->peer, answer->local_address) && !is_loopback(echo->peer);
	if (!echo->forwarded || echo->peer_is_trusted || is_own)
		return;
	DOCTOR_FIND(doctor, "proxy_not_trusted", "a proxy at %.*s added X-Forwarded-For", SLICE_ARGS(echo->peer));
	doctor_setting(doctor, "server", "trusted_proxies",
	    pool_printf(doctor->pool, "%s%s%.*s", trusted, *trusted == '\0' ? "" : " ", SLICE_ARGS(echo->peer)));
}

static void
judge_headers(struct doctor *doctor, const struct echo *echo, struct slice authorization)
{
	if (!slice_equal(echo->version, SLICE(LEADHOOK_VERSION))) {
		DOCTOR_FIND(doctor, "program_version", "the program has version %.*s, this command %s",
		    SLICE_ARGS(echo->version), LEADHOOK_VERSION);
		web_server_start_program(doctor, true);
	}
	if (!slice_present(echo->authorization) || !slice_equal(echo->authorization, authorization)) {
		DOCTOR_FIND(doctor, "authorization", "the header Authorization %s",
		    slice_present(echo->authorization) ? "arrived with another value" : "did not arrive");
		web_server_lines(doctor, "authorization", SLICE_NONE);
	}
	if (!slice_present(echo->client)) {
		DOCTOR_FIND(doctor, "client_address", "the web server sent no REMOTE_ADDR");
		web_server_lines(doctor, "client_address", SLICE_NONE);
	}
}

void
check_headers(struct doctor *doctor)
{
	const struct slice value = pool_printf(doctor->pool, "Bearer %.*s", SLICE_ARGS(random_text(doctor->pool)));
	const struct slice header = pool_printf(doctor->pool, "Authorization: %.*s", SLICE_ARGS(value));
	struct web_request request = { .method = "GET", .headers = &header, .header_count = 1 };
	struct web_answer answer;
	struct echo echo;
	if (!web_probe(doctor, &request, &answer, &echo)) {
		DOCTOR_FIND(doctor, "probe_refused", "%.*s", SLICE_ARGS(web_describe(doctor->pool, &answer)));
		web_server_start_program(doctor, true);
		doctor->probes_fail = true;
		return;
	}
	judge_headers(doctor, &echo, digest_of(doctor->pool, value));
	check_proxy(doctor, &echo, &answer);
	check_forwarded(doctor, &echo);
}

/* ---- bodies ---- */

enum { BODY_BYTES = 200 * 1024, SLOW_BYTES = 24 * 1024, SLOW_PARTS = 4, PAUSE_MS = 500 };

static struct slice
make_body(struct pool *pool, size_t size)
{
	char *bytes = pool_alloc(pool, size);
	memset(bytes, 'x', size);
	return (struct slice){ bytes, size };
}

/* Whether the program has answered a request with this body. Only a probe shows whether all of the body has arrived; otherwise
 * *echo is empty. */
static bool
body_passes(struct doctor *doctor, struct web_request *request, struct web_answer *answer, struct echo *echo)
{
	if (web_can_probe(doctor))
		return web_probe(doctor, request, answer, echo) && echo->body_bytes == request->body.size &&
		       slice_equal(echo->body, digest_of(doctor->pool, request->body));
	*echo = (struct echo){ .has_come = false };
	request->url = web_address(doctor, "/health").data;
	web_send(doctor, request, answer);
	return web_is_of_program(answer);
}

static void
check_large_body(struct doctor *doctor)
{
	const size_t most = doctor->conf == NULL ? BODY_BYTES : doctor->conf->limits.body_bytes;
	const struct slice body = make_body(doctor->pool, most < BODY_BYTES ? most : BODY_BYTES);
	const struct slice headers[] = { SLICE("Content-Type: text/plain"), SLICE("Expect:") };
	struct web_request request = {
		.method = "POST", .headers = headers, .header_count = ARRAY_SIZE(headers), .body = body
	};
	struct web_answer answer;
	struct echo echo;
	if (body_passes(doctor, &request, &answer, &echo))
		return;
	if (echo.has_come)
		DOCTOR_FIND(doctor, "body_limit", "%" PRIu64 " of %zu bytes arrived", echo.body_bytes, body.size);
	else
		DOCTOR_FIND(doctor, "body_limit", "a body of %zu bytes: %.*s", body.size,
		    SLICE_ARGS(web_describe(doctor->pool, &answer)));
	web_server_lines(doctor, "body_limit", SLICE_NONE);
}

/* docs/api.md 1.2: parameters of a GET may be in its body, which few web servers refuse. */
static void
check_get_body(struct doctor *doctor)
{
	const struct slice header = SLICE("Content-Type: application/json");
	struct web_request request = { .method = "GET", .headers = &header, .header_count = 1, .body = SLICE("{}") };
	struct web_answer answer;
	struct echo echo;
	if (body_passes(doctor, &request, &answer, &echo))
		return;
	if (echo.has_come)
		DOCTOR_FIND(doctor, "get_body", "GET with a body: %" PRIu64 " of %zu bytes arrived", echo.body_bytes,
		    request.body.size);
	else
		DOCTOR_FIND(doctor, "get_body", "GET with a body: %.*s", SLICE_ARGS(web_describe(doctor->pool, &answer)));
	web_server_lines(doctor, "get_body", SLICE_NONE);
}

void
check_bodies(struct doctor *doctor)
{
	check_large_body(doctor);
	check_get_body(doctor);
}

/* A web server that passes a body on as it arrives makes the program wait for its parts. */
void
check_slow_body(struct doctor *doctor)
{
	const struct slice body = make_body(doctor->pool, SLOW_BYTES);
	const struct slice headers[] = { SLICE("Content-Type: text/plain"), SLICE("Expect:") };
	const uint64_t whole_ms = (uint64_t)PAUSE_MS * (SLOW_PARTS - 1);
	struct web_request request = { .method = "POST",
		.headers = headers,
		.header_count = ARRAY_SIZE(headers),
		.body = body,
		.parts = SLOW_PARTS,
		.pause_ms = PAUSE_MS };
	struct web_answer answer;
	struct echo echo;
	if (!web_probe(doctor, &request, &answer, &echo)) {
		DOCTOR_SKIP(doctor, "a slow body: %.*s", SLICE_ARGS(web_describe(doctor->pool, &answer)));
		return;
	}
	if (echo.body_ms * 4 < whole_ms * 3)
		return;
	DOCTOR_FIND(doctor, "unbuffered_body", "the program waited %" PRIu64 " ms for a body that was sent in %" PRIu64 " ms",
	    echo.body_ms, whole_ms);
	web_server_lines(doctor, "unbuffered_body", SLICE_NONE);
}

/* ---- methods ---- */

static void
check_options(struct doctor *doctor)
{
	const struct slice headers[] = { SLICE("Origin: https://example.org"), SLICE("Access-Control-Request-Method: POST"),
		SLICE("Access-Control-Request-Headers: authorization") };
	struct web_request request = { .method = "OPTIONS",
		.url = web_address(doctor, "/v2/1").data,
		.headers = headers,
		.header_count = ARRAY_SIZE(headers) };
	struct web_answer answer;
	web_send(doctor, &request, &answer);
	if (web_is_of_program(&answer) && slice_present(web_header(&answer, SLICE("Access-Control-Allow-Methods"))))
		return;
	DOCTOR_FIND(doctor, "options", "OPTIONS: %.*s", SLICE_ARGS(web_describe(doctor->pool, &answer)));
	web_server_lines(doctor, "options", SLICE_NONE);
}

void
check_methods(struct doctor *doctor)
{
	struct web_request request = { .method = "HEAD", .url = web_address(doctor, "/health").data };
	struct web_answer answer;
	check_options(doctor);
	web_send(doctor, &request, &answer);
	if (web_is_of_program(&answer) && answer.status == 200)
		return;
	DOCTOR_FIND(doctor, "head", "HEAD: %.*s", SLICE_ARGS(web_describe(doctor->pool, &answer)));
	web_server_lines(doctor, "head", SLICE_NONE);
}

/* ---- errors ---- */

enum { LARGE_BYTES = 3 * 1024 * 1024, LONG_BYTES = 9000 };

/* Answers of the web server itself need the header that lets scripts of other sites read them. */
static bool
judge_error(struct doctor *doctor, const char *of, struct web_request *request)
{
	struct web_answer answer;
	web_send(doctor, request, &answer);
	if (slice_present(answer.error) || answer.status < 400 ||
	    slice_present(web_header(&answer, SLICE("Access-Control-Allow-Origin"))))
		return true;
	DOCTOR_FIND(doctor, "error_cors", "%s: %.*s without Access-Control-Allow-Origin", of,
	    SLICE_ARGS(web_describe(doctor->pool, &answer)));
	web_server_lines(doctor, "error_cors", SLICE_NONE);
	return false;
}

/* Each of these is refused by one or the other web server with its file of conf-examples. */
void
check_errors(struct doctor *doctor)
{
	const struct slice type = SLICE("Content-Type: text/plain");
	const struct slice addresses = pool_printf(doctor->pool, "X-Forwarded-For: %0*d", LONG_BYTES, 0);
	struct web_request large = { .method = "POST",
		.url = web_address(doctor, "/health").data,
		.headers = &type,
		.header_count = 1,
		.body = make_body(doctor->pool, LARGE_BYTES) };
	struct web_request many = {
		.method = "GET", .url = web_address(doctor, "/health").data, .headers = &addresses, .header_count = 1
	};
	/* Apache on Debian never serves it */
	struct web_request hidden = { .method = "GET", .url = web_address(doctor, "/.htaccess").data };
	if (judge_error(doctor, "a large body", &large) && judge_error(doctor, "a long X-Forwarded-For", &many))
		(void)judge_error(doctor, "a forbidden file", &hidden);
}
