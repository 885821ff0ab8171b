/* SPDX-License-Identifier: MIT */
#include "commit/peer.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/panic.h"
#include "commit/endpoint.h"
#include "os/log.h"

void
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

void
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
		return EPOLLET; /* a closed connection is reported in any case; so only once */
	return (peers->ending ? 0 : EPOLLIN) | (peer->state == PEER_WRITING ? EPOLLOUT : 0);
}

/* epoll also reports a connection that is closed on both sides. */
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
	const struct commit_answer refused = { .kind = ANSWER_REFUSED };
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
		peer_answer(peers, peer, &refused);
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

void
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

void
peer_set_uncertain(struct peers *peers, struct peer *peer, bool uncertain)
{
	peer->uncertain = uncertain;
	watch(peers, peer);
}

void
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
