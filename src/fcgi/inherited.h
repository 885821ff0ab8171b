/* SPDX-License-Identifier: MIT
 * Descriptors that whoever started the program left open. */
#ifndef LEADHOOK_FCGI_INHERITED_H
#define LEADHOOK_FCGI_INHERITED_H

/* The listening socket that was handed over, close-on-exec: descriptor 3 when LISTEN_PID and LISTEN_FDS speak of this
 * process (sd_listen_fds(3); the variables are removed), else descriptor 0 when it listens. -1 when there is none, or when
 * the one announced is no listening socket. */
int inherited_socket(void);

#endif
