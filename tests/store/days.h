/* SPDX-License-Identifier: MIT
 * Partitions of the history and rows with ids of chosen days. Days are counted from 1970-01-01. */
#pragma once

#include "world.h"

enum { RETENTION_DAYS = 3 /* of world_options, set by days_start */, AHEAD = 7, DAY_BITS = 36 };

/* WORLD_MAIN for programs that use this file. */
#define DAYS_MAIN(tests) (world_options.retention_ms = RETENTION_DAYS * INT64_C(86400000), WORLD_MAIN(tests))

/* By the database's clock. */
uint64_t today(void);
/* The lowest id of a day. */
uint64_t id_of(uint64_t day);
/* 20261123 */
int64_t date_of(uint64_t day);

/* Empties the history, and makes the partitions of the days from `from` to `to` (none when `to` is earlier) and `later`. Ends
 * the pause of the maintenance. */
void remake_days(uint64_t from, uint64_t to);
void end_rest(void);
/* The number of tables, out of three, that have a partition of the day with the right name and limit. */
int64_t tables_with(uint64_t day);
/* All the days of a table, as text, in the pool: "d20261123,d20261124,later". */
const char *days_of(struct pool *pool, const char *table);

/* State of a planted delivery. */
enum planted_state { PLANTED_ENDED, PLANTED_PENDING };
/* Inserts an event with this id, and its delivery with the next id; an ended delivery has an attempt. The webhook does not
 * exist. */
void plant_event(uint64_t event_id, enum planted_state state);
enum { PLANTED_WEBHOOK = 4711 };

/* Whether the row with this id is in the partition of that day. */
bool in_day(const char *table, uint64_t id, uint64_t day);

/* The number of ALTER TABLE statements that the server has run. */
int64_t alters(void);
