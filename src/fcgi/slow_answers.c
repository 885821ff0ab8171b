/* SPDX-License-Identifier: MIT */
#include "fcgi/slow_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/clock.h"
#include "os/log.h"

struct slow_answer {
	int connection;
	struct buffer bytes;
	size_t sent;
	int64_t end_ms;
};

struct slow_answers {
	int epoll;
	int64_t ms;
	struct slow_answer items[SLOW_ANSWERS_MAX]; /* the oldest first */
	size_t count;
};

struct slow_answers *
slow_answers_new(int epoll, int64_t ms)
{
	struct slow_answers *slow = memory_alloc(sizeof(*slow));
	*slow = (struct slow_answers){ .epoll = epoll, .ms = ms };
	return slow;
}

static void
end(struct slow_answer *answer)
{
	close(answer->connection); /* which removes it from epoll */
	buffer_free(&answer->bytes);
}

static void
remove_at(struct slow_answers *slow, size_t place)
{
	end(&slow->items[place]);
	slow->count--;
	memmove(&slow->items[place], &slow->items[place + 1], (slow->count - place) * sizeof(slow->items[0]));
}

static void
give_up(struct slow_answers *slow, size_t place)
{
	log_info("answer_given_up", LOG_UINT("left", slow->items[place].bytes.size - slow->items[place].sent));
	remove_at(slow, place);
}

void
slow_answers_free(struct slow_answers **slow)
{
	while (*slow != NULL && (*slow)->count > 0)
		give_up(*slow, 0);
	free(*slow);
	*slow = NULL;
}

/* Sends what the connection takes. Returns false when the peer is gone. */
static bool
send_some(struct slow_answer *answer)
{
	while (answer->sent < answer->bytes.size) {
		const ssize_t size = send(answer->connection, answer->bytes.data + answer->sent,
		    answer->bytes.size - answer->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (size < 0 && errno != EINTR)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		answer->sent += size > 0 ? (size_t)size : 0;
	}
	return true;
}

static bool
is_sent(const struct slow_answer *answer)
{
	return answer->sent == answer->bytes.size;
}

bool
slow_answers_send(struct slow_answers *slow, int connection, struct buffer *answer)
{
	struct slow_answer item = { .connection = connection, .bytes = *answer, .end_ms = clock_monotonic_ms() + slow->ms };
	struct epoll_event event = { .events = EPOLLOUT, .data.fd = connection };
	*answer = (struct buffer){ .data = NULL };
	bool good = send_some(&item);
	if (good && !is_sent(&item))
		good = epoll_ctl(slow->epoll, EPOLL_CTL_ADD, connection, &event) == 0;
	if (!good || is_sent(&item)) {
		end(&item);
		return good;
	}
	if (slow->count == SLOW_ANSWERS_MAX)
		give_up(slow, 0);
	slow->items[slow->count++] = item;
	return true;
}

void
slow_answers_continue(struct slow_answers *slow, int connection)
{
	size_t place = 0;
	while (place < slow->count && slow->items[place].connection != connection)
		place++;
	if (place == slow->count)
		return;
	if (!send_some(&slow->items[place]))
		give_up(slow, place);
	else if (is_sent(&slow->items[place]))
		remove_at(slow, place);
}

int64_t
slow_answers_expire(struct slow_answers *slow)
{
	const int64_t now_ms = clock_monotonic_ms();
	while (slow->count > 0 && slow->items[0].end_ms <= now_ms)
		give_up(slow, 0);
	return slow->count == 0 ? CLOCK_NEVER : slow->items[0].end_ms;
}
