/* SPDX-License-Identifier: MIT */
#include "os/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/slice.h"
#include "os/clock.h"
#include "os/descriptors.h"
#include "os/log.h"

/* A manager that does not read must not hold up the process for long. */
enum { SEND_TIMEOUT_S = 1, RETRY_MS = 1000, STATE_MAX = 256, WATCHDOG_MAX_S = 24 * 60 * 60 };

struct notifier {
	struct sockaddr_un address;
	socklen_t size;      /* of the address; 0: no manager */
	int64_t interval_ms; /* half of the watchdog's time; 0: no watchdog */
	int64_t next_ms;     /* when the next sign of life is due */
};

/* "@name" is abstract: a zero byte instead of the @ (unix(7)). */
static void
read_address(struct notifier *notifier, const char *text)
{
	const size_t length = strlen(text);
	if ((text[0] != '/' && text[0] != '@') || length < 2 || length >= sizeof(notifier->address.sun_path)) {
		log_warning(
		    "bad_notify_socket", LOG_STR("path", text), LOG_STR("consequence", "the service manager gets no reports"));
		return;
	}
	notifier->address.sun_family = AF_UNIX;
	memcpy(notifier->address.sun_path, text, length);
	if (text[0] == '@')
		notifier->address.sun_path[0] = '\0';
	notifier->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (text[0] == '/' ? 1 : 0));
}

/* WATCHDOG_PID names the process to watch, if not all are watched. */
static int64_t
read_interval(void)
{
	const char *pid = getenv("WATCHDOG_PID");
	uint64_t us, number;
	if (!slice_to_u64(slice_of(getenv("WATCHDOG_USEC")), (uint64_t)WATCHDOG_MAX_S * 1000000, &us))
		return 0;
	if (pid != NULL && (!slice_to_u64(slice_of(pid), INT32_MAX, &number) || number != (uint64_t)getpid()))
		return 0;
	return us == 0 ? 0 : us < 2000 ? 1 : (int64_t)us / 2000;
}

struct notifier *
notifier_new(void)
{
	struct notifier *notifier = memory_alloc(sizeof(*notifier));
	const char *path = getenv("NOTIFY_SOCKET");
	if (path != NULL && *path != '\0')
		read_address(notifier, path);
	if (notifier->size > 0)
		notifier->interval_ms = read_interval();
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return notifier;
}

void
notifier_free(struct notifier **notifier)
{
	free(*notifier);
	*notifier = NULL;
}

/* One socket for each message: children inherit none, and a restarted manager has a new one at the same path. */
static bool
send_state(const struct notifier *notifier, const char *state)
{
	const struct timeval timeout = { .tv_sec = SEND_TIMEOUT_S };
	if (notifier == NULL || notifier->size == 0)
		return true;
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool sent = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) == 0 &&
		    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&notifier->address,
			notifier->size) == (ssize_t)strlen(state);
	if (!sent)
		log_warning("not_notified", LOG_STR("state", state), LOG_ERRNO(errno));
	descriptor_close(fd);
	return sent;
}

void
notify_ready(const struct notifier *notifier, const char *status)
{
	char state[STATE_MAX];
	snprintf(state, sizeof(state), "READY=1\nSTATUS=%s", status);
	send_state(notifier, state);
}

/* Type=notify-reload of systemd 253 and newer needs the time of CLOCK_MONOTONIC. */
void
notify_reloading(const struct notifier *notifier)
{
	char state[STATE_MAX];
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\nSTATUS=Reloading",
	    (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	send_state(notifier, state);
}

void
notify_stopping(const struct notifier *notifier)
{
	send_state(notifier, "STOPPING=1\nSTATUS=Stopping");
}

void
notify_alive(struct notifier *notifier)
{
	if (notifier == NULL || notifier->interval_ms == 0)
		return;
	const int64_t now = clock_monotonic_ms();
	if (now < notifier->next_ms)
		return;
	const bool waits = send_state(notifier, "WATCHDOG=1") || notifier->interval_ms < RETRY_MS;
	notifier->next_ms = now + (waits ? notifier->interval_ms : RETRY_MS);
}

int64_t
notify_when(const struct notifier *notifier)
{
	return notifier == NULL || notifier->interval_ms == 0 ? CLOCK_NEVER : notifier->next_ms;
}
