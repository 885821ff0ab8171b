/* SPDX-License-Identifier: MIT
 * Privileges that a process gives up: core dumps, privileges of executed programs, access of other processes to its memory,
 * and, where the kernel has Landlock, files, execution and TCP ports that it does not need.
 *
 * This is a second line of defence: whatever is not available is logged, and the program continues. */
#pragma once

#include <stddef.h>

#include "os/log.h"

/* Disables core dumps and privilege gains by executed programs (set-user-ID bits have no effect). Permanent for this process
 * and its children. Call first in main(). */
void sandbox_begin(void);

/* Denies other processes of the same account access to our memory: debuggers, most of /proc/PID, and core dumps that the kernel
 * pipes to a program, which no size limit prevents. Root still has access. Children inherit it. */
void sandbox_hide(void);
/* Allows it again. */
void sandbox_unhide(void);

/* What a path may be used for. The rights of a folder apply to everything below it. */
enum {
	SANDBOX_READ = 1,
	SANDBOX_WRITE = 2,  /* write and create files; not truncate, rename or remove them */
	SANDBOX_REMOVE = 4, /* files */
	SANDBOX_BESIDE = 8  /* the rights of the file apply to its folder too: the file may be replaced by a new one */
};

struct sandbox_place {
	const char *path; /* "": none */
	unsigned rights;
};

/* A set of Landlock rules, which any number of processes can enter. */
struct sandbox;

/* Rules that allow no path yet. A process that enters them cannot open, create or remove files, execute programs or listen on
 * TCP ports (Linux 6.7 or newer). Open files stay usable; connecting, also to unix sockets, is not restricted. Logs at `level`
 * which of these the kernel supports. Never returns NULL. */
struct sandbox *sandbox_new(enum log_level level);
/* Adds rules for these places; those that do not exist are skipped. */
void sandbox_allow(struct sandbox *sandbox, const struct sandbox_place *places, size_t count);
/* Applies permanently to the calling thread, its new threads and its children: call before threads start. Frees the rules. */
void sandbox_enter(struct sandbox **sandbox);
/* Sets *sandbox to NULL. Here and above it may be NULL. */
void sandbox_free(struct sandbox **sandbox);
