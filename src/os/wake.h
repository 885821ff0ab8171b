/* SPDX-License-Identifier: MIT
 * Wakes are empty datagrams to the process that has opened the wake socket of a file. The socket's name is made of the
 * file's device and inode and is abstract (unix(7)), so that nothing is left on disk and different files have different
 * sockets.
 *
 * A wake is a hint. It can be lost, does not leave the host or its network namespace, and any account of the host can send
 * one. */
#pragma once

#include "base/attributes.h"

/* Opens the socket of an existing file. Returns a descriptor that becomes readable with a wake; -1, logged, on errors. */
MUST_CHECK int wake_open(const char *path);
/* Takes the wakes that have arrived, but only some hundreds at a time, so that a flood cannot hold up the caller. `socket` may
 * be -1. */
void wake_drain(int socket);

struct wake_sender;

/* `path` must stay valid. The file need not exist. */
struct wake_sender *wake_sender_new(const char *path);
void wake_sender_free(struct wake_sender **sender);
/* Sends a wake; never waits or fails. While the socket does not exist, it is searched for at most once a second. `sender`
 * may be NULL. */
void wake_send(struct wake_sender *sender);
