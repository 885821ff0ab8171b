/* SPDX-License-Identifier: MIT
 * Access logs of the web server: a request with a key in its query, and what of it is in them. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "admin/doctor/doctor.h"
#include "base/encode.h"
#include "os/clock.h"
#include "os/random.h"

enum { LOGS_MAX = 20, READ_MAX = 1024 * 1024 };
enum { WAIT_MS = 8000, AFTER_MS = 300, PAUSE_MS = 100 }; /* lighttpd writes its log every few seconds */

struct log {
	const char *path;
	int fd;
	off_t size; /* before the request */
};

struct logs {
	struct log items[LOGS_MAX];
	size_t count;
};

static const char *
add_log(struct logs *logs, struct pool *pool, const char *path)
{
	struct stat status;
	const int fd = logs->count == LOGS_MAX ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return "it is not a regular file";
	}
	logs->items[logs->count++] = (struct log){ pool_string(pool, slice_of(path)), fd, status.st_size };
	return NULL;
}

/* The folders of Debian's servers. */
static void
add_usual_logs(struct logs *logs, struct pool *pool)
{
	static const char *const patterns[] = { "/var/log/lighttpd/*.log", "/var/log/apache2/*.log", "/var/log/nginx/*.log" };
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		glob_t found;
		if (glob(patterns[i], 0, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			(void)add_log(logs, pool, found.gl_pathv[k]);
		globfree(&found);
	}
}

/* What was written since, or its beginning. */
static struct slice
read_new(const struct log *log, char *place)
{
	const ssize_t size = pread(log->fd, place, READ_MAX, log->size);
	return (struct slice){ place, size < 0 ? 0 : (size_t)size };
}

/* Waits until one of the logs has the request's path, and a little longer for the others. */
static bool
wait_for(const struct logs *logs, struct slice path, char *place)
{
	int64_t end_ms = clock_monotonic_ms() + WAIT_MS;
	bool seen = false;
	while (clock_monotonic_ms() < end_ms) {
		for (size_t i = 0; i < logs->count && !seen; i++)
			if (slice_contains(read_new(&logs->items[i], place), path)) {
				seen = true;
				end_ms = clock_monotonic_ms() + AFTER_MS;
			}
		clock_pause(PAUSE_MS);
	}
	return seen;
}

static struct slice
random_word(struct pool *pool)
{
	char bytes[12];
	random_bytes(bytes, sizeof(bytes));
	return encode_hex(pool, (struct slice){ bytes, sizeof(bytes) });
}

/* The key is no key of the service. */
static void
send_and_read(struct doctor *doctor, const struct logs *logs)
{
	const struct slice path = random_word(doctor->pool), key = random_word(doctor->pool);
	char *place = pool_bytes(doctor->pool, READ_MAX);
	struct web_answer answer;
	struct web_request request = { .method = "GET",
		.url = pool_printf(doctor->pool, "%.*s/health/%.*s?api_key=%.*s", SLICE_ARGS(doctor->web.url), SLICE_ARGS(path),
		    SLICE_ARGS(key))
			   .data };
	web_send(doctor, &request, &answer);
	if (!wait_for(logs, path, place))
		DOCTOR_SKIP(doctor, "no log that can be read has the request; name the right one with --access-log FILE");
	for (size_t i = 0; i < logs->count; i++) {
		if (!slice_contains(read_new(&logs->items[i], place), key))
			continue;
		DOCTOR_FIND(doctor, "key_in_log", "%s has the query of a request", logs->items[i].path);
		web_server_lines(doctor, "key_in_log", slice_of(logs->items[i].path));
	}
}

void
check_access_log(struct doctor *doctor)
{
	struct logs logs = { .count = 0 };
	const char *named = ARGUMENTS(doctor->call, struct doctor_arguments)->access_log;
	const char *problem = named == NULL ? NULL : add_log(&logs, doctor->pool, named);
	if (named == NULL)
		add_usual_logs(&logs, doctor->pool);
	if (logs.count > 0)
		send_and_read(doctor, &logs);
	else if (problem != NULL)
		DOCTOR_SKIP(doctor, "%s: %s", named, problem);
	else
		DOCTOR_SKIP(doctor, "no log of a web server can be read; name it with --access-log FILE");
	for (size_t i = 0; i < logs.count; i++)
		close(logs.items[i].fd);
}
