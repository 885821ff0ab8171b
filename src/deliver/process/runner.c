/* SPDX-License-Identifier: MIT */
#include "deliver/process/runner.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "crypto/digest.h"
#include "os/log.h"

/* `given` passes work and context on to the thread, `done` the result to the user. */
struct runner {
	struct store *store; /* used by the thread only */
	pthread_t user;      /* the thread that uses the runner */
	pthread_t thread;
	sem_t given;
	runner_work *work; /* NULL: the thread ends */
	void *context;
	enum result result;
	bool busy; /* from runner_start to runner_take; used by the user only */
	atomic_bool done;
	int fd; /* becomes readable just after `done` is set, until runner_take */
};

/* The thread function. */
static void *
loop(void *context)
{
	static const uint64_t one = 1;
	struct runner *r = context;
	for (;;) {
		while (sem_wait(&r->given) != 0)
			; /* interrupted by a signal */
		if (r->work == NULL)
			break;
		r->result = r->work(r->store, r->context);
		r->done = true;
		if (write(r->fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
			panic("writing to an eventfd failed");
	}
	digest_end_thread();
	return NULL;
}

static void
give(struct runner *r, runner_work *work, void *context)
{
	r->work = work;
	r->context = context;
	if (sem_post(&r->given) != 0)
		panic("sem_post failed");
}

static void
wait_for_end(struct runner *r)
{
	uint64_t count;
	while (read(r->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		; /* interrupted by a signal */
}

struct runner *
runner_new(struct store *store)
{
	struct runner *r = memory_alloc(sizeof(*r));
	r->store = store;
	r->user = pthread_self();
	sem_init(&r->given, 0, 0);
	r->fd = eventfd(0, EFD_CLOEXEC);
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
	if (r->busy)
		wait_for_end(r);
	give(r, NULL, NULL);
	if (pthread_join(r->thread, NULL) != 0)
		panic("pthread_join failed");
	sem_destroy(&r->given);
	close(r->fd);
	free(r);
	*runner = NULL;
}

void
runner_start(struct runner *r, runner_work *work, void *context)
{
	require(pthread_equal(r->user, pthread_self()));
	if (r->busy)
		panic("a runner is not idle");
	r->busy = true;
	give(r, work, context);
}

bool
runner_take(struct runner *r, enum result *result)
{
	require(pthread_equal(r->user, pthread_self()));
	if (!r->done)
		return false;
	wait_for_end(r); /* a moment at most */
	*result = r->result;
	r->done = false;
	r->busy = false;
	return true;
}

int
runner_fd(const struct runner *r)
{
	return r->fd;
}
