/* SPDX-License-Identifier: MIT */
#include "deliver/send/web_client.h"

#include <curl/curl.h>
#include <string.h>

#include "base/buffer.h"
#include "base/panic.h"
#include "os/clock.h"
#include "os/fiber.h"

enum { BODY_MAX = 64 * 1024, HEADERS_MAX = 64 * 1024 };

struct client {
	const struct web_request *request;
	size_t sent;   /* bytes of the body so far */
	unsigned part; /* the part being sent */
	struct buffer headers, body;
	char error_text[CURL_ERROR_SIZE];
};

/* A part may be larger than libcurl's buffer, so the pause comes only before its first byte. */
static size_t
give_body(char *place, size_t size, size_t count, void *context)
{
	struct client *client = context;
	const struct web_request *request = client->request;
	const size_t whole = request->body.size, end = whole * (client->part + 1) / request->parts;
	if (client->sent == end && client->part + 1 < request->parts) {
		fiber_pause(request->pause_ms);
		client->part++;
		return give_body(place, size, count, context);
	}
	const size_t left = end - client->sent, room = size * count, bytes = left < room ? left : room;
	memcpy(place, request->body.data + client->sent, bytes);
	client->sent += bytes;
	return bytes;
}

/* Drops all lines before the last status line: those of interim responses. */
static size_t
take_header(char *line, size_t size, size_t count, void *context)
{
	struct client *client = context;
	if (slice_starts_with((struct slice){ line, size * count }, SLICE("HTTP/")))
		buffer_clear(&client->headers);
	buffer_add(&client->headers, (struct slice){ line, size * count });
	return size * count;
}

static size_t
take_body(char *bytes, size_t size, size_t count, void *context)
{
	struct client *client = context;
	if (client->body.size + size * count <= BODY_MAX)
		buffer_add(&client->body, (struct slice){ bytes, size * count });
	return size * count;
}

#define SET(option, value) (curl_easy_setopt(curl, (option), (value)) == CURLE_OK)

static bool
set_request(CURL *curl, struct client *client, const struct curl_slist *lines)
{
	const struct web_request *request = client->request;
	bool good = SET(CURLOPT_URL, request->url) && SET(CURLOPT_PROTOCOLS_STR, "http,https") && SET(CURLOPT_PROXY, "") &&
		    SET(CURLOPT_NOSIGNAL, 1L) && SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
		    SET(CURLOPT_TIMEOUT_MS, (long)request->timeout_ms) && SET(CURLOPT_USERAGENT, request->user_agent) &&
		    SET(CURLOPT_HTTPHEADER, lines) && SET(CURLOPT_ERRORBUFFER, client->error_text) &&
		    SET(CURLOPT_HEADERFUNCTION, take_header) && SET(CURLOPT_HEADERDATA, client) &&
		    SET(CURLOPT_WRITEFUNCTION, take_body) && SET(CURLOPT_WRITEDATA, client);
	if (good && request->ca_file != NULL)
		good = SET(CURLOPT_CAINFO, request->ca_file) && SET(CURLOPT_CAPATH, NULL);
	if (good && slice_present(request->body))
		good = SET(CURLOPT_POST, 1L) && SET(CURLOPT_READFUNCTION, give_body) && SET(CURLOPT_READDATA, client) &&
		       SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.size);
	if (good && strcmp(request->method, "HEAD") == 0)
		return SET(CURLOPT_NOBODY, 1L);
	return good && SET(CURLOPT_CUSTOMREQUEST, request->method);
}

static struct slice
text_of(CURL *curl, struct pool *pool, CURLINFO info)
{
	char *text = NULL;
	if (curl_easy_getinfo(curl, info, &text) != CURLE_OK || text == NULL || *text == '\0')
		return SLICE_NONE;
	return pool_copy(pool, slice_of(text));
}

static void
perform(CURL *curl, struct client *client, struct pool *pool, struct web_answer *answer)
{
	const int64_t begun_ms = clock_monotonic_ms();
	const CURLcode code = curl_easy_perform(curl);
	long status = 0;
	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	*answer = (struct web_answer){ .is_untrusted = code == CURLE_PEER_FAILED_VERIFICATION,
		.status = (int)status,
		.headers = pool_copy(pool, buffer_slice(&client->headers)),
		.body = pool_copy(pool, buffer_slice(&client->body)),
		.local_address = text_of(curl, pool, CURLINFO_LOCAL_IP),
		.duration_ms = clock_monotonic_ms() - begun_ms };
	if (code != CURLE_OK)
		answer->error =
		    pool_copy(pool, slice_of(client->error_text[0] == '\0' ? curl_easy_strerror(code) : client->error_text));
}

void
web_client_send(struct pool *pool, const struct web_request *request, struct web_answer *answer)
{
	struct client client = { .request = request };
	struct curl_slist *lines = POOL_ARRAY(pool, request->header_count + 1, struct curl_slist);
	for (size_t i = 0; i < request->header_count; i++)
		lines[i] = (struct curl_slist){ .data = pool_string(pool, request->headers[i]),
			.next = i + 1 == request->header_count ? NULL : &lines[i + 1] };
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		memory_exhausted();
	buffer_init(&client.headers, HEADERS_MAX);
	buffer_init(&client.body, BODY_MAX);
	if (set_request(curl, &client, request->header_count == 0 ? NULL : lines))
		perform(curl, &client, pool, answer);
	else
		*answer = (struct web_answer){ .error = SLICE("libcurl lacks an option") };
	buffer_free(&client.headers);
	buffer_free(&client.body);
	curl_easy_cleanup(curl);
}

struct slice
web_client_ca_file(struct pool *pool)
{
	CURL *curl = curl_easy_init();
	if (curl == NULL)
		memory_exhausted();
	const struct slice file = text_of(curl, pool, CURLINFO_CAINFO);
	curl_easy_cleanup(curl);
	return file;
}
