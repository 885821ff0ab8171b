/* SPDX-License-Identifier: MIT
 * Logs why a process ends because of a defect. */
#pragma once

/* From now on a panic, and a signal that indicates a defect (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT), is logged with the
 * current work (log_work) before the process ends. The line of a signal starts with the time in seconds, because its handler
 * cannot format it. */
void crash_log_signals(void);

/* Also appends the current work of the thread that ends the process to this descriptor, as a line "key=value". -1: off. */
void crash_note_to(int fd);
