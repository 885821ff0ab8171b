/* SPDX-License-Identifier: MIT
 * Days of the history as a test wants them: partitions, rows with ids of these days. Days are counted from 1970-01-01. */
#ifndef LEADHOOK_TESTS_STORE_DAYS_H
#define LEADHOOK_TESTS_STORE_DAYS_H

#include "world.h"

enum { RETENTION_DAYS = 3 /* of world_options, once days_start has set it */, AHEAD = 7, DAY_BITS = 36 };

/* WORLD_MAIN of the programs that use this. */
#define DAYS_MAIN(tests) (world_options.retention_ms = RETENTION_DAYS * INT64_C(86400000), WORLD_MAIN(tests))

/* By the database's clock. */
uint64_t today(void);
/* The lowest id of a day. */
uint64_t id_of(uint64_t day);
/* 20261123 */
int64_t date_of(uint64_t day);

/* Empties the history, and makes its partitions those of the days from `from` to `to` (none, when that is before it) and
 * `later`; whoever looks after them may do so at once. */
void remake_days(uint64_t from, uint64_t to);
void end_rest(void);
/* In how many of the three tables the day has a partition: with its name, and ends where the next day begins. */
int64_t tables_with(uint64_t day);
/* All the days of a table, as text, in the pool: "d20261123,d20261124,later". */
const char *days_of(struct pool *pool, const char *table);

/* How a planted delivery stands. */
enum planted_state { PLANTED_ENDED, PLANTED_PENDING, PLANTED_CLAIMED, PLANTED_CLAIM_OVER };
/* An event with that id and its delivery, directly behind it; what has ended has an attempt. The webhook does not exist. */
void plant_event(uint64_t event_id, enum planted_state state);
enum { PLANTED_WEBHOOK = 4711 };

/* Whether the row with this id is in the partition of that day, of deliveries … */
bool in_day(const char *table, uint64_t id, uint64_t day);

/* ALTER TABLE that the server has carried out. */
int64_t alters(void);

#endif
