/* SPDX-License-Identifier: MIT
 * The socket that requests come from: made here or inherited. */
#ifndef LEADHOOK_FCGI_LISTENER_H
#define LEADHOOK_FCGI_LISTENER_H

#include "base/attributes.h"
#include "fcgi/server.h"

struct listener;

/* Opens what options->listen, socket_mode and socket_group say. NULL when it cannot: logged, *status is then the exit status.
 * The options' texts must stay. A unix socket that nobody listens on any more is replaced; one with somebody behind it never.
 */
MUST_CHECK struct listener *listener_open(const struct fcgi_options *options, int *status);
/* Closes it, removes the path when it is still the one made here, and sets *listener to NULL; *listener may be NULL. */
void listener_close(struct listener **listener);

/* Non-blocking and close-on-exec; stays the listener's. */
int listener_descriptor(const struct listener *listener);
/* For logs: the path or address, or how it was inherited. */
const char *listener_name(const struct listener *listener);
/* True when the process manager gave it as descriptor 0. */
bool listener_is_standard_input(const struct listener *listener);
/* Takes the path away, so that no new connection can come. True when that is so: what is queued now is all there will be.
 * False for sockets that others hold too and for addresses, where there would be no end to it. */
bool listener_retract(struct listener *listener);

#endif
