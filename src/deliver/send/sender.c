/* SPDX-License-Identifier: MIT
 * The event loop waits for what libcurl waits for, and only transfers that have an event or a timeout are processed. A
 * connection that is idle between two attempts stays registered, which saves two system calls for each attempt. */
#include "deliver/send/sender.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/panic.h"
#include "base/pool.h"
#include "deliver/send/transfer.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"

enum {
	OVERDUE_MS = 100,    /* how often extensions are checked, for which libcurl has no timer */
	WATCH_AFTER_MS = 500 /* the received bytes of an attempt that takes longer are counted */
};

struct sender {
	struct transfer_shared shared;
	sender_done *done;
	void *context;
	CURLM *multi;
	struct pool *pool;
	struct event_timer timer; /* runs at the earlier of: */
	int64_t curl_ms;          /* libcurl's next timeout */
	int64_t overdue_ms;       /* the next check of extensions */
	struct transfer *slots;
	struct transfers unused;
	struct transfers running, watched; /* in the order of their start; watched: slow ones, whose bytes are counted */
	pthread_t thread;                  /* the only thread that uses it */
	bool reporting;                    /* `done` is running */
};

/* ---- what libcurl waits for ---- */

static void
act(struct sender *sender, curl_socket_t fd, int ready)
{
	int running;
	const CURLMcode code = curl_multi_socket_action(sender->multi, fd, ready, &running);
	if (code != CURLM_OK)
		log_error("curl_multi", LOG_STR("error", curl_multi_strerror(code)));
}

/* Transfers that have ended are reported after all events. */
static void
socket_ready(void *context, int fd, uint32_t ready)
{
	struct sender *sender = context;
	act(sender, fd, ((ready & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((ready & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0));
	sender->timer.due_ms = 0;
}

/* CURLMOPT_SOCKETFUNCTION: what libcurl waits for. Also called for descriptors of its resolver. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *own UNUSED)
{
	static const uint32_t events[] = { [CURL_POLL_IN] = EPOLLIN,
		[CURL_POLL_OUT] = EPOLLOUT,
		[CURL_POLL_INOUT] = EPOLLIN | EPOLLOUT,
		[CURL_POLL_REMOVE] = 0 };
	struct sender *sender = context;
	struct transfer *transfer;
	if (!event_loop_watch(sender->shared.loop, fd, events[what], socket_ready, sender) &&
	    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer) == CURLE_OK)
		transfer_fail(transfer, SENDER_INTERNAL);
	return 0;
}

/* CURLMOPT_TIMERFUNCTION */
static int
set_timer(CURLM *multi UNUSED, long timeout_ms, void *context)
{
	struct sender *sender = context;
	sender->curl_ms = timeout_ms < 0 ? CLOCK_NEVER : clock_monotonic_ms() + timeout_ms;
	if (sender->curl_ms < sender->timer.due_ms)
		sender->timer.due_ms = sender->curl_ms;
	return 0;
}

/* ---- begin and end ---- */

void
sender_prepare_process(void)
{
	signal(SIGPIPE, SIG_IGN); /* the TLS library writes without MSG_NOSIGNAL */
	if (setenv("RES_OPTIONS", "timeout:2 attempts:2", 0) != 0)
		memory_exhausted();
}

/* All handles share TLS sessions; the multi handle already shares connections. */
static bool
set_up(struct sender *sender)
{
	const long connections = (long)sender->shared.options.in_flight;
	sender->multi = curl_multi_init();
	sender->shared.share = curl_share_init();
	if (sender->multi == NULL || sender->shared.share == NULL)
		return false;
	if (curl_multi_setopt(sender->multi, CURLMOPT_MAXCONNECTS, connections) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_SOCKETDATA, sender) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_TIMERFUNCTION, set_timer) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_TIMERDATA, sender) != CURLM_OK ||
	    curl_share_setopt(sender->shared.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
		return false;
	for (size_t i = 0; i < sender->shared.options.in_flight; i++) {
		struct transfer *transfer = &sender->slots[i];
		if (!transfer_set_up(transfer, &sender->shared))
			return false;
		transfer->in = &sender->unused;
		TAILQ_INSERT_TAIL(&sender->unused, transfer, list);
	}
	return true;
}

static void run(void *context, int64_t now);
static void extend_all(void *context, int64_t since_ms, int64_t now);

struct sender *
sender_new(struct event_loop *loop, const struct sender_options *options, sender_done *done, void *context)
{
	if (slice_has_control(slice_of(options->user_agent))) {
		log_error("user_agent", LOG_STR("error", "control character"));
		return NULL;
	}
	struct sender *sender = memory_alloc(sizeof(*sender));
	sender->pool = pool_new();
	sender->shared = (struct transfer_shared){ .options = *options,
		.loop = loop,
		.user_agent = pool_printf(sender->pool, "User-Agent: %s", options->user_agent).data };
	sender->done = done;
	sender->context = context;
	sender->thread = pthread_self();
	sender->curl_ms = sender->overdue_ms = CLOCK_NEVER;
	sender->timer = (struct event_timer){ .due_ms = CLOCK_NEVER, .run = run, .context = sender };
	sender->slots = memory_alloc(options->in_flight * sizeof(*sender->slots));
	TAILQ_INIT(&sender->unused);
	TAILQ_INIT(&sender->running);
	TAILQ_INIT(&sender->watched);
	TAILQ_INIT(&sender->shared.failed);
	event_loop_add_timer(loop, &sender->timer);
	event_loop_on_delay(loop, extend_all, sender);
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
	for (size_t i = 0; i < s->shared.options.in_flight; i++) {
		if (s->slots[i].easy != NULL)
			curl_multi_remove_handle(s->multi, s->slots[i].easy);
		curl_easy_cleanup(s->slots[i].easy);
	}
	curl_multi_cleanup(s->multi);
	curl_share_cleanup(s->shared.share);
	curl_global_cleanup();
	event_loop_remove_timer(&s->timer);
	event_loop_on_delay(s->shared.loop, NULL, NULL);
	pool_free(&s->pool);
	free(s->slots);
	free(s);
	*sender = NULL;
}

/* ---- attempts ---- */

void
sender_start(struct sender *sender, const struct attempt *attempt, void *cookie)
{
	require(pthread_equal(sender->thread, pthread_self()));
	require(!sender->reporting);
	struct transfer *transfer = TAILQ_FIRST(&sender->unused);
	if (transfer == NULL)
		panic("no transfer is unused");
	transfer_move(transfer, &sender->running);
	transfer->cookie = cookie;
	transfer->started_ms = clock_monotonic_ms();
	enum sender_error error = transfer_begin(transfer, attempt);
	if (error == SENDER_OK && curl_multi_add_handle(sender->multi, transfer->easy) != CURLM_OK)
		error = SENDER_INTERNAL;
	if (error == SENDER_OK)
		return;
	transfer_fail(transfer, error);
	sender->timer.due_ms = 0;
}

static void
free_slot(struct sender *sender, struct transfer *transfer)
{
	curl_multi_remove_handle(sender->multi, transfer->easy);
	transfer_restore(transfer);
	TAILQ_REMOVE(transfer->in, transfer, list);
	TAILQ_INSERT_HEAD(&sender->unused, transfer, list);
	transfer->in = &sender->unused;
}

void
sender_cancel(struct sender *sender, const void *cookie)
{
	require(!sender->reporting);
	for (size_t i = 0; i < sender->shared.options.in_flight; i++) {
		struct transfer *transfer = &sender->slots[i];
		if (transfer->in != &sender->unused && transfer->cookie == cookie)
			free_slot(sender, transfer);
	}
}

/* Reports the result of a transfer and frees its slot. */
static void
finish(struct sender *sender, struct transfer *transfer, CURLcode code)
{
	struct attempt_result result = {
		.error = transfer_error(transfer, code),
		.connected = transfer_was_connected(transfer),
		.status = transfer_status(transfer),
		.answer = { transfer->answer, transfer->stored },
		.location = transfer_location(transfer),
		.duration_ms = clock_monotonic_ms() - transfer->started_ms,
	};
	struct curl_header *header;
	if (result.error == SENDER_CERTIFICATE || result.error == SENDER_TLS)
		result.answer =
		    slice_of(transfer->error_text); /* what is wrong with the certificate, for example that it has expired */
	/* -1: the header of the final response, after any "100 Continue" */
	if (result.status != 0 && curl_easy_header(transfer->easy, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
		result.retry_after = slice_of(header->value);
	sender->reporting = true;
	sender->done(sender->context, transfer->cookie, &result);
	sender->reporting = false;
	free_slot(sender, transfer);
	event_loop_return(sender->shared.loop);
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
		finish(sender, transfer, code);
	}
	while ((transfer = TAILQ_FIRST(&sender->shared.failed)) != NULL)
		finish(sender, transfer, CURLE_OK);
}

/* ---- time ---- */

static void
extend(struct transfers *list, int64_t since_ms, int64_t now)
{
	struct transfer *transfer;
	TAILQ_FOREACH (transfer, list, list) {
		const int64_t from = transfer->started_ms > since_ms ? transfer->started_ms : since_ms;
		const int64_t extension_ms = transfer->extension_ms + now - from,
			      most_ms = transfer->shared->options.stall_max_ms;
		transfer_extend(transfer, extension_ms < most_ms ? extension_ms : most_ms);
	}
}

/* Called when the process was busy or stopped: it is not the receiver's fault that data was not read. */
static void
extend_all(void *context, int64_t since_ms, int64_t now)
{
	struct sender *sender = context;
	extend(&sender->running, since_ms, now);
	extend(&sender->watched, since_ms, now);
	sender->overdue_ms = now + OVERDUE_MS;
	if (sender->overdue_ms < sender->timer.due_ms)
		sender->timer.due_ms = sender->overdue_ms;
}

/* Ends transfers whose extension is over. Returns true when others still have one. */
static bool
end_overdue(struct transfers *list, int64_t now)
{
	bool extended = false;
	struct transfer *next;
	for (struct transfer *transfer = TAILQ_FIRST(list); transfer != NULL; transfer = next) {
		next = TAILQ_NEXT(transfer, list);
		if (transfer->extension_ms == 0)
			continue;
		const bool connected = transfer_was_connected(transfer);
		const struct sender_options *options = &transfer->shared->options;
		const int64_t limit_ms = connected ? options->timeout_ms : options->connect_timeout_ms;
		if (now - transfer->started_ms >= limit_ms + transfer->extension_ms)
			transfer_fail(transfer, connected ? SENDER_TIMEOUT : SENDER_CONNECT_TIMEOUT);
		else
			extended = true;
	}
	return extended;
}

/* Most attempts end before they are watched. */
static void
watch_slow(struct sender *sender, int64_t now)
{
	struct transfer *transfer;
	while ((transfer = TAILQ_FIRST(&sender->running)) != NULL && now - transfer->started_ms >= WATCH_AFTER_MS) {
		transfer_count_bytes(transfer);
		transfer_move(transfer, &sender->watched);
	}
}

/* Does everything that is due, including the start of transfers. */
static void
run(void *context, int64_t now)
{
	struct sender *sender = context;
	watch_slow(sender, now);
	if (sender->overdue_ms <= now) {
		const bool running = end_overdue(&sender->running, now);
		const bool extended = end_overdue(&sender->watched, now) || running;
		sender->overdue_ms = extended ? now + OVERDUE_MS : CLOCK_NEVER;
	}
	if (sender->curl_ms <= now) {
		sender->curl_ms = CLOCK_NEVER; /* libcurl sets the next one */
		act(sender, CURL_SOCKET_TIMEOUT, 0);
	}
	finish_all_done(sender);
	sender->timer.due_ms = sender->curl_ms < sender->overdue_ms ? sender->curl_ms : sender->overdue_ms;
}
