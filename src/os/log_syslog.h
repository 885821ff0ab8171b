/* SPDX-License-Identifier: MIT
 * Lines for the syslog daemon (RFC 3164), as datagrams to its socket. libc's syslog(3) would wait for a daemon that does not
 * read. Private to os/log.c, which locks. */
#pragma once

#include "os/log.h"

bool syslog_is_used(void);
/* The socket; -1: none. */
int syslog_descriptor(void);
/* Connects again after a restart of the daemon. Returns false when it did not take the line. */
MUST_CHECK bool syslog_send(enum log_level level, const char *program, long pid, struct slice line);
/* The errno of a failed connection, reported once until a connection succeeds again; otherwise 0. */
int syslog_failure(void);
/* Logs this failure. Call without the lock. */
void syslog_report(int failure);
/* Sends an error over the existing connection. Safe in a signal handler. */
MUST_CHECK bool syslog_send_raw(struct slice line);
