/* SPDX-License-Identifier: MIT
 * What a process gives up: core dumps, privileges of what it executes, other processes' looks into its memory, and – where the
 * kernel has Landlock – files, execution and TCP ports that it does not need.
 *
 * All of it is a second line of defence: what cannot be had is logged, and the program goes on. */
#ifndef LEADHOOK_BASE_SANDBOX_H
#define LEADHOOK_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/log.h"

/* Call first in main(): nobody ever finds our memory in a file, and no program that is executed gains rights (a set-user-ID
 * bit counts for nothing). Of this process and its children, for good. */
void sandbox_begin(void);

/* Whether other processes of the same account are kept from our memory: no debugger, no reading of most of /proc/PID, and no
 * core dump for a program that the kernel would hand it to, which asks for no limit. Root still can. Children inherit it. */
void sandbox_hide(bool hidden);

/* What a place may be used for. The rights of a folder hold for all that is below it. */
enum {
	SANDBOX_READ = 1,
	SANDBOX_WRITE = 2,  /* write files and make new ones; not truncate, rename or remove them */
	SANDBOX_REMOVE = 4, /* files */
	SANDBOX_BESIDE = 8  /* the same for the folder that holds the file: a new file may take its place */
};

struct sandbox_place {
	const char *path; /* "": none */
	unsigned rights;
};

/* Landlock's rules, ready for any number of processes. */
struct sandbox;

/* Rules that allow no place yet: who enters them may open, make and remove no file, execute nothing, and give no TCP port a
 * listener (Linux 6.7 or newer). What is open already stays as it is; connecting is free, to unix sockets too. Logs at `level`
 * what of it this kernel does. Never NULL. */
struct sandbox *sandbox_new(enum log_level level);
/* Places that are not there are left out. */
void sandbox_allow(struct sandbox *sandbox, const struct sandbox_place *places, size_t count);
/* Of the calling thread, those that it starts and its children, for good: call before there are threads. Frees the rules. */
void sandbox_enter(struct sandbox **sandbox);
/* Sets *sandbox to NULL; here and above it may be NULL. */
void sandbox_free(struct sandbox **sandbox);

#endif
