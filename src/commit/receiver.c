/* SPDX-License-Identifier: MIT */
#include "commit/receiver.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sysexits.h>
#include <unistd.h>

#include "os/log.h"

enum { EVENTS_MAX = 256, ACCEPT_MAX = 512 };

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
	/* Out of descriptors or memory: retrying would spin, so a new process takes over. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
		log_error("accept_failed", LOG_ERRNO(errno));
		receiver->status = EX_OSERR;
	}
}

/* Whether SIGTERM was received. SIGUSR2, the other one, reopens the log file. */
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

/* There may be more responders than the default limit of descriptors. */
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
