/* SPDX-License-Identifier: MIT */
#include "deliver/mail/lines.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/panic.h"
#include "base/pool.h"
#include "deliver/process/runner.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/log.h"

enum { IDLE_MS = 1000 };

/* The thread uses the connection, and the job, while it is busy. */
struct line {
	struct lines *lines;
	struct smtp_connection *connection;
	struct runner *runner;
	enum { LINE_IDLE, LINE_SENDS, LINE_HANGS_UP } state;
	struct line_job *job; /* under way, or passed on while the line hangs up; NULL: none */
	struct event_timer hang_up;
};

struct lines {
	struct event_loop *loop;
	line_done *done;
	void *context;
	atomic_bool stop;
	size_t count;
	struct line line[];
};

/* Runs in the thread. */
static enum result
send_mail(struct store *store UNUSED, void *context)
{
	const struct line *line = context;
	smtp_send(line->connection, &line->job->mail, &line->job->result);
	return RESULT_OK;
}

static void
begin_to_send(struct line *line)
{
	line->state = LINE_SENDS;
	line->hang_up.due_ms = CLOCK_NEVER;
	runner_start(line->runner, send_mail, line);
}

/* Runs in the thread. */
static enum result
hang_up(struct store *store UNUSED, void *context)
{
	const struct line *line = context;
	smtp_hang_up(line->connection);
	return RESULT_OK;
}

/* For event_timer.run: the line has been idle for a while. */
static void
begin_to_hang_up(void *context, int64_t now_ms UNUSED)
{
	struct line *line = context;
	line->state = LINE_HANGS_UP;
	runner_start(line->runner, hang_up, line);
}

/* An event_handler: the thread is idle again. */
static void
ended(void *context, int fd UNUSED, uint32_t ready UNUSED)
{
	struct line *line = context;
	struct line_job *job = line->job;
	enum result result;
	if (!runner_take(line->runner, &result))
		return;
	const bool has_sent = line->state == LINE_SENDS;
	line->state = LINE_IDLE;
	if (!has_sent && job != NULL)
		begin_to_send(line);
	if (!has_sent)
		return;
	line->job = NULL;
	if (smtp_is_open(line->connection))
		line->hang_up.due_ms = clock_monotonic_ms() + IDLE_MS;
	line->lines->done(line->lines->context, job);
	event_loop_return(line->lines->loop);
}

static bool
open_line(struct lines *lines, struct line *line, const struct smtp_server *server)
{
	line->lines = lines;
	line->hang_up = (struct event_timer){ .due_ms = CLOCK_NEVER, .run = begin_to_hang_up, .context = line };
	line->runner = runner_new(NULL);
	if (line->runner == NULL)
		return false;
	line->connection = smtp_new(server, &lines->stop);
	event_loop_watch_input(lines->loop, runner_fd(line->runner), ended, line);
	event_loop_add_timer(lines->loop, &line->hang_up);
	return true;
}

struct lines *
lines_new(struct event_loop *loop, const struct smtp_server *server, size_t count, line_done *done, void *context)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		log_error("cannot_send_mail", LOG_STR("error", "libcurl does not start"));
		return NULL;
	}
	struct lines *lines = memory_alloc(sizeof(*lines) + count * sizeof(*lines->line));
	lines->loop = loop;
	lines->done = done;
	lines->context = context;
	while (lines->count < count && open_line(lines, &lines->line[lines->count], server))
		lines->count++;
	if (lines->count < count)
		lines_free(&lines);
	return lines;
}

void
lines_free(struct lines **pointer)
{
	struct lines *lines = *pointer;
	if (lines == NULL)
		return;
	for (size_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->line[i];
		event_loop_forget(lines->loop, runner_fd(line->runner));
		event_loop_remove_timer(&line->hang_up);
		runner_free(&line->runner);
		smtp_free(&line->connection);
	}
	free(lines);
	*pointer = NULL;
}

void
lines_give(struct lines *lines, struct line_job *job)
{
	size_t i = 0;
	while (i < lines->count && lines->line[i].job != NULL)
		i++;
	require(i < lines->count);
	lines->line[i].job = job;
	if (lines->line[i].state == LINE_IDLE)
		begin_to_send(&lines->line[i]);
}

void
lines_stop(struct lines *lines)
{
	atomic_store(&lines->stop, true);
}
