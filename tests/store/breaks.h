/* SPDX-License-Identifier: MIT
 * Transactions that break when a test wants it; for programs that are linked with --wrap=db_commit and --wrap=db_begin. */
#ifndef LEADHOOK_TESTS_STORE_BREAKS_H
#define LEADHOOK_TESTS_STORE_BREAKS_H

#include <stdbool.h>

#include "base/result.h"

/* How a COMMIT breaks, and what comes then. Zeroed: nothing breaks. */
extern struct breaks {
	unsigned commits;        /* the next ones break, as many as that: the connection is lost … */
	bool after;              /* … when they are done: only the answer is */
	void (*meanwhile)(void); /* NULL, or what happens before anybody can ask */
	bool conflict;           /* … no, it holds: others were faster */
	unsigned begins;         /* and then so many transactions cannot be started … */
	enum result why;         /* … for this reason */
} breaks;

#endif
