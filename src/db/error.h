/* SPDX-License-Identifier: MIT
 * The meaning of error numbers: for the caller, for the connection, and for the log. Internal to src/db. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/result.h"
#include "os/metrics.h"

/* The meaning of an error number of the server or of Connector/C. */
struct db_error {
	unsigned number;
	enum result result;
	enum metric_database_error kind;
	const char *hint; /* what the operator can do; NULL: nothing needs to be done */
};
enum { DB_ERRORS_MAX = 48 };

/* The most specific number of an error: the reported one, or a more specific one that the text shows. */
unsigned error_number(unsigned number, const char *text);
/* NULL: only a defect causes this error. */
const struct db_error *error_find(unsigned number);
/* Index in the table, below DB_ERRORS_MAX. */
size_t error_place(const struct db_error *error);
enum denial error_denial(unsigned number);
/* After this error the connection is unusable, or a new one may lead to a server that works. */
bool error_is_lost(unsigned number);
/* After this error of a COMMIT, the transaction may or may not be committed. */
bool error_leaves_commit_open(unsigned number);
/* The server's message, without the values of rows that it quotes, because personal data must not be logged. */
void error_text_without_values(unsigned number, const char *text, char *out, size_t size);
