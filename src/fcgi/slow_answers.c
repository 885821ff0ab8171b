/* SPDX-License-Identifier: MIT */
#include "fcgi/slow_answers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buffer.h"
#include "os/clock.h"
#include "os/log.h"

struct slow_answer {
	int connection;
	struct buffer bytes;
	size_t sent;
	int64_t end_ms;
};

struct slow_answers {
	struct event_loop *loop;
	struct event_timer timer; /* the end of the oldest */
	int64_t ms;
	struct slow_answer *items; /* the oldest first */
	size_t count, maximum;
};

static void
remove_at(struct slow_answers *slow, size_t place)
{
	struct slow_answer *answer = &slow->items[place];
	event_loop_forget(slow->loop, answer->connection);
	close(answer->connection);
	buffer_free(&answer->bytes);
	slow->count--;
	memmove(answer, answer + 1, (slow->count - place) * sizeof(*answer));
	slow->timer.due_ms = slow->count == 0 ? CLOCK_NEVER : slow->items[0].end_ms;
}

static void
give_up(struct slow_answers *slow, size_t place)
{
	log_info("answer_given_up", LOG_UINT("left", slow->items[place].bytes.size - slow->items[place].sent));
	remove_at(slow, place);
}

static void
expire(void *context, int64_t now_ms)
{
	struct slow_answers *slow = context;
	while (slow->count > 0 && slow->items[0].end_ms <= now_ms)
		give_up(slow, 0);
}

struct slow_answers *
slow_answers_new(struct event_loop *loop, size_t maximum, int64_t ms)
{
	struct slow_answers *slow = memory_alloc(sizeof(*slow));
	slow->loop = loop;
	slow->items = memory_alloc(maximum * sizeof(*slow->items));
	slow->maximum = maximum;
	slow->ms = ms;
	slow->timer = (struct event_timer){ .due_ms = CLOCK_NEVER, .run = expire, .context = slow };
	event_loop_add_timer(loop, &slow->timer);
	return slow;
}

void
slow_answers_free(struct slow_answers **slow)
{
	if (*slow == NULL)
		return;
	while ((*slow)->count > 0)
		give_up(*slow, 0);
	event_loop_remove_timer(&(*slow)->timer);
	free((*slow)->items);
	free(*slow);
	*slow = NULL;
}

/* Sends what the connection takes of the bytes, from *sent on. Returns false when the peer is gone. */
static bool
send_some(int connection, struct slice bytes, size_t *sent)
{
	while (*sent < bytes.size) {
		const ssize_t size = send(connection, bytes.data + *sent, bytes.size - *sent, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (size < 0 && errno != EINTR)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		*sent += size > 0 ? (size_t)size : 0;
	}
	return true;
}

/* An event_handler. */
static void
continue_sending(void *context, int connection, uint32_t ready UNUSED)
{
	struct slow_answers *slow = context;
	size_t place = 0;
	while (slow->items[place].connection != connection)
		place++;
	struct slow_answer *answer = &slow->items[place];
	if (!send_some(connection, buffer_slice(&answer->bytes), &answer->sent))
		give_up(slow, place);
	else if (answer->sent == answer->bytes.size)
		remove_at(slow, place);
}

bool
slow_answers_send(struct slow_answers *slow, int connection, struct slice answer)
{
	size_t sent = 0;
	bool good = send_some(connection, answer, &sent);
	const bool is_slow = good && sent < answer.size;
	if (is_slow)
		good = event_loop_watch(slow->loop, connection, EPOLLOUT, continue_sending, slow);
	if (!is_slow || !good) {
		close(connection);
		return good;
	}
	if (slow->count == slow->maximum)
		give_up(slow, 0);
	struct slow_answer *item = &slow->items[slow->count++];
	*item = (struct slow_answer){ .connection = connection, .end_ms = clock_monotonic_ms() + slow->ms };
	buffer_init(&item->bytes, SIZE_MAX / 2);
	buffer_add(&item->bytes, slice_sub(answer, sent, answer.size));
	slow->timer.due_ms = slow->items[0].end_ms;
	return true;
}

bool
slow_answers_exist(const struct slow_answers *slow)
{
	return slow->count > 0;
}
