/* SPDX-License-Identifier: MIT
 * The listening socket: created here or inherited. */
#pragma once

#include "base/attributes.h"
#include "fcgi/application.h"

struct listener;

/* Calls descriptors_fill() (FastCGI passes only descriptor 0), and closes the inherited descriptors above 2 except the
 * listening socket of LISTEN_FDS. Call first in main(), before any file is opened. */
void fcgi_tidy_descriptors(void);
/* True if the process inherited a listening socket, which options.listen = NULL uses. Call before the socket is opened. */
bool fcgi_socket_is_inherited(void);

/* Opens the socket of options->listen, socket_mode and socket_group. Returns NULL, logged, on errors; *status is then the exit
 * status. The strings of the options must stay valid. Replaces a unix socket on which no process listens, never one that is in
 * use. */
MUST_CHECK struct listener *listener_open(const struct fcgi_options *options, int *status);
/* Closes it, removes the path if it is still the one created here, and sets *listener to NULL; *listener may be NULL. */
void listener_close(struct listener **listener);

/* Non-blocking and close-on-exec; owned by the listener. */
int listener_descriptor(const struct listener *listener);
/* For logs: the path or address, or how it was inherited. */
const char *listener_name(const struct listener *listener);
/* Removes the path, so that no new connections are possible. Returns true on success: only the queued connections are left.
 * Returns false for sockets that other processes share and for addresses, where clients can still connect. */
bool listener_retract(struct listener *listener);
