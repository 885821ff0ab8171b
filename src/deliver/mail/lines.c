/* SPDX-License-Identifier: MIT */
#include "deliver/mail/lines.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/panic.h"
#include "base/pool.h"
#include "crypto/digest.h"
#include "os/clock.h"
#include "os/log.h"

/* One thread. `job` and `state` are protected by the lock. */
struct line {
	struct lines *lines;
	struct smtp_connection *connection;
	pthread_t thread;
	bool has_thread;
	enum { LINE_FREE, LINE_GIVEN, LINE_DONE } state;
	struct line_job *job;
};

struct lines {
	struct line *line;
	size_t count;
	pthread_mutex_t lock;
	pthread_cond_t given;
	bool ending;
	atomic_bool stop;
	int done_fd; /* counts jobs that are done */
};

enum { IDLE_MS = 1000, MS_PER_S = 1000, NS_PER_MS = 1000 * 1000 };

/* With the lock, until the line has a job (true) or must end. Jobs of others wake it, too, so the time is absolute. */
static bool
wait_for_job(struct line *line)
{
	struct lines *lines = line->lines;
	const int64_t idle_ms = clock_monotonic_ms() + IDLE_MS;
	const struct timespec until = { idle_ms / MS_PER_S, idle_ms % MS_PER_S * NS_PER_MS };
	while (line->state != LINE_GIVEN && !lines->ending)
		if (line->state == LINE_DONE || !smtp_is_open(line->connection))
			pthread_cond_wait(&lines->given, &lines->lock);
		else if (pthread_cond_timedwait(&lines->given, &lines->lock, &until) == ETIMEDOUT && line->state == LINE_FREE)
			smtp_hang_up(line->connection);
	return line->state == LINE_GIVEN;
}

static void *
run(void *context)
{
	struct line *line = context;
	struct lines *lines = line->lines;
	const uint64_t one = 1;
	pthread_mutex_lock(&lines->lock);
	while (wait_for_job(line)) {
		pthread_mutex_unlock(&lines->lock);
		smtp_send(line->connection, &line->job->mail, &line->job->result);
		pthread_mutex_lock(&lines->lock);
		line->state = LINE_DONE;
		if (write(lines->done_fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
			panic("an eventfd takes no number");
	}
	pthread_mutex_unlock(&lines->lock);
	digest_end_thread();
	return NULL;
}

static bool
start_line(struct lines *lines, struct line *line, const struct smtp_server *server)
{
	line->lines = lines;
	line->connection = smtp_new(server, &lines->stop);
	const int failure = pthread_create(&line->thread, NULL, run, line);
	line->has_thread = failure == 0;
	if (failure != 0)
		log_error("no_thread", LOG_ERRNO(failure));
	return line->has_thread;
}

struct lines *
lines_new(const struct smtp_server *server, size_t count)
{
	struct lines *lines = memory_alloc(sizeof(*lines));
	pthread_condattr_t monotonic;
	bool good = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
	lines->line = memory_alloc(count * sizeof(*lines->line));
	lines->count = count;
	lines->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (pthread_mutex_init(&lines->lock, NULL) != 0 || pthread_condattr_init(&monotonic) != 0 ||
	    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) != 0 || pthread_cond_init(&lines->given, &monotonic) != 0)
		memory_exhausted();
	pthread_condattr_destroy(&monotonic);
	if (!good || lines->done_fd < 0)
		log_error("cannot_send_mail", LOG_STR("error", good ? strerror(errno) : "libcurl does not start"));
	good = good && lines->done_fd >= 0;
	for (size_t i = 0; good && i < count; i++)
		good = start_line(lines, &lines->line[i], server);
	if (!good)
		lines_free(&lines);
	return lines;
}

void
lines_free(struct lines **pointer)
{
	struct lines *lines = *pointer;
	if (lines == NULL)
		return;
	pthread_mutex_lock(&lines->lock);
	lines->ending = true;
	pthread_cond_broadcast(&lines->given);
	pthread_mutex_unlock(&lines->lock);
	for (size_t i = 0; i < lines->count; i++) {
		if (lines->line[i].has_thread)
			pthread_join(lines->line[i].thread, NULL);
		smtp_free(&lines->line[i].connection);
	}
	pthread_cond_destroy(&lines->given);
	pthread_mutex_destroy(&lines->lock);
	if (lines->done_fd >= 0)
		close(lines->done_fd);
	free(lines->line);
	free(lines);
	*pointer = NULL;
}

static struct line *
find_line(const struct lines *lines, int state)
{
	for (size_t i = 0; i < lines->count; i++)
		if ((int)lines->line[i].state == state)
			return &lines->line[i];
	return NULL;
}

void
lines_give(struct lines *lines, struct line_job *job)
{
	pthread_mutex_lock(&lines->lock);
	struct line *line = find_line(lines, LINE_FREE);
	if (line == NULL)
		panic("no line is free");
	line->job = job;
	line->state = LINE_GIVEN;
	pthread_cond_broadcast(&lines->given);
	pthread_mutex_unlock(&lines->lock);
}

struct line_job *
lines_take(struct lines *lines)
{
	uint64_t one;
	if (read(lines->done_fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		return NULL;
	pthread_mutex_lock(&lines->lock);
	struct line *line = find_line(lines, LINE_DONE);
	if (line == NULL)
		panic("no line is done");
	struct line_job *job = line->job;
	line->job = NULL;
	line->state = LINE_FREE;
	pthread_cond_broadcast(&lines->given); /* its thread may close the connection now */
	pthread_mutex_unlock(&lines->lock);
	return job;
}

int
lines_fd(const struct lines *lines)
{
	return lines->done_fd;
}

void
lines_stop(struct lines *lines)
{
	atomic_store(&lines->stop, true);
}
