/* SPDX-License-Identifier: MIT
 * Whose commands are in the committer's next batch: deficit round robin over accounts (docs/architecture.md 7.1.1). It counts
 * the work that commands are expected to cause, as learned from earlier ones of the same kind and campaign.
 *
 * No I/O, no peers; nothing can fail. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "engine/command.h"

/* Work is counted in rows; each KiB counts as one row. */
enum {
	TURNS_BATCH_WORK = 3000,                  /* maximum for a batch of several commands */
	TURNS_QUANTUM = 1000,                     /* how much an account may add to its next batch while others wait */
	TURNS_LARGE_WORK = 500,                   /* a command with more work is a batch of its own */
	TURNS_COMMAND_WORK = 2 * TURNS_BATCH_WORK /* no command counts as more than this */
};

/* The properties of a waiting command that decide when it is run. */
struct turn {
	uint64_t account_id; /* the account of the campaign */
	uint64_t campaign_id;
	enum command_kind kind;
	uint32_t leads;   /* the number of leads that it names */
	uint64_t arrival; /* commands of an account are run in this order */
};

/* The turn of a command; `arrival` is its number in the order of arrival. */
struct turn turn_of(const struct command *command, uint64_t arrival);

struct turns;

struct turns *turns_new(void);
void turns_free(struct turns **turns);

/* The work expected of a command. */
uint32_t turns_expect(const struct turns *turns, const struct turn *turn);
/* Notes how much work a command caused. */
void turns_learn(struct turns *turns, const struct turn *turn, struct work work);

/* Maxima of a batch in addition to its work. A command that exceeds them by itself is a batch of its own. */
struct turns_limits {
	size_t commands, leads;
};

/* Chooses the next batch. `waiting` are all waiting commands, in any order; `chosen` gets the indices of the commands to run
 * now, in order. Returns their number: at least one if any is waiting. */
size_t turns_choose(struct turns *turns, struct pool *pool, const struct turn *const *waiting, size_t count,
    struct turns_limits limits, size_t *chosen);
