/* SPDX-License-Identifier: MIT
 * Reports the state of a process to the service manager that started it: sd_notify(3), a datagram to the socket that
 * NOTIFY_SOCKET names. Without that variable nothing is sent.
 *
 * The watchdog: when the manager sets WATCHDOG_USEC, it ends the process if it is not alive for that time. So notify_alive must
 * be called by the loop that does the work, and by nothing else. */
#pragma once

#include <stdint.h>

struct notifier;

/* Reads the variables and removes them from the environment, so that no child process reports in our place. An address that is
 * neither a path nor abstract is logged and not used. Never returns NULL. */
struct notifier *notifier_new(void);
/* Sets *notifier to NULL. Here and below it may be NULL. */
void notifier_free(struct notifier **notifier);

/* The service works: the start or a reload is complete. `status` is a line for people, as in `systemctl status`. */
void notify_ready(const struct notifier *notifier, const char *status);
/* A reload begins; notify_ready ends it, whether it succeeded or not. */
void notify_reloading(const struct notifier *notifier);
/* The service is stopping. */
void notify_stopping(const struct notifier *notifier);

/* The loop is alive. Call this no later than notify_when. Sends a report each time half of the watchdog's time has passed. */
void notify_alive(struct notifier *notifier);
/* When notify_alive sends next, in clock_monotonic_ms; CLOCK_NEVER without a watchdog. */
int64_t notify_when(const struct notifier *notifier);
