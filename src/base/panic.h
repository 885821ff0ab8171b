/* SPDX-License-Identifier: MIT
 * Ends the process after a defect or an impossible state. */
#ifndef LEADHOOK_BASE_PANIC_H
#define LEADHOOK_BASE_PANIC_H

#include "base/attributes.h"

/* Aborts. The handler of os/crash.h logs file, line and what; without it they go to standard error. Allocates no memory. */
#define panic(what) panic_at(__FILE__, __LINE__, (what))
NO_RETURN void panic_at(const char *file, int line, const char *what);

/* Checks a precondition. With --enable-debug or --enable-sanitizers a false condition is a panic; in other builds the condition
 * is not evaluated. */
#ifdef LEADHOOK_DEBUG
#define require(condition) ((condition) ? (void)0 : panic(#condition))
#else
#define require(condition) ((void)sizeof(!(condition)))
#endif

struct panic_report {
	const char *file, *what;
	int line;
};
/* The panic that is ending this thread; NULL: none. */
const struct panic_report *panic_current(void);

#endif
