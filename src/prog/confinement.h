/* SPDX-License-Identifier: MIT
 * What each program still needs once it runs, and the sandbox made of that. */
#ifndef LEADHOOK_PROG_CONFINEMENT_H
#define LEADHOOK_PROG_CONFINEMENT_H

#include "base/sandbox.h"
#include "conf/conf.h"

/* Both hide this process, log at `level`, and answer what sandbox_enter takes; with server.sandbox off it is NULL, and the
 * process is not hidden. */

/* For responders and the committer. `socket` is the path of a unix socket that a responder removes itself, "": none. */
struct sandbox *confinement_of_responder(const struct conf *conf, const char *socket);
/* The lock file and the signals' descriptor are to be open already. */
struct sandbox *confinement_of_dispatcher(const struct conf *conf, enum log_level level);

#endif
