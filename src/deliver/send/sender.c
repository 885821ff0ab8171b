/* SPDX-License-Identifier: MIT
 * The loop: what libcurl waits for is registered with epoll(7), and only transfers that have an event or a timeout are worked
 * on. A connection that is idle between two attempts stays registered, which saves two system calls for each attempt. */
#include "deliver/send/sender.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "deliver/send/sender_private.h"
#include "os/clock.h"
#include "os/log.h"

enum {
	STALL_MS = 100,       /* a later return from the wait is a stall */
	OVERDUE_MS = 100,     /* how often extensions are checked, for which libcurl has no timer */
	WATCH_AFTER_MS = 500, /* the received bytes of an attempt that takes longer are counted */
	EVENTS_MAX = 256
};

/* ---- transfers ---- */

static void
move_to(struct transfer *transfer, struct transfers *list)
{
	TAILQ_REMOVE(transfer->in, transfer, list);
	TAILQ_INSERT_TAIL(list, transfer, list);
	transfer->in = list;
}

void
sender_fail(struct transfer *transfer, enum sender_error error)
{
	if (transfer->error == SENDER_OK)
		transfer->error = error;
	if (transfer->in != &transfer->sender->failed)
		move_to(transfer, &transfer->sender->failed);
}

/* ---- descriptors ---- */

static struct watch *
watch_of(struct sender *sender, int fd)
{
	const size_t before = sender->watch_capacity;
	if ((size_t)fd >= before) {
		sender->watch_capacity = 2 * ((size_t)fd + 1);
		sender->watches = memory_realloc(sender->watches, sender->watch_capacity * sizeof(struct watch));
		memset(sender->watches + before, 0, (sender->watch_capacity - before) * sizeof(struct watch));
	}
	return &sender->watches[fd];
}

static bool
register_events(const struct sender *sender, int fd, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };
	const int call = watch->registered == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
	if (events == watch->registered)
		return true;
	if (epoll_ctl(sender->epoll, call, fd, &event) != 0 && events != 0)
		return false;
	watch->registered = events;
	return true;
}

/* An idle connection stays registered: the next thing that is wanted of it is most likely to read. */
static bool
watch_fd(struct sender *sender, int fd, uint32_t wanted)
{
	struct watch *watch = watch_of(sender, fd);
	watch->wanted = wanted;
	if (wanted == 0 && watch->connection && watch->registered == EPOLLIN)
		return true;
	return register_events(sender, fd, watch, wanted);
}

void
sender_socket_opened(struct sender *sender, int fd)
{
	*watch_of(sender, fd) = (struct watch){ .connection = true };
}

void
sender_socket_closing(struct sender *sender, int fd)
{
	struct watch *watch = watch_of(sender, fd);
	(void)register_events(sender, fd, watch, 0);
	*watch = (struct watch){ .connection = false };
}

/* CURLMOPT_SOCKETFUNCTION: what libcurl waits for. Also called for descriptors of its resolver. */
static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *own UNUSED)
{
	struct transfer *transfer;
	const bool reads = what == CURL_POLL_IN || what == CURL_POLL_INOUT;
	const bool writes = what == CURL_POLL_OUT || what == CURL_POLL_INOUT;
	if (!watch_fd(context, fd, (reads ? (uint32_t)EPOLLIN : 0) | (writes ? (uint32_t)EPOLLOUT : 0)) &&
	    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer) == CURLE_OK)
		sender_fail(transfer, SENDER_INTERNAL);
	return 0;
}

/* CURLMOPT_TIMERFUNCTION */
static int
set_timer(CURLM *multi UNUSED, long timeout_ms, void *context)
{
	struct sender *sender = context;
	sender->timer_ms = timeout_ms < 0 ? CLOCK_NEVER : clock_monotonic_ms() + timeout_ms;
	return 0;
}

/* ---- begin and end ---- */

/* All handles share TLS sessions; the multi already shares connections. */
static bool
set_up(struct sender *sender)
{
	const long connections = (long)sender->options.in_flight;
	sender->epoll = epoll_create1(EPOLL_CLOEXEC);
	sender->multi = curl_multi_init();
	sender->share = curl_share_init();
	if (sender->epoll < 0 || sender->multi == NULL || sender->share == NULL)
		return false;
	if (curl_multi_setopt(sender->multi, CURLMOPT_MAXCONNECTS, connections) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_SOCKETDATA, sender) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_TIMERFUNCTION, set_timer) != CURLM_OK ||
	    curl_multi_setopt(sender->multi, CURLMOPT_TIMERDATA, sender) != CURLM_OK ||
	    curl_share_setopt(sender->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) != CURLSHE_OK)
		return false;
	for (size_t i = 0; i < sender->options.in_flight; i++) {
		struct transfer *transfer = &sender->slots[i];
		if (!transfer_set_up(transfer, sender))
			return false;
		transfer->in = &sender->unused;
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
	sender->thread = pthread_self();
	sender->expected_ms = clock_monotonic_ms();
	sender->timer_ms = sender->overdue_ms = CLOCK_NEVER;
	sender->epoll = -1;
	sender->pool = pool_new();
	sender->user_agent = pool_printf(sender->pool, "User-Agent: %s", options->user_agent).data;
	for (size_t i = 0; i < SENDER_WAKE_FDS; i++)
		sender->wake_fds[i] = -1;
	sender->slots = memory_alloc(options->in_flight * sizeof(*sender->slots));
	TAILQ_INIT(&sender->unused);
	TAILQ_INIT(&sender->running);
	TAILQ_INIT(&sender->watched);
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
	}
	curl_multi_cleanup(s->multi);
	curl_share_cleanup(s->share);
	curl_global_cleanup();
	if (s->epoll >= 0)
		close(s->epoll);
	free(s->watches);
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
	move_to(transfer, &sender->running);
	transfer->cookie = cookie;
	transfer->started_ms = clock_monotonic_ms();
	enum sender_error error = transfer_begin(transfer, attempt);
	if (error == SENDER_OK && curl_multi_add_handle(sender->multi, transfer->easy) != CURLM_OK)
		error = SENDER_INTERNAL;
	if (error != SENDER_OK)
		sender_fail(transfer, error);
}

/* Undoes what only a long attempt has. */
static void
restore(struct transfer *transfer)
{
	if (transfer->extension_ms > 0)
		transfer_extend(transfer, 0);
	if (transfer->counted)
		transfer_count_bytes(transfer, false);
}

/* Reports the result of a transfer and frees its slot. */
static void
finish(struct transfer *transfer, CURLcode code)
{
	struct sender *sender = transfer->sender;
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
		result.answer = slice_of(transfer->error_text); /* expired, for another name, an issuer that is not known … */
	/* -1: of the final response, after any "100 Continue" */
	if (result.status != 0 && curl_easy_header(transfer->easy, "Retry-After", 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
		result.retry_after = slice_of(header->value);
	sender->reporting = true;
	sender->done(sender->context, transfer->cookie, &result);
	sender->reporting = false;
	sender->ended++;
	curl_multi_remove_handle(sender->multi, transfer->easy);
	restore(transfer);
	TAILQ_REMOVE(transfer->in, transfer, list);
	TAILQ_INSERT_HEAD(&sender->unused, transfer, list);
	transfer->in = &sender->unused;
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

/* ---- time ---- */

static void
extend(struct sender *sender, struct transfers *list, int64_t now)
{
	struct transfer *transfer;
	TAILQ_FOREACH (transfer, list, list) {
		const int64_t from = transfer->started_ms > sender->expected_ms ? transfer->started_ms : sender->expected_ms;
		const int64_t extension_ms = transfer->extension_ms + now - from, most_ms = sender->options.stall_max_ms;
		transfer_extend(transfer, extension_ms < most_ms ? extension_ms : most_ms);
	}
}

/* Returns the time. Extends the time limits when it is later than expected: the process was busy or stopped. The receiver is not
 * at fault for data that was not read. */
static int64_t
check_clock(struct sender *sender)
{
	const int64_t now = clock_monotonic_ms();
	if (now - sender->expected_ms >= STALL_MS) {
		extend(sender, &sender->running, now);
		extend(sender, &sender->watched, now);
		sender->overdue_ms = now + OVERDUE_MS;
	}
	sender->expected_ms = now;
	return now;
}

/* Ends transfers whose extension is over. Returns true when others have one. */
static bool
end_overdue(const struct sender *sender, struct transfers *list, int64_t now)
{
	const struct sender_options *options = &sender->options;
	bool extended = false;
	struct transfer *next;
	for (struct transfer *transfer = TAILQ_FIRST(list); transfer != NULL; transfer = next) {
		next = TAILQ_NEXT(transfer, list);
		if (transfer->extension_ms == 0)
			continue;
		const bool connected = transfer_was_connected(transfer);
		const int64_t limit_ms = connected ? options->timeout_ms : options->connect_timeout_ms;
		if (now - transfer->started_ms >= limit_ms + transfer->extension_ms)
			sender_fail(transfer, connected ? SENDER_TIMEOUT : SENDER_CONNECT_TIMEOUT);
		else
			extended = true;
	}
	return extended;
}

/* Most attempts have ended by then. */
static void
watch_slow(struct sender *sender, int64_t now)
{
	struct transfer *transfer;
	while ((transfer = TAILQ_FIRST(&sender->running)) != NULL && now - transfer->started_ms >= WATCH_AFTER_MS) {
		transfer_count_bytes(transfer, true);
		move_to(transfer, &sender->watched);
	}
}

/* ---- the loop ---- */

static void
act(struct sender *sender, curl_socket_t fd, int ready)
{
	int running;
	const CURLMcode code = curl_multi_socket_action(sender->multi, fd, ready, &running);
	if (code != CURLM_OK)
		log_error("curl_multi", LOG_STR("error", curl_multi_strerror(code)));
}

/* Does what is due: libcurl starts transfers, too. Returns when something is due again. */
static int64_t
run_timers(struct sender *sender)
{
	const int64_t now = check_clock(sender);
	watch_slow(sender, now);
	if (sender->overdue_ms <= now) {
		const bool running = end_overdue(sender, &sender->running, now);
		const bool extended = end_overdue(sender, &sender->watched, now) || running;
		sender->overdue_ms = extended ? now + OVERDUE_MS : CLOCK_NEVER;
	}
	if (sender->timer_ms <= now) {
		sender->timer_ms = CLOCK_NEVER; /* libcurl sets the next one */
		act(sender, CURL_SOCKET_TIMEOUT, 0);
	}
	return sender->timer_ms < sender->overdue_ms ? sender->timer_ms : sender->overdue_ms;
}

/* Returns the bit of a descriptor of the caller; 0: it is one of libcurl's, which has handled it. */
static unsigned
handle_event(struct sender *sender, const struct epoll_event *event)
{
	const int fd = event->data.fd;
	struct watch *watch = watch_of(sender, fd);
	for (unsigned i = 0; i < SENDER_WAKE_FDS; i++)
		if (sender->wake_fds[i] == fd)
			return 1U << i;
	if (watch->wanted == 0) { /* the receiver closed an idle connection */
		(void)register_events(sender, fd, watch, 0);
		return 0;
	}
	const bool failed = (event->events & (EPOLLERR | EPOLLHUP)) != 0; /* to be found by reading or writing */
	const uint32_t ready = failed ? watch->wanted : event->events & watch->wanted;
	act(sender, fd, ((ready & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((ready & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0));
	return 0;
}

/* Handles all that is ready, if need be after a wait until `until_ms`. Returns the bits of the caller's descriptors. */
static unsigned
run_events(struct sender *sender, int64_t until_ms)
{
	struct epoll_event events[EVENTS_MAX];
	unsigned woken = 0;
	const int64_t now = check_clock(sender);
	const int64_t timeout_ms = until_ms <= now ? 0 : until_ms - now < INT_MAX ? until_ms - now : INT_MAX;
	sender->expected_ms = now + timeout_ms;
	const int count = epoll_wait(sender->epoll, events, EVENTS_MAX, (int)timeout_ms);
	if (count < 0 && errno != EINTR)
		panic("epoll_wait failed");
	(void)check_clock(sender);
	for (int i = 0; i < count; i++)
		woken |= handle_event(sender, &events[i]);
	return woken;
}

static void
watch_wake_fds(struct sender *sender, const int wake_fds[SENDER_WAKE_FDS])
{
	for (size_t i = 0; i < SENDER_WAKE_FDS; i++) {
		const int before = sender->wake_fds[i], fd = wake_fds[i];
		if (before == fd)
			continue;
		sender->wake_fds[i] = fd;
		if (before >= 0)
			(void)watch_fd(sender, before, 0);
		if (fd >= 0 && !watch_fd(sender, fd, EPOLLIN))
			panic("a descriptor cannot be watched");
	}
}

unsigned
sender_wait(struct sender *sender, int64_t timeout_ms, const int wake_fds[SENDER_WAKE_FDS])
{
	require(pthread_equal(sender->thread, pthread_self()));
	require(!sender->reporting);
	const int64_t begun_ms = check_clock(sender), end_ms = begun_ms + timeout_ms;
	unsigned woken = 0;
	sender->ended = 0;
	watch_wake_fds(sender, wake_fds);
	do {
		const int64_t next_ms = run_timers(sender);
		finish_all_done(sender);
		woken = run_events(sender, sender->ended > 0 ? begun_ms : next_ms < end_ms ? next_ms : end_ms);
		finish_all_done(sender);
	} while (sender->ended == 0 && woken == 0 && check_clock(sender) < end_ms);
	return woken;
}
