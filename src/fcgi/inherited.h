/* SPDX-License-Identifier: MIT
 * Descriptors inherited from the process that started the program. */
#pragma once

#include <stdbool.h>

/* Calls descriptors_fill() (FastCGI passes only descriptor 0), and closes the inherited descriptors above 2 except the
 * listening socket of LISTEN_FDS. Call first in main(), before any file is opened. */
void fcgi_tidy_descriptors(void);

/* True when the process inherited a listening socket, which options.listen = NULL uses. Call before the socket is opened. */
bool fcgi_socket_is_inherited(void);

/* Returns the inherited listening socket, close-on-exec: descriptor 3 when LISTEN_PID and LISTEN_FDS are for this process
 * (sd_listen_fds(3); the variables are removed), else descriptor 0 when it listens. Returns -1 when there is none, or when the
 * announced one is not a listening socket. */
int inherited_socket(void);
