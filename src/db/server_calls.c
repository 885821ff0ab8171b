/* SPDX-License-Identifier: MIT */
#include "db/server_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/duration.h"
#include "base/panic.h"
#include "os/clock.h"
#include "os/fiber.h"

/* Waits for what a call has asked for, MYSQL_WAIT_…, and returns what came. Calls over TLS never end by themselves: after the
 * time for an answer, they find the connection closed. */
static int
wait_for(const struct db *db, int wanted)
{
	MYSQL *mysql = db->mysql;
	const int fd = mysql_get_socket(mysql);
	const short events =
	    (short)(((wanted & MYSQL_WAIT_READ) != 0 ? POLLIN : 0) | ((wanted & MYSQL_WAIT_WRITE) != 0 ? POLLOUT : 0) |
		    ((wanted & MYSQL_WAIT_EXCEPT) != 0 ? POLLPRI : 0));
	const bool ends = (wanted & MYSQL_WAIT_TIMEOUT) != 0;
	const int64_t ms = ends ? mysql_get_timeout_value_ms(mysql) : db->options->io_timeout_s * SECOND_MS;
	if (fiber_wait(fd, events, clock_monotonic_ms() + ms))
		return wanted & ~MYSQL_WAIT_TIMEOUT;
	if (!ends)
		(void)shutdown(fd, SHUT_RDWR);
	return MYSQL_WAIT_TIMEOUT;
}

/* Calls function(…), whose first argument is `object`. In a fiber: begins it, and continues it until it has ended. */
#define CALL(db, result, function, object, ...)                                             \
	do {                                                                                \
		int wanted = 0;                                                             \
		if (!(db)->lets_others_run)                                                 \
			*(result) = function(__VA_ARGS__);                                  \
		else                                                                        \
			wanted = function##_start((result), __VA_ARGS__);                   \
		while (wanted != 0)                                                         \
			wanted = function##_cont((result), (object), wait_for(db, wanted)); \
	} while (0)

static const char *
or_null(const char *text)
{
	return text == NULL || *text == '\0' ? NULL : text;
}

/* Over TLS, calls of Connector/C let others run only if the socket itself does not block. The handshake needs one that does:
 * Connector/C would give up after some milliseconds. */
static void
make_nonblocking(int fd)
{
	const int flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
		panic("fcntl failed");
}

bool
server_connect(struct db *db, const char *host, unsigned port)
{
	const struct db_options *o = db->options;
	MYSQL *connected;
	db->lets_others_run = fiber_is_current();
	if (db->lets_others_run)
		mysql_options(db->mysql, MYSQL_OPT_NONBLOCK, NULL);
	CALL(db, &connected, mysql_real_connect, db->mysql, db->mysql, or_null(host), or_null(o->user), or_null(o->password),
	    or_null(o->database), port, or_null(o->socket), CLIENT_FOUND_ROWS);
	if (connected != NULL && db->lets_others_run && mysql_get_ssl_cipher(db->mysql) != NULL)
		make_nonblocking(mysql_get_socket(db->mysql));
	return connected != NULL;
}

int
server_query(struct db *db, const char *text, size_t size)
{
	int failed;
	CALL(db, &failed, mysql_real_query, db->mysql, db->mysql, text, size);
	return failed;
}

int
server_ping(struct db *db)
{
	int failed;
	CALL(db, &failed, mysql_ping, db->mysql, db->mysql);
	return failed;
}

MYSQL_RES *
server_store_result(struct db *db)
{
	MYSQL_RES *rows;
	CALL(db, &rows, mysql_store_result, db->mysql, db->mysql);
	return rows;
}

int
server_prepare(struct db *db, MYSQL_STMT *handle, const char *text, size_t size)
{
	int failed;
	CALL(db, &failed, mysql_stmt_prepare, handle, handle, text, size);
	return failed;
}

int
server_execute(struct db *db, MYSQL_STMT *handle)
{
	int failed;
	CALL(db, &failed, mysql_stmt_execute, handle, handle);
	return failed;
}

int
server_store_rows(struct db *db, MYSQL_STMT *handle)
{
	int failed;
	CALL(db, &failed, mysql_stmt_store_result, handle, handle);
	return failed;
}
