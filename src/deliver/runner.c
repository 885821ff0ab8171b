/* SPDX-License-Identifier: MIT */
#include "deliver/runner.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/panic.h"
#include "base/pool.h"
#include "crypto/digest.h"

enum runner_state { RUNNER_IDLE, RUNNER_BUSY, RUNNER_DONE };

struct runner {
	struct store *store; /* used by the thread only */
	pthread_t user;      /* the thread that uses it */
	pthread_t thread;
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t changed;
	enum runner_state state;
	bool ending;
	runner_work *work;
	void *context;
	enum result result;
	int fd;
};

#define must(call)                    \
	do {                          \
		if ((call) != 0)      \
			panic(#call); \
	} while (0)

static void
notify(const struct runner *runner)
{
	const uint64_t one = 1;
	if (write(runner->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		panic("writing to an eventfd failed");
}

/* The thread function. */
static void *
loop(void *context)
{
	struct runner *r = context;
	must(pthread_mutex_lock(&r->lock));
	while (r->state == RUNNER_BUSY || !r->ending) {
		if (r->state != RUNNER_BUSY) {
			must(pthread_cond_wait(&r->changed, &r->lock));
			continue;
		}
		must(pthread_mutex_unlock(&r->lock));
		enum result result = r->work(r->store, r->context);
		must(pthread_mutex_lock(&r->lock));
		r->result = result;
		r->state = RUNNER_DONE;
		notify(r);
	}
	must(pthread_mutex_unlock(&r->lock));
	digest_end_thread();
	return NULL;
}

struct runner *
runner_new(struct store *store)
{
	struct runner *r = memory_alloc(sizeof(*r));
	r->store = store;
	r->user = pthread_self();
	must(pthread_mutex_init(&r->lock, NULL));
	must(pthread_cond_init(&r->changed, NULL));
	r->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int error = r->fd < 0 ? errno : pthread_create(&r->thread, NULL, loop, r);
	if (error == 0)
		return r;
	log_error("no_thread", LOG_ERRNO(error));
	if (r->fd >= 0)
		close(r->fd);
	free(r);
	return NULL;
}

void
runner_free(struct runner **runner)
{
	struct runner *r = *runner;
	if (r == NULL)
		return;
	require(pthread_equal(r->user, pthread_self()));
	must(pthread_mutex_lock(&r->lock));
	r->ending = true;
	must(pthread_cond_signal(&r->changed));
	must(pthread_mutex_unlock(&r->lock));
	must(pthread_join(r->thread, NULL));
	must(pthread_cond_destroy(&r->changed));
	must(pthread_mutex_destroy(&r->lock));
	close(r->fd);
	free(r);
	*runner = NULL;
}

void
runner_start(struct runner *r, runner_work *work, void *context)
{
	require(pthread_equal(r->user, pthread_self()));
	must(pthread_mutex_lock(&r->lock));
	if (r->state != RUNNER_IDLE)
		panic("a runner is not idle");
	r->work = work;
	r->context = context;
	r->state = RUNNER_BUSY;
	must(pthread_cond_signal(&r->changed));
	must(pthread_mutex_unlock(&r->lock));
}

bool
runner_take(struct runner *r, enum result *result)
{
	require(pthread_equal(r->user, pthread_self()));
	uint64_t count;
	must(pthread_mutex_lock(&r->lock));
	const bool done = r->state == RUNNER_DONE;
	if (done) {
		*result = r->result;
		r->state = RUNNER_IDLE;
		if (read(r->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
			panic("reading from an eventfd failed");
	}
	must(pthread_mutex_unlock(&r->lock));
	return done;
}

int
runner_fd(const struct runner *r)
{
	return r->fd;
}
