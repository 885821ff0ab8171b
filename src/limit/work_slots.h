/* SPDX-License-Identifier: MIT
 * Limits how many long operations run at a time on this host, so that they cannot occupy all responders. The hash of a password
 * takes 19 MiB and a core for some tens of milliseconds (crypto/password.h, docs/users.md 3); an import, export, report,
 * erasure or search of names takes a second or two (docs/manage.md 1.2).
 *
 * A slot is a robust lock in memory that all processes of the host share (os/shared.h): a process that dies frees its own. A
 * slot belongs to the thread that took it, for one of its fibers (os/fiber.h). */
#pragma once

#include <stdint.h>

#include "base/attributes.h"

enum work_kind { WORK_HASHES, WORK_LONG_CALLS, WORK_KINDS };
/* WORK_SLOTS_WAITING: how many callers may wait for a slot. Each occupies a responder, and mod_fcgid has only four. */
enum { WORK_SLOTS_MAX = 2, WORK_SLOTS_WAITING = 2, WORK_SLOTS_WAIT_MS = 2000 };

struct work_slots;

/* `folder`: as for shared_open. `count`: slots, from 1 to WORK_SLOTS_MAX; the same in all processes. Returns NULL, and logs
 * why, when there is no shared memory. */
struct work_slots *work_slots_open(const char *folder, enum work_kind kind, int count);
void work_slots_close(struct work_slots **slots);

/* The name of the file in the folder. */
const char *work_slots_file(enum work_kind kind);

/* Takes a slot and returns its number, from 0; -1: WORK_SLOTS_WAITING others are already waiting, or none became free within
 * WORK_SLOTS_WAIT_MS. */
MUST_CHECK int work_slots_take(struct work_slots *slots);
void work_slots_give_back(struct work_slots *slots, int slot);
