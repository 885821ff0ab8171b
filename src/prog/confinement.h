/* SPDX-License-Identifier: MIT
 * The files that each program needs at run time, and the sandbox made from them. */
#pragma once

#include "conf/conf.h"
#include "os/sandbox.h"

/* These functions hide the process, log at `level`, and return the argument for sandbox_enter. If server.sandbox is off, they
 * return NULL and do not hide the process. */

/* For responders and the committer. `socket` is the path of a unix socket that a responder removes itself; "" if there is none.
 */
struct sandbox *confinement_of_responder(const struct conf *conf, const char *socket);
/* The lock file and the signal descriptor must be open already. */
struct sandbox *confinement_of_dispatcher(const struct conf *conf, enum log_level level);
/* For the process that sends mail. Its lock file must be open already. */
struct sandbox *confinement_of_mail(const struct conf *conf, enum log_level level);
