/* SPDX-License-Identifier: MIT
 * Injects failures into transactions, for programs that are linked with --wrap=db_commit and --wrap=db_begin. */
#pragma once

#include <stdbool.h>

#include "base/result.h"

/* How a COMMIT fails, and what follows. Zeroed: nothing fails. */
extern struct breaks {
	unsigned commits;        /* how many of the next ones fail: the connection is lost … */
	bool after;              /* … after the COMMIT; only its answer is lost */
	void (*meanwhile)(void); /* NULL, or called before the next transaction */
	bool conflict;           /* … instead there is a conflict */
	unsigned begins;         /* then this many transactions cannot be started … */
	enum result why;         /* … for this reason */
} breaks;
