/* SPDX-License-Identifier: MIT
 * Descriptors inherited from the process that started the program. */
#ifndef LEADHOOK_FCGI_INHERITED_H
#define LEADHOOK_FCGI_INHERITED_H

/* Returns the inherited listening socket, close-on-exec: descriptor 3 when LISTEN_PID and LISTEN_FDS are for this process
 * (sd_listen_fds(3); the variables are removed), else descriptor 0 when it listens. Returns -1 when there is none, or when the
 * announced one is not a listening socket. */
int inherited_socket(void);

#endif
