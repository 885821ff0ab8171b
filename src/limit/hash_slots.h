/* SPDX-License-Identifier: MIT
 * How many passwords are hashed at a time on this host: a hash takes 19 MiB and a core for some tens of milliseconds
 * (crypto/password.h), and the responders of all programs could make one each (docs/users.md 3).
 *
 * A slot is a robust lock in memory that all processes of the host share (base/shared.h): a process that dies frees its own. A
 * slot belongs to the thread that took it. */
#ifndef LEADHOOK_LIMIT_HASH_SLOTS_H
#define LEADHOOK_LIMIT_HASH_SLOTS_H

#include <stdint.h>

#include "base/attributes.h"

/* HASH_WAITING: callers that may wait for a slot at a time. They occupy responders, which other requests need. */
#define HASH_SLOTS_FILE "hashing" /* in the folder */
enum { HASH_SLOTS = 2 /* at most */, HASH_WAITING = 4, HASH_WAIT_MS = 2000 };

struct hash_slots;

/* `folder` as for shared_open, with which it is opened. `count`: of slots, from 1 to HASH_SLOTS; the same in all processes.
 * NULL, logged: there is no shared memory. */
struct hash_slots *hash_slots_open(const char *folder, int count);
void hash_slots_close(struct hash_slots **slots);

/* Takes a slot, a number from 0; -1 when HASH_WAITING others wait, or none was free for HASH_WAIT_MS. */
MUST_CHECK int hash_slots_take(struct hash_slots *slots);
void hash_slots_give_back(struct hash_slots *slots, int slot);

#endif
