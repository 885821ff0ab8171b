/* SPDX-License-Identifier: MIT */
#include "deliver/mail/smtp_threads.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/panic.h"
#include "base/pool.h"
#include "deliver/process/runner.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"

enum { IDLE_MS = 1000 };

/* While its state is not THREAD_IDLE, the runner's thread uses the connection and, in THREAD_SENDS, the job. */
struct smtp_thread {
	struct smtp_threads *all;
	struct smtp_connection *connection;
	struct runner *runner;
	enum { THREAD_IDLE, THREAD_SENDS, THREAD_HANGS_UP } state;
	struct smtp_job *job; /* under way, or to be sent once the thread has hung up; NULL: none */
	struct event_timer hang_up;
};

struct smtp_threads {
	struct event_loop *loop;
	smtp_job_done *done;
	void *context;
	atomic_bool stop;
	size_t count;
	struct smtp_thread items[];
};

/* Runs in the thread. */
static enum result
send_mail(struct store *store UNUSED, void *context)
{
	const struct smtp_thread *thread = context;
	smtp_send(thread->connection, &thread->job->mail, &thread->job->result);
	return RESULT_OK;
}

static void
begin_to_send(struct smtp_thread *thread)
{
	thread->state = THREAD_SENDS;
	thread->hang_up.due_ms = CLOCK_NEVER;
	runner_start(thread->runner, send_mail, thread);
}

/* Runs in the thread. */
static enum result
hang_up(struct store *store UNUSED, void *context)
{
	const struct smtp_thread *thread = context;
	smtp_hang_up(thread->connection);
	return RESULT_OK;
}

/* An event_timer.run: the thread has been idle for IDLE_MS. */
static void
begin_to_hang_up(void *context, int64_t now_ms UNUSED)
{
	struct smtp_thread *thread = context;
	thread->state = THREAD_HANGS_UP;
	runner_start(thread->runner, hang_up, thread);
}

/* An event_handler: the thread has sent its mail, or has hung up. */
static void
ended(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct smtp_thread *thread = context;
	struct smtp_job *job = thread->job;
	enum result result;
	if (!runner_take(thread->runner, &result))
		return;
	const bool has_sent = thread->state == THREAD_SENDS;
	thread->state = THREAD_IDLE;
	if (!has_sent && job != NULL)
		begin_to_send(thread);
	if (!has_sent)
		return;
	thread->job = NULL;
	if (smtp_is_open(thread->connection))
		thread->hang_up.due_ms = clock_monotonic_ms() + IDLE_MS;
	thread->all->done(thread->all->context, job);
	event_loop_return(thread->all->loop);
}

static bool
start_thread(struct smtp_threads *threads, struct smtp_thread *thread, const struct smtp_server *server)
{
	thread->all = threads;
	thread->hang_up = (struct event_timer){ .due_ms = CLOCK_NEVER, .run = begin_to_hang_up, .context = thread };
	thread->runner = runner_new(NULL);
	if (thread->runner == NULL)
		return false;
	thread->connection = smtp_new(server, &threads->stop);
	event_loop_watch_input(threads->loop, runner_fd(thread->runner), ended, thread);
	event_loop_add_timer(threads->loop, &thread->hang_up);
	return true;
}

struct smtp_threads *
smtp_threads_new(struct event_loop *loop, const struct smtp_server *server, size_t count, smtp_job_done *done, void *context)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		log_error("cannot_send_mail", LOG_STR("error", "libcurl does not start"));
		return NULL;
	}
	struct smtp_threads *threads = memory_alloc(sizeof(*threads) + count * sizeof(*threads->items));
	threads->loop = loop;
	threads->done = done;
	threads->context = context;
	while (threads->count < count && start_thread(threads, &threads->items[threads->count], server))
		threads->count++;
	if (threads->count < count)
		smtp_threads_free(&threads);
	return threads;
}

void
smtp_threads_free(struct smtp_threads **pointer)
{
	struct smtp_threads *threads = *pointer;
	if (threads == NULL)
		return;
	for (size_t i = 0; i < threads->count; i++) {
		struct smtp_thread *thread = &threads->items[i];
		event_loop_forget(threads->loop, runner_fd(thread->runner));
		event_loop_remove_timer(&thread->hang_up);
		runner_free(&thread->runner);
		smtp_free(&thread->connection);
	}
	free(threads);
	*pointer = NULL;
}

void
smtp_threads_send(struct smtp_threads *threads, struct smtp_job *job)
{
	size_t i = 0;
	while (i < threads->count && threads->items[i].job != NULL)
		i++;
	require(i < threads->count);
	threads->items[i].job = job;
	if (threads->items[i].state == THREAD_IDLE)
		begin_to_send(&threads->items[i]);
}

void
smtp_threads_stop(struct smtp_threads *threads)
{
	atomic_store(&threads->stop, true);
}
