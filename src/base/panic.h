/* SPDX-License-Identifier: MIT
 * Ends the process after a defect or an impossible state. */
#pragma once

#include "base/attributes.h"

/* Reports file, line and what, and aborts. The report goes to the log after crash_log_signals (os/crash.h), otherwise to
 * standard error. Allocates no memory. */
#define panic(what) panic_at(__FILE__, __LINE__, (what))
NO_RETURN void panic_at(const char *file, int line, const char *what);

/* Checks a precondition. With --enable-debug or --enable-sanitizers, a false condition is a panic; in other builds, the
 * condition is not evaluated. */
#ifdef LEADHOOK_DEBUG
#define require(condition) ((condition) ? (void)0 : panic(#condition))
#else
#define require(condition) ((void)sizeof(!(condition)))
#endif

/* From now on, this function reports the panics of all threads. It must return. */
typedef void panic_reporter(const char *file, int line, const char *what);
void panic_report_to(panic_reporter *reporter);
