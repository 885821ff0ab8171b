/* SPDX-License-Identifier: MIT */
#define SYSLOG_NAMES /* facilitynames of syslog.h */
#include "os/log_syslog.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "os/descriptors.h"

enum { HEADER_SIZE = 128, FACILITY_NONE = -1 };

static const int severities[] = {
	[LOG_LEVEL_ERROR] = LOG_ERR,
	[LOG_LEVEL_WARNING] = LOG_WARNING,
	[LOG_LEVEL_INFO] = LOG_INFO,
	[LOG_LEVEL_DEBUG] = LOG_DEBUG,
};

static struct {
	int facility, fd;
	struct sockaddr_un address;
	int failure;   /* errno of the last failed connection; 0 after one that succeeded */
	bool reported; /* whether it has been logged */
} state = { .facility = FACILITY_NONE, .fd = -1 };

static int
facility_of(const char *name)
{
	const CODE *code = facilitynames;
	while (code->c_name != NULL && strcmp(code->c_name, name) != 0)
		code++;
	return code->c_name == NULL ? FACILITY_NONE : code->c_val;
}

static void
disconnect(void)
{
	state.fd = descriptor_close(state.fd);
}

static struct sockaddr_un
address_of(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	return address;
}

/* Returns -1, with errno set, on errors. */
static int
connect_to(const struct sockaddr_un *address)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
		return fd;
	return descriptor_close(fd);
}

static bool
connect_again(void)
{
	disconnect();
	state.fd = connect_to(&state.address);
	state.failure = state.fd < 0 ? errno : 0;
	state.reported = state.reported && state.fd < 0;
	return state.fd >= 0;
}

bool
log_could_use_syslog(const char *path)
{
	const struct sockaddr_un address = address_of(path);
	const int fd = connect_to(&address);
	descriptor_close(fd);
	return fd >= 0;
}

int
syslog_failure(void)
{
	const int failure = state.reported ? 0 : state.failure;
	state.reported = state.reported || failure != 0;
	return failure;
}

void
syslog_report(int failure)
{
	log_warning("syslog_away", LOG_STR("path", state.address.sun_path), LOG_ERRNO(failure),
	    LOG_STR("consequence", "lines are written to log.file or standard error"),
	    LOG_STR("hint", "start the syslog daemon, or correct log.syslog_socket"));
}

void
log_use_syslog(const char *facility, const char *path)
{
	disconnect();
	state.facility = facility_of(facility);
	state.address = address_of(path);
	state.failure = 0;
	state.reported = false;
	if (state.facility == FACILITY_NONE)
		return;
	tzset(); /* so that no line has to read the time zone */
	if (!connect_again())
		syslog_report(syslog_failure());
}

bool
syslog_is_used(void)
{
	return state.facility != FACILITY_NONE;
}

int
syslog_descriptor(void)
{
	return state.fd;
}

static bool
send_parts(struct slice header, struct slice line)
{
	struct iovec parts[] = { { (char *)(uintptr_t)header.data, header.size }, { (char *)(uintptr_t)line.data, line.size } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = ARRAY_SIZE(parts) };
	return state.fd >= 0 && sendmsg(state.fd, &message, MSG_NOSIGNAL) >= 0;
}

/* Local time, and no host name, which the daemon adds. */
static struct slice
make_header(enum log_level level, const char *program, long pid, char text[HEADER_SIZE])
{
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	const time_t now = time(NULL);
	struct tm local;
	localtime_r(&now, &local);
	const int size = snprintf(text, HEADER_SIZE, "<%d>%s %2d %02d:%02d:%02d %s[%ld]: ", state.facility | severities[level],
	    months[local.tm_mon], local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, program, pid);
	return (struct slice){ text, size < HEADER_SIZE ? (size_t)size : HEADER_SIZE - 1 };
}

bool
syslog_send(enum log_level level, const char *program, long pid, struct slice line)
{
	char text[HEADER_SIZE];
	const struct slice header = make_header(level, program, pid, text);
	if (send_parts(header, line))
		return true;
	/* EAGAIN: its queue is full, and another connection would not change that */
	return (state.fd < 0 || (errno != EAGAIN && errno != ENOBUFS)) && connect_again() && send_parts(header, line);
}

bool
syslog_send_raw(struct slice line)
{
	char text[HEADER_SIZE];
	struct buffer header = { .data = text, .capacity = sizeof(text), .maximum = sizeof(text) - 1 };
	if (!syslog_is_used())
		return false;
	buffer_add_byte(&header, '<');
	buffer_add_u64(&header, (uint64_t)(state.facility | severities[LOG_LEVEL_ERROR]));
	buffer_add_byte(&header, '>');
	buffer_add_text(&header, log_program());
	buffer_add_byte(&header, '[');
	buffer_add_u64(&header, (uint64_t)getpid());
	buffer_add(&header, SLICE("]: "));
	return send_parts(buffer_slice(&header), line);
}
