/* SPDX-License-Identifier: MIT
 * Ends the process after a defect or an impossible state. */
#ifndef LEADHOOK_BASE_PANIC_H
#define LEADHOOK_BASE_PANIC_H

#include "base/attributes.h"

/* Logs file, line, what, and the current work (log_work), then aborts. Allocates no memory. */
#define panic(what) panic_at(__FILE__, __LINE__, (what))
NO_RETURN void panic_at(const char *file, int line, const char *what);

/* Checks a precondition. With --enable-debug or --enable-sanitizers a false condition is a panic; in other builds the condition
 * is not evaluated. */
#ifdef LEADHOOK_DEBUG
#define require(condition) ((condition) ? (void)0 : panic(#condition))
#else
#define require(condition) ((void)sizeof(!(condition)))
#endif

/* Makes signals that indicate a defect (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) log their number and the current work before
 * they end the process. The line starts with the time in seconds, because a signal handler cannot format it. */
void panic_on_signals(void);

/* Also appends the current work of the thread that ends the process to this descriptor, as a line "key=value". -1: off. */
void panic_note_to(int fd);

#endif
