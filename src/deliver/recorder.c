/* SPDX-License-Identifier: MIT */
#include "deliver/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/pool.h"

enum recorder_state { RECORDER_IDLE, RECORDER_BUSY, RECORDER_DONE };

struct recorder {
	struct store *store; /* the thread's */
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	enum recorder_state state;
	bool ending;
	const struct delivery_outcome *outcomes;
	size_t count, stale;
	enum result result;
	int fd;
};

static void
must(int error)
{
	if (error != 0)
		abort();
}

static void
tell(const struct recorder *recorder)
{
	const uint64_t one = 1;
	if (write(recorder->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		abort();
}

/* The thread: from busy to done, again and again. */
static void *
work(void *context)
{
	struct recorder *r = context;
	must(pthread_mutex_lock(&r->lock));
	while (r->state == RECORDER_BUSY || !r->ending) {
		if (r->state != RECORDER_BUSY) {
			must(pthread_cond_wait(&r->changed, &r->lock));
			continue;
		}
		must(pthread_mutex_unlock(&r->lock));
		size_t stale = 0;
		enum result result = store_complete(r->store, r->outcomes, r->count, &stale);
		must(pthread_mutex_lock(&r->lock));
		r->result = result;
		r->stale = stale;
		r->state = RECORDER_DONE;
		tell(r);
	}
	must(pthread_mutex_unlock(&r->lock));
	return NULL;
}

struct recorder *
recorder_new(struct store *store)
{
	struct recorder *r = memory_alloc(sizeof(*r));
	r->store = store;
	must(pthread_mutex_init(&r->lock, NULL));
	must(pthread_cond_init(&r->changed, NULL));
	r->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int error = r->fd < 0 ? errno : pthread_create(&r->thread, NULL, work, r);
	if (error == 0)
		return r;
	log_error("no_recorder", LOG_ERRNO(error));
	if (r->fd >= 0)
		close(r->fd);
	free(r);
	return NULL;
}

void
recorder_free(struct recorder **recorder)
{
	struct recorder *r = *recorder;
	if (r == NULL)
		return;
	must(pthread_mutex_lock(&r->lock));
	r->ending = true;
	must(pthread_cond_signal(&r->changed));
	must(pthread_mutex_unlock(&r->lock));
	must(pthread_join(r->thread, NULL));
	must(pthread_cond_destroy(&r->changed));
	must(pthread_mutex_destroy(&r->lock));
	close(r->fd);
	free(r);
	*recorder = NULL;
}

void
recorder_start(struct recorder *r, const struct delivery_outcome *outcomes, size_t count)
{
	must(pthread_mutex_lock(&r->lock));
	if (r->state != RECORDER_IDLE)
		abort();
	r->outcomes = outcomes;
	r->count = count;
	r->state = RECORDER_BUSY;
	must(pthread_cond_signal(&r->changed));
	must(pthread_mutex_unlock(&r->lock));
}

bool
recorder_take(struct recorder *r, enum result *result, size_t *stale)
{
	uint64_t told;
	must(pthread_mutex_lock(&r->lock));
	const bool done = r->state == RECORDER_DONE;
	if (done) {
		*result = r->result;
		*stale = r->stale;
		r->state = RECORDER_IDLE;
		if (read(r->fd, &told, sizeof(told)) != (ssize_t)sizeof(told))
			abort();
	}
	must(pthread_mutex_unlock(&r->lock));
	return done;
}

bool
recorder_is_done(struct recorder *r)
{
	must(pthread_mutex_lock(&r->lock));
	const bool done = r->state == RECORDER_DONE;
	must(pthread_mutex_unlock(&r->lock));
	return done;
}

int
recorder_fd(const struct recorder *r)
{
	return r->fd;
}
