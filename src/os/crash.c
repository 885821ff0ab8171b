/* SPDX-License-Identifier: MIT */
#include "os/crash.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/panic.h"
#include "os/log.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static int note_fd = -1;

enum { LINE_SIZE = 512 };

/* A line that a signal handler can write: no locks, and no allocation, because its capacity is the maximum. */
#define LINE_IN(text) ((struct buffer){ .data = (text), .capacity = LINE_SIZE, .maximum = LINE_SIZE - 1 })

/* `before` and `between` surround the key. */
static void
add_work(struct buffer *line, const char *before, const char *between)
{
	const struct log_field *work = log_current_work();
	if (work == NULL)
		return;
	buffer_add_text(line, before);
	buffer_add_text(line, work->key);
	buffer_add_text(line, between);
	if (work->kind == LOG_TEXT && log_is_json() && *before != '\0') { /* an id: no escapes */
		buffer_add_byte(line, '"');
		buffer_add(line, work->value.text);
		buffer_add_byte(line, '"');
	} else if (work->kind == LOG_TEXT) {
		buffer_add(line, work->value.text);
	} else {
		buffer_add_u64(line, work->value.u64);
	}
}

static void
write_line(struct buffer *line, int fd)
{
	line->data[line->size] = '\n';
	if (write(fd, line->data, line->size + 1) < 0) {
		/* nothing can be reported */
	}
}

static void
note_work(void)
{
	char text[LINE_SIZE];
	struct buffer line = LINE_IN(text);
	add_work(&line, "", "=");
	if (note_fd >= 0 && line.size > 0)
		write_line(&line, note_fd);
}

void
crash_note_to(int fd)
{
	note_fd = fd;
}

static void
add_logfmt(struct buffer *head, struct buffer *line, int number)
{
	buffer_add_u64(head, (uint64_t)time(NULL));
	buffer_add(head, SLICE(" error "));
	buffer_add_text(head, log_program());
	buffer_add_byte(head, '[');
	buffer_add_u64(head, (uint64_t)getpid());
	buffer_add(head, SLICE("] "));
	buffer_add(line, SLICE("crashed signal="));
	buffer_add_u64(line, (uint64_t)number);
	add_work(line, " ", "=");
}

/* Here `time` is a number. */
static void
add_json(struct buffer *line, int number)
{
	buffer_add(line, SLICE("{\"time\":"));
	buffer_add_u64(line, (uint64_t)time(NULL));
	buffer_add(line, SLICE(",\"level\":\"error\",\"program\":\""));
	buffer_add_text(line, log_program());
	buffer_add(line, SLICE("\",\"pid\":"));
	buffer_add_u64(line, (uint64_t)getpid());
	buffer_add(line, SLICE(",\"event\":\"crashed\",\"signal\":"));
	buffer_add_u64(line, (uint64_t)number);
	add_work(line, ",\"", "\":");
	buffer_add_byte(line, '}');
}

static void
log_signal(int number)
{
	char head_text[LINE_SIZE], text[LINE_SIZE];
	struct buffer head = LINE_IN(head_text), line = LINE_IN(text);
	if (log_is_json())
		add_json(&line, number);
	else
		add_logfmt(&head, &line, number);
	log_raw(buffer_slice(&head), buffer_slice(&line));
}

static void
on_signal(int number)
{
	log_signal(number);
	note_work();
	raise(number);
}

/* A panic_reporter. */
static void
log_panic(const char *file, int line, const char *what)
{
	log_error("panic", LOG_STR("file", file), LOG_INT("line", line), LOG_STR("what", what));
	note_work();
	signal(SIGABRT, SIG_DFL); /* already logged */
}

/* The sanitizers have handlers that report more. */
void
crash_log_signals(void)
{
	/* a second signal ends the process */
	const struct sigaction ours = { .sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct sigaction before;
	panic_report_to(log_panic);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}
