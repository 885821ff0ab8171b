/* SPDX-License-Identifier: MIT */
#include "store/statements.h"

/* Answers must not depend on the server's configuration. The lock wait is short because batches are repeated. A transaction
 * whose connection is lost may stay open on the server with its locks: the server ends it after idle_transaction_timeout. Our
 * own transactions pause only while a batch is decided. */
const char *const store_session[] = {
	"SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ENGINE_SUBSTITUTION', "
	"innodb_lock_wait_timeout = 5, lock_wait_timeout = 15, idle_transaction_timeout = 10, autocommit = 1",
	/* a statement of its own: the variable has another name since MariaDB 11.1 */
	"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	NULL,
};
