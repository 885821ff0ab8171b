/* SPDX-License-Identifier: MIT
 * The end of a process that has met a defect of its own, or a state that must not be. */
#ifndef LEADHOOK_BASE_PANIC_H
#define LEADHOOK_BASE_PANIC_H

#include "base/attributes.h"

/* Logs file, line, what, and the work at hand (log_work), then aborts. Takes no memory. */
#define panic(what) panic_at(__FILE__, __LINE__, (what))
NO_RETURN void panic_at(const char *file, int line, const char *what);

/* Checks a precondition. With --enable-debug or --enable-sanitizers a false condition is a panic; in other builds the condition
 * is not evaluated. */
#ifdef LEADHOOK_DEBUG
#define require(condition) ((condition) ? (void)0 : panic(#condition))
#else
#define require(condition) ((void)sizeof(!(condition)))
#endif

/* From now on a signal that means a defect (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) logs its number and the work at hand
 * before it ends the process. That line begins with the time in seconds, for a signal handler can do no more. */
void panic_on_signals(void);

/* Where the last work of a thread that ends the process in either way is noted, too: as a line "key=value" that is appended to
 * this descriptor. -1: nowhere. */
void panic_note_to(int fd);

#endif
