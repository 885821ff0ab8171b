/* SPDX-License-Identifier: MIT
 * The signals that control the processes. They stay blocked and are read where a process waits (sigtimedwait, signalfd), so
 * that none interrupts a request and none is lost. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Blocks TERM INT USR1 USR2 HUP CHLD, and resets an inherited "ignore" (nohup), which would discard them. PIPE is ignored:
 * writing to a closed log or peer is an error of the write. */
void signals_block(void);
/* Fills the set with these signals. */
void signals_fill(sigset_t *set);
/* True for TERM, INT, USR1. */
bool signal_means_stop(int number);
