/* SPDX-License-Identifier: MIT */
#include "base/panic.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/encode.h"
#include "base/log.h"

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static int note_fd = -1;

/* A line that a signal handler can write: no allocation, no locks. */
struct line {
	char text[512];
	size_t size;
};

static void
add(struct line *line, struct slice text)
{
	for (size_t i = 0; i < text.size && line->size < sizeof(line->text) - 1; i++)
		line->text[line->size++] = text.data[i];
}

static void
add_number(struct line *line, uint64_t number)
{
	char digits[DECIMAL_SIZE];
	add(line, encode_decimal(number, digits));
}

static void
add_work(struct line *line)
{
	const struct log_field *work = log_current_work();
	if (work == NULL)
		return;
	add(line, slice_of(work->key));
	add(line, SLICE("="));
	if (work->kind == LOG_TEXT || work->kind == LOG_SLICE)
		add(line, work->kind == LOG_TEXT ? slice_of(work->value.text) : work->value.slice);
	else
		add_number(line, work->value.u64);
}

static void
write_line(struct line *line, int fd)
{
	line->text[line->size] = '\n';
	if (write(fd, line->text, line->size + 1) < 0) {
		/* nothing can be reported */
	}
}

static void
note_work(void)
{
	struct line line = { .size = 0 };
	add_work(&line);
	if (note_fd >= 0 && line.size > 0)
		write_line(&line, note_fd);
}

void
panic_note_to(int fd)
{
	note_fd = fd;
}

void
panic_at(const char *file, int number, const char *what)
{
	log_error("panic", LOG_STR("file", file), LOG_INT("line", number), LOG_STR("what", what));
	note_work();
	signal(SIGABRT, SIG_DFL); /* already logged */
	abort();
}

static void
on_signal(int number)
{
	struct line line = { .size = 0 };
	add_number(&line, (uint64_t)time(NULL));
	add(&line, SLICE(" error "));
	add(&line, slice_of(log_program()));
	add(&line, SLICE("["));
	add_number(&line, (uint64_t)getpid());
	add(&line, SLICE("] crashed signal="));
	add_number(&line, (uint64_t)number);
	if (log_current_work() != NULL)
		add(&line, SLICE(" "));
	add_work(&line);
	write_line(&line, log_descriptor());
	note_work();
	raise(number);
}

/* The sanitizers have handlers that report more. */
void
panic_on_signals(void)
{
	struct sigaction ours, before;
	memset(&ours, 0, sizeof(ours));
	ours.sa_handler = on_signal;
	ours.sa_flags = (int)(SA_RESETHAND | SA_NODEFER); /* a second signal ends the process */
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(signals[i], &ours, NULL);
}
