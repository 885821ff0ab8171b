/* SPDX-License-Identifier: MIT
 * A MariaDB of the test's own: a new data folder, a unix socket, no network, and no larger statements than `leadhook check`
 * demands. It dies with the test. */
#ifndef LEADHOOK_TESTS_STORE_PRIVATE_SERVER_H
#define LEADHOOK_TESTS_STORE_PRIVATE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

#define PRIVATE_SERVER_USER "leadhook"
#define PRIVATE_SERVER_PASSWORD "private"
#define PRIVATE_SERVER_DATABASE "leadhook"

/* False when it is not installed. Call it before the tests: it says "1..0 # SKIP" then. */
bool private_server_installed(void);
/* Starts it, with one database and an account that has only what shared hosting gives. False when it does not answer in time;
 * what it said stands in its log then, which is shown. */
bool private_server_start(void);
/* Ends it and removes its folder. */
void private_server_stop(void);
const char *private_server_socket(void);

/* A connection of the administrator's, for what a test has to see or to plant behind the store's back. A text may be made as by
 * printf; one that the server refuses ends the test program. */
void root_run(const char *format, ...) PRINTF_LIKE(1, 2);
/* The first column of the only row; -1 for NULL. */
int64_t root_number(const char *format, ...) PRINTF_LIKE(1, 2);
/* How many wait for the lock of a row now. */
#define ROW_LOCK_WAITS \
	"SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"
/* Polls until root_number answers `wanted`; false after ten seconds. */
bool root_wait_for(int64_t wanted, const char *format, ...) PRINTF_LIKE(2, 3);
/* Commands that the server has got from clients, root's own not counted. */
int64_t root_questions(void);
/* Rows that the server has read for whatever reason, but for this one. */
int64_t root_rows_read(void);

#endif
