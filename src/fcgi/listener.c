/* SPDX-License-Identifier: MIT */
#include "fcgi/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/pool.h"
#include "os/descriptors.h"
#include "os/folder.h"
#include "os/log.h"

/* A web server answers 500 or 502 when the queue is full, so it holds more than lighttpd's connections. The kernel may reduce
 * it. */
enum { BACKLOG = 4096, DEFAULT_MODE = 0660 };

struct listener {
	int fd;
	const char *name; /* from the options, or a literal */
	bool made_path;   /* `name` is a path that was bound here */
	dev_t device;     /* of that path's file: another process may have replaced it since */
	ino_t inode;
};

union address {
	struct sockaddr any;
	struct sockaddr_un local;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool
is_local(const union address *address)
{
	switch (address->any.sa_family) {
	case AF_UNIX:
		return true;
	case AF_INET:
		return ntohl(address->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	case AF_INET6:
		return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
	default:
		return false;
	}
}

/* The protocol has no authentication. */
static int
refuse_public(const char *name)
{
	log_error("listen_not_loopback", LOG_STR("listen", name),
	    LOG_STR("hint", "use a unix socket (a path with a '/'), 127.0.0.1:PORT or [::1]:PORT"));
	return EX_CONFIG;
}

/* For the same reason, and because any program that connects is taken for the web server, which names the client's address. */
static int
refuse_open(const char *name)
{
	log_error("listen_open_to_all", LOG_STR("listen", name),
	    LOG_STR("hint", "set server.socket_mode = 0660, and server.socket_group to the group of the web server"));
	return EX_CONFIG;
}

/* ---- inherited sockets ---- */

enum { LISTEN_FDS_START = 3 }; /* sd_listen_fds(3) */

static bool
announced(void)
{
	uint64_t pid, count;
	return slice_to_u64(slice_of(getenv("LISTEN_PID")), INT32_MAX, &pid) && pid == (uint64_t)getpid() &&
	       slice_to_u64(slice_of(getenv("LISTEN_FDS")), INT32_MAX, &count) && count > 0;
}

static bool
is_listening(int fd)
{
	int listening = 0;
	socklen_t size = sizeof(listening);
	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

bool
fcgi_socket_is_inherited(void)
{
	return is_listening(announced() ? LISTEN_FDS_START : STDIN_FILENO);
}

void
fcgi_tidy_descriptors(void)
{
	descriptors_fill();
	close_range(announced() ? LISTEN_FDS_START + 1 : STDERR_FILENO + 1, ~0U, 0);
}

/* Returns the inherited listening socket, close-on-exec: descriptor 3 if LISTEN_PID and LISTEN_FDS are for this process
 * (sd_listen_fds(3); the variables are removed), otherwise descriptor 0 if it listens. Returns -1 when there is none, or when
 * the announced one is not a listening socket. */
static int
inherited_socket(void)
{
	int fd = announced() ? LISTEN_FDS_START : STDIN_FILENO;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	if (!is_listening(fd) || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return -1;
	return fd;
}

static int
adopt(struct listener *listener)
{
	union address address = { .any.sa_family = AF_UNSPEC };
	socklen_t size = sizeof(address);
	listener->fd = inherited_socket();
	if (listener->fd < 0) {
		log_error("no_socket",
		    LOG_STR("hint", "set a socket to listen on, or let a web server or systemd start this program"));
		return EX_USAGE;
	}
	listener->name = listener->fd == STDIN_FILENO ? "(descriptor 0)" : "(LISTEN_FDS)";
	if (getsockname(listener->fd, &address.any, &size) != 0 || !is_local(&address))
		return refuse_public(listener->name);
	int flags = fcntl(listener->fd, F_GETFL);
	if (flags < 0 || fcntl(listener->fd, F_SETFL, flags | O_NONBLOCK) != 0) {
		log_error("listen_failed", LOG_STR("listen", listener->name), LOG_ERRNO(errno));
		return EX_OSERR;
	}
	return EX_OK;
}

/* ---- sockets that are made here ---- */

/* Whether every account can connect: the mode permits it, and others may enter the folder and all its parents. */
static bool
is_open_to_all(const char *path, unsigned mode)
{
	char folder[PATH_MAX];
	struct stat status;
	char *copy = strdup(path);
	if (copy == NULL)
		memory_exhausted();
	bool open = (mode & S_IWOTH) != 0 && realpath(dirname(copy), folder) != NULL;
	free(copy);
	for (char *at = folder; open; at = dirname(at)) {
		open = stat(at, &status) == 0 && (status.st_mode & S_IXOTH) != 0;
		if (strcmp(at, "/") == 0)
			break;
	}
	return open;
}

static bool
open_socket(struct listener *listener, int family)
{
	listener->fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0)
		log_error("listen_failed", LOG_STR("listen", listener->name), LOG_ERRNO(errno));
	return listener->fd >= 0;
}

/* "127.0.0.1:9000" or "[::1]:9000". */
static bool
parse_address(struct slice text, union address *address, socklen_t *size)
{
	char host[INET6_ADDRSTRLEN];
	uint64_t port;
	size_t colon = slice_find_last(text, ':');
	struct slice name = slice_sub(text, 0, colon);
	bool bracketed = slice_starts_with(name, SLICE("[")) && slice_ends_with(name, SLICE("]"));
	if (bracketed)
		name = slice_sub(name, 1, name.size - 1);
	if (name.size >= sizeof(host) || !slice_to_u64(slice_sub(text, colon + 1, text.size), 65535, &port) || port == 0)
		return false;
	memcpy(host, name.data, name.size);
	host[name.size] = '\0';
	if (bracketed) {
		address->v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
		*size = sizeof(address->v6);
		return inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1;
	}
	address->v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	*size = sizeof(address->v4);
	return inet_pton(AF_INET, host, &address->v4.sin_addr) == 1;
}

static int
listen_on_address(struct listener *listener)
{
	union address address;
	socklen_t size;
	int on = 1;
	if (!parse_address(slice_of(listener->name), &address, &size) || !is_local(&address))
		return refuse_public(listener->name);
	if (!open_socket(listener, address.any.sa_family))
		return EX_OSERR;
	if (setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(listener->fd, &address.any, size) != 0 || listen(listener->fd, BACKLOG) != 0) {
		int number = errno;
		log_error("listen_failed", LOG_STR("listen", listener->name), LOG_ERRNO(number));
		return number == EADDRINUSE ? EX_UNAVAILABLE : EX_CANTCREAT;
	}
	return EX_OK;
}

/* Two programs that start at the same time must not both find the old socket stale and remove each other's, so they lock the
 * directory. Returns -1 when it cannot be locked; then only the check protects. */
static int
lock_directory(const char *path)
{
	char *copy = strdup(path);
	if (copy == NULL)
		memory_exhausted();
	int fd = folder_lock(dirname(copy));
	free(copy);
	return fd;
}

/* Removes a stale socket; EX_OK when the path is free. */
static int
remove_stale(const struct listener *listener, const union address *address)
{
	struct stat status;
	if (lstat(listener->name, &status) != 0)
		return EX_OK; /* bind reports other errors */
	if (!S_ISSOCK(status.st_mode)) {
		log_error("listen_not_a_socket", LOG_STR("listen", listener->name));
		return EX_CANTCREAT;
	}
	int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (probe < 0) {
		log_error("listen_failed", LOG_STR("listen", listener->name), LOG_ERRNO(errno));
		return EX_OSERR;
	}
	/* Only a refusal proves that no process listens: with a full queue (EAGAIN) there is a listener, and a permission error
	 * proves nothing. */
	bool stale = connect(probe, &address->any, sizeof(address->local)) != 0 && errno == ECONNREFUSED;
	close(probe);
	if (!stale) {
		log_error("listen_in_use", LOG_STR("listen", listener->name));
		return EX_UNAVAILABLE;
	}
	log_info("stale_socket_removed", LOG_STR("listen", listener->name));
	unlink(listener->name);
	return EX_OK;
}

static bool
find_group(const char *text, gid_t *group)
{
	uint64_t number;
	const struct group *entry = getgrnam(text);
	if (entry != NULL)
		*group = entry->gr_gid;
	else if (slice_to_u64(slice_of(text), INT32_MAX, &number))
		*group = (gid_t)number;
	else
		return false;
	return true;
}

/* The mode comes from the umask, and the group is set before listen(2), so that the socket is never open to others. */
static int
bind_path(struct listener *listener, const struct fcgi_options *options, const union address *address)
{
	struct stat status;
	gid_t group = (gid_t)-1;
	unsigned mode = options->socket_mode != 0 ? options->socket_mode : DEFAULT_MODE;
	if (is_open_to_all(listener->name, mode))
		return refuse_open(listener->name);
	if (options->socket_group != NULL && !find_group(options->socket_group, &group)) {
		log_error("no_such_group", LOG_STR("group", options->socket_group));
		return EX_CONFIG;
	}
	mode_t saved = umask(0777 & ~(mode_t)mode);
	int bound = bind(listener->fd, &address->any, sizeof(address->local));
	umask(saved);
	if (bound == 0 && lstat(listener->name, &status) == 0) {
		listener->made_path = true;
		listener->device = status.st_dev;
		listener->inode = status.st_ino;
		if ((options->socket_group == NULL || lchown(listener->name, (uid_t)-1, group) == 0) &&
		    listen(listener->fd, BACKLOG) == 0)
			return EX_OK;
	}
	log_error("listen_failed", LOG_STR("listen", listener->name), LOG_ERRNO(errno));
	return EX_CANTCREAT;
}

static int
listen_on_path(struct listener *listener, const struct fcgi_options *options)
{
	union address address = { .local.sun_family = AF_UNIX };
	size_t size = strlen(listener->name);
	if (size >= sizeof(address.local.sun_path)) {
		log_error("listen_path_too_long", LOG_STR("listen", listener->name),
		    LOG_UINT("maximum", sizeof(address.local.sun_path) - 1));
		return EX_CONFIG;
	}
	memcpy(address.local.sun_path, listener->name, size);
	if (!open_socket(listener, AF_UNIX))
		return EX_OSERR;
	int lock = lock_directory(listener->name);
	int status = remove_stale(listener, &address);
	if (status == EX_OK)
		status = bind_path(listener, options, &address);
	descriptor_close(lock);
	return status;
}

struct listener *
listener_open(const struct fcgi_options *options, int *status)
{
	struct listener *listener = memory_alloc(sizeof(*listener));
	*listener = (struct listener){ .fd = -1 };
	if (options->listen == NULL) {
		*status = adopt(listener);
	} else {
		listener->name = options->listen;
		*status = strchr(listener->name, '/') != NULL ? listen_on_path(listener, options) : listen_on_address(listener);
	}
	if (*status != EX_OK)
		listener_close(&listener);
	return listener;
}

void
listener_close(struct listener **listener)
{
	if (*listener == NULL)
		return;
	(void)listener_retract(*listener);
	descriptor_close((*listener)->fd);
	free(*listener);
	*listener = NULL;
}

int
listener_descriptor(const struct listener *listener)
{
	return listener->fd;
}

const char *
listener_name(const struct listener *listener)
{
	return listener->name;
}

bool
listener_retract(struct listener *listener)
{
	struct stat status;
	if (!listener->made_path)
		return false;
	if (lstat(listener->name, &status) == 0 && status.st_dev == listener->device && status.st_ino == listener->inode)
		unlink(listener->name);
	listener->made_path = false;
	return true;
}
