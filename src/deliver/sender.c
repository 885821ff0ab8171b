/* SPDX-License-Identifier: MIT */
#include "deliver/sender.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/panic.h"
#include "base/pool.h"
#include "deliver/sender_error.h"

enum {
	CONNECTION_LIFETIME_S = 300, /* the name is not resolved again for a reused connection (docs/deliveries.md 5) */
	CA_LIFETIME_S = 300,         /* after that a CA file is read again */
	STALL_MS = 100,              /* a later return from the wait is a stall */
	EXTENDED_WAIT_MS = 100,      /* libcurl has no timer for the extension */
	WATCH_AFTER_MS = 500,        /* the received bytes of an attempt that takes longer are counted … */
	WATCHED_MAX = 1024 * 1024,   /* … up to this limit */
	HEADER_LINE_MAX = 1024
};

/* One slot. Its handle is reused; options that are the same for all attempts are set once. */
struct transfer {
	CURL *easy;
	struct sender *sender;
	void *cookie;
	struct curl_slist *headers;
	int64_t started_ms;
	int64_t extension_ms;    /* extension of its time limit */
	enum sender_error error; /* set by our callbacks before libcurl reports an error */
	bool failed;             /* to be ended without waiting for libcurl */
	bool watched;
	bool own_certificates; /* the handle has those of its last attempt */
	bool head_ended;       /* the empty line was received */
	size_t headers_read, body_read, stored;
	size_t watched_bytes; /* of the body, before decoding of chunks */
	char answer[SENDER_ANSWER_STORED];
	char error_text[CURL_ERROR_SIZE]; /* libcurl's error message */
	TAILQ_ENTRY(transfer) list;
};

TAILQ_HEAD(transfers, transfer);

struct sender {
	struct sender_options options;
	sender_done *done;
	void *context;
	CURLM *multi;
	CURLSH *share;
	const char *ca_file, *ca_folder; /* for attempts without a CA file of their own */
	int64_t expected_ms;             /* when libcurl's next timeout is due */
	bool extended;                   /* a transfer that may be under way got an extension */
	struct transfer *slots;
	struct transfers unused, running, failed;
	pthread_t owner; /* the only thread that uses it */
	bool reporting;  /* `done` is running */
};

/* Ends a transfer after libcurl has returned: a callback must not remove a handle from the multi. */
static void
fail_transfer(struct transfer *transfer, enum sender_error error)
{
	if (transfer->error == SENDER_OK)
		transfer->error = error;
	if (transfer->failed)
		return;
	transfer->failed = true;
	TAILQ_REMOVE(&transfer->sender->running, transfer, list);
	TAILQ_INSERT_TAIL(&transfer->sender->failed, transfer, list);
}

/* CURLOPT_OPENSOCKETFUNCTION: checks each resolved address before the connection. A forbidden address fails the whole attempt;
 * otherwise libcurl would try the next address. */
static curl_socket_t
open_socket(void *context, curlsocktype purpose UNUSED, struct curl_sockaddr *address)
{
	struct transfer *transfer = context;
	if (transfer->error != SENDER_OK)
		return CURL_SOCKET_BAD;
	if (!address_allowed(transfer->sender->options.rules, &address->addr)) {
		fail_transfer(transfer, SENDER_FORBIDDEN_ADDRESS);
		return CURL_SOCKET_BAD;
	}
	const int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
		fail_transfer(transfer, SENDER_INTERNAL); /* not the receiver's fault */
	return fd;
}

/* libcurl reports the peer of a connection as text. */
static bool
parse_peer(const char *ip, int port, struct sockaddr_storage *peer)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)peer;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)peer;
	*peer = (struct sockaddr_storage){ .ss_family = AF_INET };
	v4->sin_port = htons((uint16_t)port);
	if (inet_pton(AF_INET, ip, &v4->sin_addr) == 1)
		return true;
	*peer = (struct sockaddr_storage){ .ss_family = AF_INET6 };
	v6->sin6_port = htons((uint16_t)port);
	return inet_pton(AF_INET6, ip, &v6->sin6_addr) == 1;
}

/* CURLOPT_PREREQFUNCTION: runs before a request is sent, including on a reused connection, for which no socket is opened. */
static int
before_request(void *context, char *ip, char *own_ip UNUSED, int port, int own_port UNUSED)
{
	struct transfer *transfer = context;
	struct sockaddr_storage peer;
	if (!parse_peer(ip, port, &peer) || !address_allowed(transfer->sender->options.rules, (const struct sockaddr *)&peer))
		fail_transfer(transfer, SENDER_FORBIDDEN_ADDRESS);
	return transfer->error == SENDER_OK ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* The status of the final response, not of an interim one (1xx); 0 when none was received. */
static int
status_of(const struct transfer *transfer)
{
	long status = 0;
	if (transfer->headers_read > 0 && curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK)
		return 0;
	return status < 200 ? 0 : (int)status;
}

/* No encoding other than chunked was requested. libcurl would decode others, layer by layer and without checking its timeouts:
 * a few kilobytes could keep it busy for hours. */
static bool
is_encoded(struct slice line)
{
	struct slice name;
	return slice_next(&line, ':', &name) && slice_equal_nocase(slice_trim(name), SLICE("Transfer-Encoding")) &&
	       !slice_equal_nocase(slice_trim(line), SLICE("chunked"));
}

/* Called for each line, including those of interim responses and of trailers. */
static size_t
read_header(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	transfer->headers_read += size * count;
	if ((data[0] == '\r' || data[0] == '\n') && status_of(transfer) != 0)
		transfer->head_ended = true;
	if (is_encoded((struct slice){ data, size * count }))
		return 0;
	return transfer->headers_read <= SENDER_HEADERS_READ ? size * count : 0;
}

static size_t
read_body(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t bytes = size * count, room = SENDER_ANSWER_STORED - transfer->stored;
	size_t bytes_stored = bytes < room ? bytes : room;
	memcpy(transfer->answer + transfer->stored, data, bytes_stored);
	transfer->stored += bytes_stored;
	transfer->body_read += bytes;
	return transfer->body_read < SENDER_ANSWER_READ ? bytes : 0;
}

/* CURLOPT_DEBUGFUNCTION, while watched: gets the body before the chunks are decoded. Chunk framing has no size limit, and the
 * other callbacks do not get it. */
static int
count_bytes(CURL *easy UNUSED, curl_infotype type, char *data UNUSED, size_t size, void *context)
{
	struct transfer *transfer = context;
	if (type == CURLINFO_DATA_IN)
		transfer->watched_bytes += size;
	if (transfer->watched_bytes > WATCHED_MAX)
		fail_transfer(transfer, SENDER_BAD_ANSWER);
	return 0;
}

/* Sets an option unless an earlier one failed. */
#define SET(option, value)    \
	if (code == CURLE_OK) \
	code = curl_easy_setopt(transfer->easy, (option), (value))

/* Sets the CAs for attempts without a CA file of their own: those of the options, or libcurl's default, which setting an option
 * to NULL would not restore. In the default the folder has the same CAs as the file. Reading them takes tens of milliseconds,
 * and libcurl caches only a file without a folder. */
static CURLcode
find_authorities(struct sender *sender, CURL *easy)
{
	char *file = NULL, *folder = NULL;
	sender->ca_file = sender->options.ca_file;
	if (sender->ca_file != NULL)
		return CURLE_OK;
	CURLcode code = curl_easy_getinfo(easy, CURLINFO_CAINFO, &file);
	if (code == CURLE_OK && file != NULL && access(file, R_OK) == 0)
		sender->ca_file = file;
	else if (code == CURLE_OK)
		code = curl_easy_getinfo(easy, CURLINFO_CAPATH, &folder);
	sender->ca_folder = folder;
	return code;
}

/* libcurl reuses a connection only when the names of CA file and client certificate match. A TLS session does not depend on
 * these names: a resumed session is not verified again, and the receiver sees the previous client certificate. */
static CURLcode
set_certificates(struct transfer *transfer, const struct attempt *attempt)
{
	const struct sender *sender = transfer->sender;
	const bool own_ca = attempt->ca_file != NULL, own_client = attempt->client_certificate != NULL;
	CURLcode code = CURLE_OK;
	if (!own_ca && !own_client && !transfer->own_certificates)
		return CURLE_OK;
	transfer->own_certificates = true;
	SET(CURLOPT_CAINFO, own_ca ? attempt->ca_file : sender->ca_file);
	SET(CURLOPT_CAPATH, own_ca ? NULL : sender->ca_folder);
	SET(CURLOPT_CA_CACHE_TIMEOUT, own_ca ? 0L : (long)CA_LIFETIME_S); /* the cache has room for one */
	SET(CURLOPT_SSLCERT, attempt->client_certificate);
	SET(CURLOPT_SSLKEY, attempt->client_key);
	SET(CURLOPT_SSL_SESSIONID_CACHE, own_ca || own_client ? 0L : 1L);
	if (code == CURLE_OK)
		transfer->own_certificates = own_ca || own_client;
	return code;
}

/* libcurl checks its timeouts before it reads. */
static CURLcode
set_times(struct transfer *transfer)
{
	const struct sender_options *options = &transfer->sender->options;
	CURLcode code = CURLE_OK;
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(options->connect_timeout_ms + transfer->extension_ms));
	SET(CURLOPT_TIMEOUT_MS, (long)(options->timeout_ms + transfer->extension_ms));
	return code;
}

/* Sets the options that are the same for every attempt. libcurl returns an error for an option that it was built without. */
static bool
configure(struct transfer *transfer)
{
	const struct sender_options *options = &transfer->sender->options;
	CURLcode code = find_authorities(transfer->sender, transfer->easy);
	if (code == CURLE_OK)
		code = set_times(transfer);
	SET(CURLOPT_PRIVATE, transfer);
	SET(CURLOPT_SHARE, transfer->sender->share);
	/* Timeouts. */
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_QUICK_EXIT, 1L); /* otherwise the end of an attempt waits for a resolver that hangs */
	SET(CURLOPT_MAXLIFETIME_CONN, (long)CONNECTION_LIFETIME_S);
	SET(CURLOPT_TCP_KEEPALIVE, 0L);
	/* Destination. */
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_PROXY, ""); /* not from the environment either */
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, transfer);
	SET(CURLOPT_PREREQFUNCTION, before_request);
	SET(CURLOPT_PREREQDATA, transfer);
	/* TLS. */
	SET(CURLOPT_SSL_VERIFYPEER, 1L);
	SET(CURLOPT_SSL_VERIFYHOST, 2L);
	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_CAINFO, transfer->sender->ca_file);
	SET(CURLOPT_CAPATH, transfer->sender->ca_folder);
	SET(CURLOPT_CA_CACHE_TIMEOUT, (long)CA_LIFETIME_S);
	SET(CURLOPT_KEYPASSWD, ""); /* otherwise libcurl prompts for it on the terminal */
	/* The request. */
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_POST, 1L);
	SET(CURLOPT_USERAGENT, options->user_agent);
	/* The response; no Accept-Encoding, so that it is not decompressed. */
	SET(CURLOPT_HEADERFUNCTION, read_header);
	SET(CURLOPT_HEADERDATA, transfer);
	SET(CURLOPT_WRITEFUNCTION, read_body);
	SET(CURLOPT_WRITEDATA, transfer);
	SET(CURLOPT_DEBUGFUNCTION, count_bytes);
	SET(CURLOPT_DEBUGDATA, transfer);
	SET(CURLOPT_ERRORBUFFER, transfer->error_text);
	if (code != CURLE_OK)
		log_error("curl_setup", LOG_STR("error", curl_easy_strerror(code)));
	return code == CURLE_OK;
}
#undef SET

/* All handles share TLS sessions; the multi already shares connections. */
static bool
set_up(struct sender *sender)
{
	sender->multi = curl_multi_init();
	sender->share = curl_share_init();
	if (sender->multi == NULL || sender->share == NULL)
		return false;
	if (curl_multi_setopt(sender->multi, CURLMOPT_MAXCONNECTS, (long)sender->options.in_flight) != CURLM_OK ||
	    curl_share_setopt(sender->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
		return false;
	for (size_t i = 0; i < sender->options.in_flight; i++) {
		struct transfer *transfer = &sender->slots[i];
		transfer->sender = sender;
		transfer->easy = curl_easy_init();
		if (transfer->easy == NULL || !configure(transfer))
			return false;
		TAILQ_INSERT_TAIL(&sender->unused, transfer, list);
	}
	return true;
}

struct sender *
sender_new(const struct sender_options *options, sender_done *done, void *context)
{
	if (slice_has_control(slice_of(options->user_agent))) {
		log_error("user_agent", LOG_STR("error", "control character"));
		return NULL;
	}
	struct sender *sender = memory_alloc(sizeof(*sender));
	sender->options = *options;
	sender->done = done;
	sender->context = context;
	sender->owner = pthread_self();
	sender->expected_ms = clock_monotonic_ms();
	sender->slots = memory_alloc(options->in_flight * sizeof(*sender->slots));
	TAILQ_INIT(&sender->unused);
	TAILQ_INIT(&sender->running);
	TAILQ_INIT(&sender->failed);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !set_up(sender)) {
		log_error("curl_setup", LOG_STR("error", "libcurl cannot be set up"));
		sender_free(&sender);
	}
	return sender;
}

void
sender_free(struct sender **sender)
{
	struct sender *s = *sender;
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->options.in_flight; i++) {
		if (s->slots[i].easy != NULL)
			curl_multi_remove_handle(s->multi, s->slots[i].easy);
		curl_easy_cleanup(s->slots[i].easy);
		curl_slist_free_all(s->slots[i].headers);
	}
	curl_multi_cleanup(s->multi);
	curl_share_cleanup(s->share);
	curl_global_cleanup();
	free(s->slots);
	free(s);
	*sender = NULL;
}

static void
add_header(struct transfer *transfer, const char *line)
{
	struct curl_slist *longer = curl_slist_append(transfer->headers, line);
	if (longer == NULL)
		memory_exhausted();
	transfer->headers = longer;
}

/* Returns false when a header contains a line break or is longer than any of ours. */
static bool
add_headers(struct transfer *transfer, const struct attempt *attempt)
{
	char line[HEADER_LINE_MAX + 1];
	add_header(transfer, "Expect:"); /* a body over 1 MiB must not wait for "100 Continue" */
	for (size_t i = 0; i < attempt->header_count; i++) {
		struct slice header = attempt->headers[i];
		if (header.size > HEADER_LINE_MAX || slice_has_control(header))
			return false;
		memcpy(line, header.data, header.size);
		line[header.size] = '\0';
		add_header(transfer, line);
	}
	return true;
}

void
sender_start(struct sender *sender, const struct attempt *attempt, void *cookie)
{
	require(pthread_equal(sender->owner, pthread_self()));
	require(!sender->reporting);
	struct transfer *transfer = TAILQ_FIRST(&sender->unused);
	if (transfer == NULL)
		panic("no transfer is unused");
	TAILQ_REMOVE(&sender->unused, transfer, list);
	TAILQ_INSERT_TAIL(&sender->running, transfer, list);
	transfer->cookie = cookie;
	transfer->started_ms = clock_monotonic_ms();
	transfer->extension_ms = 0;
	transfer->error = SENDER_OK;
	transfer->failed = transfer->watched = transfer->head_ended = false;
	transfer->headers_read = transfer->body_read = transfer->stored = transfer->watched_bytes = 0;
	transfer->error_text[0] = '\0';
	if (!add_headers(transfer, attempt)) {
		fail_transfer(transfer, SENDER_INVALID_HEADER);
		return;
	}
	if (set_certificates(transfer, attempt) != CURLE_OK || set_times(transfer) != CURLE_OK ||
	    curl_easy_setopt(transfer->easy, CURLOPT_VERBOSE, 0L) != CURLE_OK ||
	    curl_easy_setopt(transfer->easy, CURLOPT_URL, attempt->url) != CURLE_OK ||
	    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers) != CURLE_OK ||
	    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)attempt->body.size) != CURLE_OK ||
	    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, attempt->body.data) != CURLE_OK ||
	    curl_multi_add_handle(sender->multi, transfer->easy) != CURLM_OK)
		fail_transfer(transfer, SENDER_INTERNAL);
}

static enum sender_error
classify(const struct transfer *transfer, CURLcode code)
{
	if (transfer->error != SENDER_OK)
		return transfer->error;
	if (code == CURLE_WRITE_ERROR && transfer->body_read >= SENDER_ANSWER_READ)
		return SENDER_OK;
	if (code == CURLE_OK && !transfer->head_ended) /* libcurl accepts less */
		return SENDER_CONNECTION_LOST;
	return sender_error_of(transfer->easy, code, transfer->error_text);
}

/* Reports the result of a transfer and frees its slot. */
static void
finish(struct transfer *transfer, CURLcode code)
{
	struct sender *sender = transfer->sender;
	struct attempt_result result = {
		.error = classify(transfer, code),
		.status = status_of(transfer),
		.answer = { transfer->answer, transfer->stored },
		.duration_ms = clock_monotonic_ms() - transfer->started_ms,
	};
	struct curl_header *header;
	/* -1: of the final response, after any "100 Continue" */
	if (result.status != 0 && curl_easy_header(transfer->easy, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
		result.retry_after = slice_of(header->value);
	sender->reporting = true;
	sender->done(sender->context, transfer->cookie, &result);
	sender->reporting = false;
	curl_multi_remove_handle(sender->multi, transfer->easy);
	curl_slist_free_all(transfer->headers);
	transfer->headers = NULL;
	TAILQ_REMOVE(transfer->failed ? &sender->failed : &sender->running, transfer, list);
	TAILQ_INSERT_HEAD(&sender->unused, transfer, list);
}

static void
finish_all_done(struct sender *sender)
{
	CURLMsg *message;
	struct transfer *transfer;
	int left;
	while ((message = curl_multi_info_read(sender->multi, &left)) != NULL) {
		if (message->msg != CURLMSG_DONE)
			continue;
		CURLcode code = message->data.result; /* the message is freed when the handle is removed */
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
		finish(transfer, code);
	}
	while ((transfer = TAILQ_FIRST(&sender->failed)) != NULL)
		finish(transfer, CURLE_OK);
}

/* Extends the time limits after the process was late: it was busy or stopped. The receiver is not at fault for data that was
 * not read. */
static void
extend_stalled(struct sender *sender)
{
	const int64_t now = clock_monotonic_ms();
	struct transfer *transfer;
	if (now - sender->expected_ms < STALL_MS)
		return;
	TAILQ_FOREACH(transfer, &sender->running, list)
	{
		const int64_t from = transfer->started_ms > sender->expected_ms ? transfer->started_ms : sender->expected_ms;
		transfer->extension_ms += now - from;
		if (transfer->extension_ms > sender->options.stall_max_ms)
			transfer->extension_ms = sender->options.stall_max_ms;
		sender->extended = true;
		if (set_times(transfer) != CURLE_OK)
			panic("libcurl refuses a time"); /* libcurl accepts any number */
	}
}

/* Most attempts have ended by then; those that started first are first in the list. */
static void
watch_slow(struct sender *sender)
{
	const int64_t before = clock_monotonic_ms() - WATCH_AFTER_MS;
	struct transfer *transfer;
	TAILQ_FOREACH(transfer, &sender->running, list)
	{
		if (transfer->started_ms > before)
			break;
		if (!transfer->watched && curl_easy_setopt(transfer->easy, CURLOPT_VERBOSE, 1L) != CURLE_OK)
			panic("libcurl refuses CURLOPT_VERBOSE");
		transfer->watched = true;
	}
}

unsigned
sender_wait(struct sender *sender, int64_t timeout_ms, const int wake_fds[SENDER_WAKE_FDS])
{
	require(pthread_equal(sender->owner, pthread_self()));
	require(!sender->reporting);
	struct curl_waitfd wake[SENDER_WAKE_FDS];
	unsigned count = 0, index[SENDER_WAKE_FDS], woken = 0;
	int running;
	for (unsigned i = 0; i < SENDER_WAKE_FDS; i++) {
		if (wake_fds[i] < 0)
			continue;
		index[count] = i;
		wake[count++] = (struct curl_waitfd){ .fd = wake_fds[i], .events = CURL_WAIT_POLLIN };
	}
	extend_stalled(sender);
	watch_slow(sender);
	sender->extended = sender->extended && !TAILQ_EMPTY(&sender->running);
	if (sender->extended && timeout_ms > EXTENDED_WAIT_MS)
		timeout_ms = EXTENDED_WAIT_MS;
	if (!TAILQ_EMPTY(&sender->failed))
		timeout_ms = 0;
	sender->expected_ms = clock_monotonic_ms() + timeout_ms;
	CURLMcode code = curl_multi_poll(sender->multi, wake, count, (int)timeout_ms, NULL);
	extend_stalled(sender);
	if (code == CURLM_OK)
		code = curl_multi_perform(sender->multi, &running);
	if (code != CURLM_OK)
		log_error("curl_multi", LOG_STR("error", curl_multi_strerror(code)));
	finish_all_done(sender);
	for (unsigned i = 0; i < count; i++)
		if ((wake[i].revents & CURL_WAIT_POLLIN) != 0)
			woken |= 1U << index[i];
	sender->expected_ms = clock_monotonic_ms();
	return woken;
}
