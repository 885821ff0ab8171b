/* SPDX-License-Identifier: MIT
 * A MariaDB server for the test: a new data folder, a unix socket, no network, and the smallest max_allowed_packet that
 * `leadhook check` accepts. It ends with the test. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"

#define PRIVATE_SERVER_USER "leadhook"
#define PRIVATE_SERVER_PASSWORD "private"
#define PRIVATE_SERVER_DATABASE "leadhook"

/* Returns false when it is not installed. Call it before the tests: if so, it prints "1..0 # SKIP". */
bool private_server_installed(void);
/* Adds an option with which the server is started; it must stay valid. */
void private_server_set_option(const char *option);
/* Starts the server, with one database and an account with the rights of shared hosting. If the server does not answer in time,
 * shows its log and returns false. */
bool private_server_start(void);
/* Stops the server and removes its folder. */
void private_server_stop(void);
const char *private_server_socket(void);

/* Runs statements as root, for what a test reads or inserts directly. The text is formatted as by printf; an error ends the
 * test program. */
void root_run(const char *format, ...) PRINTF_LIKE(1, 2);
/* The first column of the only row; -1 for NULL. */
int64_t root_number(const char *format, ...) PRINTF_LIKE(1, 2);
/* The number of current waits for row locks. */
#define ROW_LOCK_WAITS \
	"SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'INNODB_ROW_LOCK_CURRENT_WAITS'"
/* Polls until root_number returns `wanted`; false after ten seconds. */
bool root_wait_for(int64_t wanted, const char *format, ...) PRINTF_LIKE(2, 3);
/* Commands that the server has received from clients, except root's. */
int64_t root_questions(void);
/* Rows that the server has read, except for this query. */
int64_t root_rows_read(void);
