/* SPDX-License-Identifier: MIT */
#include "commit/receiver.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/panic.h"
#include "os/clock.h"
#include "os/log.h"

enum { EVENTS_MAX = 256, ACCEPT_MAX = 512, REFUSER_WAIT_MS = 20 /* between checks whether it must end */ };

/* ---- peers ---- */

/* Takes ownership of the connection. Closes it when its peer runs as another user, or epoll fails. */
static void
peers_add(struct peers *peers, int fd)
{
	struct peer *peer = memory_alloc(sizeof(*peer));
	*peer = (struct peer){ .fd = fd, .watched = EPOLLIN };
	struct epoll_event event = { .events = peer->watched, .data.ptr = peer };
	if (!endpoint_peer_is_ours(fd) || epoll_ctl(peers->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		log_debug("committer_peer_refused", LOG_INT("fd", fd));
		close(fd);
		free(peer);
		return;
	}
	frame_reader_init(&peer->in);
	buffer_init(&peer->out, FRAME_BUFFER_MAX);
	if (peers->count == peers->capacity) {
		peers->capacity = peers->capacity == 0 ? 64 : peers->capacity * 2;
		peers->items = memory_realloc(peers->items, peers->capacity * sizeof(struct peer *));
	}
	peers->items[peers->count++] = peer;
}

static void
peer_free(struct peers *peers, struct peer *peer)
{
	peers->queued_bytes -= peer->counted;
	close(peer->fd);
	frame_reader_free(&peer->in);
	buffer_free(&peer->out);
	free(peer);
}

void
peers_sweep(struct peers *peers)
{
	size_t open = 0;
	for (size_t i = 0; i < peers->count; i++)
		if (peers->items[i]->state == PEER_CLOSED)
			peer_free(peers, peers->items[i]);
		else
			peers->items[open++] = peers->items[i];
	peers->count = open;
}

/* Closes all peers and frees the memory. */
static void
peers_free(struct peers *peers)
{
	for (size_t i = 0; i < peers->count; i++)
		peer_free(peers, peers->items[i]);
	free(peers->items);
	*peers = (struct peers){ .epoll = peers->epoll };
}

static uint32_t
wanted_events(const struct peers *peers, const struct peer *peer)
{
	if (peer->uncertain)
		return EPOLLET; /* a closed connection is always reported; with this flag, only once */
	return (peers->ending ? 0 : EPOLLIN) | (peer->state == PEER_WRITING ? EPOLLOUT : 0);
}

/* Sets the events to wait for. epoll always reports a connection that is closed on both sides, too. */
static void
watch(const struct peers *peers, struct peer *peer)
{
	uint32_t events = wanted_events(peers, peer);
	struct epoll_event event = { .events = events, .data.ptr = peer };
	if (events == peer->watched)
		return;
	peer->watched = events;
	if (epoll_ctl(peers->epoll, EPOLL_CTL_MOD, peer->fd, &event) != 0)
		peer->state = PEER_CLOSED;
}

static void
count_bytes(struct peers *peers, struct peer *peer, size_t bytes)
{
	peers->queued_bytes += bytes - peer->counted;
	peer->counted = bytes;
}

static void
send_answer(struct peers *peers, struct peer *peer)
{
	enum frame_state state = frame_send(peer->fd, &peer->out, &peer->sent);
	if (state == FRAME_WHOLE)
		frame_clear(&peer->out);
	peer->state = state == FRAME_PARTIAL                   ? PEER_WRITING
		      : state == FRAME_WHOLE && !peers->ending ? PEER_READING
							       : PEER_CLOSED;
	if (peer->state != PEER_CLOSED)
		watch(peers, peer);
}

void
peer_answer(struct peers *peers, struct peer *peer, const struct commit_answer *answer)
{
	require(peer->state == PEER_READING || peer->state == PEER_WAITING);
	frame_reader_reset(&peer->in);
	count_bytes(peers, peer, 0);
	peer->sent = 0;
	frame_begin(&peer->out);
	commit_encode_answer(&peer->out, answer);
	if (frame_end(&peer->out)) {
		send_answer(peers, peer);
	} else {
		log_error("answer_too_large", LOG_UINT("maximum", FRAME_MAX_BYTES));
		peer->state = PEER_CLOSED;
	}
}

static void
receive(struct peers *peers, struct peer *peer)
{
	enum frame_state state = frame_read(&peer->in, peer->fd, QUEUE_MAX_BYTES - peers->queued_bytes + peer->counted);
	if (state == FRAME_PARTIAL || state == FRAME_WHOLE)
		count_bytes(peers, peer, frame_reader_size(&peer->in));
	switch (state) {
	case FRAME_PARTIAL:
		break;
	case FRAME_WHOLE:
		peer->state = PEER_WAITING;
		peer->delayed_until_ms = 0;
		peer->suspect = peer->has_turn = false;
		peer->arrival = ++peers->arrivals;
		break;
	case FRAME_DROPPED:
		log_warning("queue_full", LOG_UINT("bytes", peers->queued_bytes));
		peer_answer(peers, peer, &commit_refused);
		break;
	case FRAME_BROKEN:
		log_error("committer_peer_broken", LOG_INT("fd", peer->fd));
		peer->state = PEER_CLOSED;
		break;
	case FRAME_ENDED:
	case FRAME_LOST:
		peer->state = PEER_CLOSED;
		break;
	}
}

/* Handles the events that epoll reports for a peer; those of an uncertain peer are ignored. */
static void
peer_act(struct peers *peers, struct peer *peer, uint32_t events)
{
	if (peer->uncertain)
		return;
	if (peer->state == PEER_WRITING && (events & EPOLLOUT) != 0)
		send_answer(peers, peer);
	else if (peer->state == PEER_READING)
		receive(peers, peer);
	else
		peer->state = PEER_CLOSED; /* it closed the connection, or sent data while it had to wait */
}

/* Reads what was sent before, and nothing more. Peers are closed once they have their answers. */
static void
peers_end(struct peers *peers)
{
	peers->ending = true;
	for (size_t i = 0; i < peers->count; i++) {
		struct peer *peer = peers->items[i];
		shutdown(peer->fd, SHUT_RD);
		if (peer->state == PEER_READING)
			receive(peers, peer);
		if (peer->state == PEER_READING)
			peer->state = PEER_CLOSED;
		if (peer->state != PEER_CLOSED)
			watch(peers, peer);
	}
}

/* ---- the receiver ---- */

/* At most ACCEPT_MAX at once, so that repeated connections do not delay the peers. */
static void
accept_some(struct receiver *receiver)
{
	int fd = 0;
	for (int i = 0; i < ACCEPT_MAX && fd >= 0; i++) {
		fd = accept4(receiver->endpoint->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			peers_add(&receiver->peers, fd);
	}
	/* Without descriptors or memory, retrying would spin, so a new process takes over. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
		log_error("accept_failed", LOG_ERRNO(errno));
		receiver->status = EX_OSERR;
	}
}

/* Whether SIGTERM was received. SIGUSR2, the other signal, reopens the log file. */
static bool
term_received(const struct receiver *receiver)
{
	struct signalfd_siginfo info;
	bool term = false;
	while (read(receiver->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM)
			term = true;
		else
			log_reopen();
	}
	return term;
}

static void
begin_shutdown(struct receiver *receiver)
{
	log_debug("committer_ending", LOG_UINT("peers", receiver->peers.count));
	receiver->ending = true;
	epoll_ctl(receiver->peers.epoll, EPOLL_CTL_DEL, receiver->endpoint->fd, NULL);
	peers_end(&receiver->peers);
}

bool
receiver_wait(struct receiver *receiver, int timeout_ms)
{
	struct epoll_event events[EVENTS_MAX];
	const int count = epoll_wait(receiver->peers.epoll, events, EVENTS_MAX, timeout_ms);
	bool term = false;
	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr == &receiver->signals)
			term = term_received(receiver);
		else if (events[i].data.ptr == receiver->endpoint)
			accept_some(receiver);
		else
			peer_act(&receiver->peers, events[i].data.ptr, events[i].events);
	}
	if (!receiver->ending && (term || receiver->status != EX_OK))
		begin_shutdown(receiver);
	return count != 0;
}

static bool
epoll_add(struct receiver *receiver, int fd, const void *name)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = (void *)name };
	return epoll_ctl(receiver->peers.epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Raises the limit of descriptors: there may be more responders than the default allows. */
static void
raise_limit(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max)
		return;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		log_warning("cannot_raise_limit", LOG_ERRNO(errno));
}

bool
receiver_open(struct receiver *receiver, const struct endpoint *endpoint)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGUSR2);
	raise_limit();
	*receiver = (struct receiver){
		.peers = { .epoll = epoll_create1(EPOLL_CLOEXEC) },
		.endpoint = endpoint,
		.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC),
		.status = EX_OK,
	};
	if (receiver->signals >= 0 && receiver->peers.epoll >= 0 &&
	    epoll_add(receiver, receiver->signals, &receiver->signals) && epoll_add(receiver, endpoint->fd, endpoint))
		return true;
	log_error("committer_failed", LOG_ERRNO(errno));
	receiver->status = EX_OSERR;
	return false;
}

void
receiver_close(struct receiver *receiver)
{
	peers_free(&receiver->peers);
	if (receiver->signals >= 0)
		close(receiver->signals);
	if (receiver->peers.epoll >= 0)
		close(receiver->peers.epoll);
}

/* ---- refusing ---- */

static void
refuse_all(struct receiver *receiver)
{
	struct peers *peers = &receiver->peers;
	for (size_t i = 0; i < peers->count; i++) {
		if (peers->items[i]->state != PEER_WAITING || peers->items[i]->uncertain)
			continue;
		peer_answer(peers, peers->items[i], &commit_refused);
		receiver->refuser.count++;
	}
}

/* The thread function. */
static void *
refuse(void *context)
{
	struct receiver *receiver = context;
	const int64_t begin_ms = clock_monotonic_ms() + REFUSER_DELAY_MS;
	while (!atomic_load(&receiver->refuser.ending)) {
		receiver_wait(receiver, REFUSER_WAIT_MS);
		if (clock_monotonic_ms() >= begin_ms)
			refuse_all(receiver);
		peers_sweep(&receiver->peers);
	}
	return NULL;
}

void
receiver_begin_refusing(struct receiver *receiver, struct peer *const *uncertain, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uncertain[i]->uncertain = true;
		watch(&receiver->peers, uncertain[i]);
	}
	receiver->refuser.count = 0;
	atomic_store(&receiver->refuser.ending, false);
	const int error = pthread_create(&receiver->refuser.thread, NULL, refuse, receiver);
	receiver->refuser.started = error == 0;
	if (error != 0)
		log_warning("no_thread", LOG_ERRNO(error));
}

void
receiver_end_refusing(struct receiver *receiver, struct peer *const *uncertain, size_t count)
{
	atomic_store(&receiver->refuser.ending, true);
	if (receiver->refuser.started && pthread_join(receiver->refuser.thread, NULL) != 0)
		panic("pthread_join");
	if (receiver->refuser.count > 0)
		log_warning("requests_refused", LOG_UINT("requests", receiver->refuser.count),
		    LOG_INT("after_ms", REFUSER_DELAY_MS), LOG_STR("reason", "the outcome of a COMMIT was unknown"));
	for (size_t i = 0; i < count; i++) {
		uncertain[i]->uncertain = false;
		watch(&receiver->peers, uncertain[i]);
	}
}
