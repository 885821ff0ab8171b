/* SPDX-License-Identifier: MIT */
#include "admin/doctor/requests.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/doctor/web.h"
#include "base/encode.h"
#include "crypto/digest.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/loopback.h"
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

/* Addresses for documentation (RFC 5737), which no proxy has. The second one stands for a stranger's proxy. */
#define STRANGER "203.0.113.77"
#define STRANGERS_PROXY "198.51.100.77"

/* Names addresses in X-Forwarded-For, although this client is not a proxy. The service uses them if it trusts any client, or
 * this one, as a proxy. Trusting this one is right if it has a loopback address, which only programs of this host have.
 * `plain`: the echo of a request that names no address. */
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
	if (!all && (!slice_equal(echo.client, SLICE(STRANGERS_PROXY)) || host_is_loopback(answer.local_address)))
		return;
	DOCTOR_FIND(doctor, "trusted_proxies", "X-Forwarded-For of a client at %.*s made it a client at %.*s",
	    SLICE_ARGS(answer.local_address), SLICE_ARGS(echo.client));
	if (!all)
		doctor_make_warning(doctor); /* this host may be a proxy for others */
	doctor_setting(doctor, "server", "trusted_proxies",
	    plain->forwarded ? plain->peer
	    : all            ? SLICE("")
			     : SLICE("(the addresses of the proxies alone)"));
}

/* A header that arrives but was not sent comes from a proxy. A web server may have replaced the peer's address with the
 * client's own. */
static void
check_proxy(struct doctor *doctor, const struct echo *echo, const struct web_answer *answer)
{
	const char *trusted = doctor->conf == NULL ? "" : doctor->conf->server.trusted_proxies;
	const bool is_own = slice_equal(echo->peer, answer->local_address) && !host_is_loopback(echo->peer);
	if (!echo->forwarded || echo->peer_is_trusted || is_own)
		return;
	DOCTOR_FIND(doctor, "proxy_not_trusted", "a proxy at %.*s added X-Forwarded-For", SLICE_ARGS(echo->peer));
	DOCTOR_SETTING(
	    doctor, "server", "trusted_proxies", "%s%s%.*s", trusted, *trusted == '\0' ? "" : " ", SLICE_ARGS(echo->peer));
}

static void
judge_headers(struct doctor *doctor, const struct echo *echo, struct slice authorization)
{
	if (!slice_equal(echo->version, SLICE(LEADHOOK_VERSION))) {
		DOCTOR_FIND(doctor, "program_version", "the program has version %.*s, this command %s",
		    SLICE_ARGS(echo->version), LEADHOOK_VERSION);
		web_server_start_program(doctor, PROGRAM_RESTART);
	}
	if (!slice_present(echo->authorization) || !slice_equal(echo->authorization, authorization)) {
		DOCTOR_FIND(doctor, "authorization", "the header Authorization %s",
		    slice_present(echo->authorization) ? "arrived with another value" : "did not arrive");
		web_server_lines(doctor, SLICE_NONE);
	}
	if (!slice_present(echo->client)) {
		DOCTOR_FIND(doctor, "client_address", "the web server sent no REMOTE_ADDR");
		web_server_lines(doctor, SLICE_NONE);
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
		web_server_start_program(doctor, PROGRAM_RESTART);
		doctor->probes_fail = true;
		return;
	}
	judge_headers(doctor, &echo, digest_of(doctor->pool, value));
	check_proxy(doctor, &echo, &answer);
	check_forwarded(doctor, &echo);
}

/* Adds a finding about an answer, with the lines that correct it. */
static void
find_answer(struct doctor *doctor, const char *what, const char *request, const struct web_answer *answer)
{
	DOCTOR_FIND(doctor, what, "%s: %.*s", request, SLICE_ARGS(web_describe(doctor->pool, answer)));
	web_server_lines(doctor, SLICE_NONE);
}

/* ---- bodies ---- */

enum { BODY_BYTES = 200 * 1024, SLOW_BYTES = 24 * 1024, SLOW_PARTS = 4, PAUSE_MS = 500 };

static const struct slice plain_body[] = { SLICE("Content-Type: text/plain"), SLICE("Expect:") };

static struct slice
make_body(struct pool *pool, size_t size)
{
	char *bytes = pool_alloc(pool, size);
	memset(bytes, 'x', size);
	return (struct slice){ bytes, size };
}

/* Whether the program answered a request with this body. Only a probe shows whether the whole body arrived; without one, *echo
 * is empty. */
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

/* The detail of the finding begins with `arrived` if the program received only a part of the body, and with `request_text` if
 * it did not answer. */
static void
check_body(struct doctor *doctor, const char *what, struct web_request *request, const char *arrived, const char *request_text)
{
	struct web_answer answer;
	struct echo echo;
	if (body_passes(doctor, request, &answer, &echo))
		return;
	if (!echo.has_come) {
		find_answer(doctor, what, request_text, &answer);
		return;
	}
	DOCTOR_FIND(doctor, what, "%s%" PRIu64 " of %zu bytes arrived", arrived, echo.body_bytes, request->body.size);
	web_server_lines(doctor, SLICE_NONE);
}

/* The parameters of a GET may be in its body (docs/api.md 1.2), which few web servers refuse. */
void
check_bodies(struct doctor *doctor)
{
	const size_t most = doctor->conf == NULL ? BODY_BYTES : doctor->conf->limits.body_bytes;
	const struct slice json = SLICE("Content-Type: application/json");
	struct web_request get = { .method = "GET", .headers = &json, .header_count = 1, .body = SLICE("{}") };
	struct web_request large = { .method = "POST",
		.headers = plain_body,
		.header_count = ARRAY_SIZE(plain_body),
		.body = make_body(doctor->pool, most < BODY_BYTES ? most : BODY_BYTES) };
	check_body(doctor, "body_limit", &large, "", pool_printf(doctor->pool, "a body of %zu bytes", large.body.size).data);
	check_body(doctor, "get_body", &get, "GET with a body: ", "GET with a body");
}

/* A web server that passes a body on as it arrives makes the program wait for its parts. */
void
check_slow_body(struct doctor *doctor)
{
	const uint64_t whole_ms = (uint64_t)PAUSE_MS * (SLOW_PARTS - 1);
	struct web_request request = { .method = "POST",
		.headers = plain_body,
		.header_count = ARRAY_SIZE(plain_body),
		.body = make_body(doctor->pool, SLOW_BYTES),
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
	web_server_lines(doctor, SLICE_NONE);
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
	if (!web_is_of_program(&answer) || !slice_present(web_header(&answer, SLICE("Access-Control-Allow-Methods"))))
		find_answer(doctor, "options", "OPTIONS", &answer);
}

void
check_methods(struct doctor *doctor)
{
	struct web_request request = { .method = "HEAD", .url = web_address(doctor, "/health").data };
	struct web_answer answer;
	check_options(doctor);
	web_send(doctor, &request, &answer);
	if (!web_is_of_program(&answer) || answer.status != 200)
		find_answer(doctor, "head", "HEAD", &answer);
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
	web_server_lines(doctor, SLICE_NONE);
	return false;
}

/* Each of these requests is refused by at least one web server with its file of conf-examples. */
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
	/* Apache on Debian never serves this file */
	struct web_request hidden = { .method = "GET", .url = web_address(doctor, "/.htaccess").data };
	if (judge_error(doctor, "a large body", &large) && judge_error(doctor, "a long X-Forwarded-For", &many))
		(void)judge_error(doctor, "a forbidden file", &hidden);
}

/* ---- access logs of the web server: whether they contain the key in the query of a request ---- */

enum { LOGS_MAX = 20, READ_MAX = 1024 * 1024 };
enum { WAIT_MS = 8000, AFTER_MS = 300, POLL_MS = 100 }; /* lighttpd writes its log every few seconds */

struct log {
	const char *path;
	int fd;
	off_t size; /* before the request */
};

struct logs {
	struct log items[LOGS_MAX];
	size_t count;
};

static const char *
add_log(struct logs *logs, struct pool *pool, const char *path)
{
	struct stat status;
	const int fd = logs->count == LOGS_MAX ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return "it is not a regular file";
	}
	logs->items[logs->count++] = (struct log){ pool_string(pool, slice_of(path)), fd, status.st_size };
	return NULL;
}

/* Adds the logs in the usual folders of web servers on Debian. */
static void
add_usual_logs(struct logs *logs, struct pool *pool)
{
	static const char *const patterns[] = { "/var/log/lighttpd/*.log", "/var/log/apache2/*.log", "/var/log/nginx/*.log" };
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;
		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			(void)add_log(logs, pool, found.gl_pathv[k]);
		globfree(&found);
	}
}

/* What was written to the log since the request; if that is long, its beginning. */
static struct slice
read_new(const struct log *log, char *place)
{
	const ssize_t size = pread(log->fd, place, READ_MAX, log->size);
	return (struct slice){ place, size < 0 ? 0 : (size_t)size };
}

/* Waits until one of the logs contains the path of the request, and a little longer for the others. */
static bool
wait_for(const struct logs *logs, struct slice path, char *place)
{
	int64_t end_ms = clock_monotonic_ms() + WAIT_MS;
	bool seen = false;
	while (clock_monotonic_ms() < end_ms) {
		for (size_t i = 0; i < logs->count && !seen; i++)
			if (slice_contains(read_new(&logs->items[i], place), path)) {
				seen = true;
				end_ms = clock_monotonic_ms() + AFTER_MS;
			}
		fiber_pause(POLL_MS);
	}
	return seen;
}

/* The key is random: the service does not know it. */
static void
send_and_read(struct doctor *doctor, const struct logs *logs)
{
	const struct slice path = random_text(doctor->pool), key = random_text(doctor->pool);
	char *place = pool_bytes(doctor->pool, READ_MAX);
	struct web_answer answer;
	struct web_request request = { .method = "GET",
		.url = pool_printf(doctor->pool, "%.*s/health/%.*s?api_key=%.*s", SLICE_ARGS(doctor->web.url), SLICE_ARGS(path),
		    SLICE_ARGS(key))
			   .data };
	web_send(doctor, &request, &answer);
	if (!wait_for(logs, path, place))
		DOCTOR_SKIP(doctor, "no log that can be read has the request; name the right one with --access-log FILE");
	for (size_t i = 0; i < logs->count; i++) {
		if (!slice_contains(read_new(&logs->items[i], place), key))
			continue;
		DOCTOR_FIND(doctor, "key_in_log", "%s has the query of a request", logs->items[i].path);
		web_server_lines(doctor, slice_of(logs->items[i].path));
	}
}

void
check_access_log(struct doctor *doctor)
{
	struct logs logs = { .count = 0 };
	const char *named = ARGUMENTS(doctor->call, struct doctor_arguments)->access_log;
	const char *problem = named == NULL ? NULL : add_log(&logs, doctor->pool, named);
	if (named == NULL)
		add_usual_logs(&logs, doctor->pool);
	if (logs.count > 0)
		send_and_read(doctor, &logs);
	else if (problem != NULL)
		DOCTOR_SKIP(doctor, "%s: %s", named, problem);
	else
		DOCTOR_SKIP(doctor, "no log of a web server can be read; name it with --access-log FILE");
	for (size_t i = 0; i < logs.count; i++)
		close(logs.items[i].fd);
}
