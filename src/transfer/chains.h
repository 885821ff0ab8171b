/* SPDX-License-Identifier: MIT
 * Rows that refer to each other, and an order in which each comes after its referrer (leadhook(1), lead import). In a circle
 * the row that is the first one in the file comes first. */
#ifndef LEADHOOK_TRANSFER_CHAINS_H
#define LEADHOOK_TRANSFER_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/command.h"

struct chains;

struct chains *chains_new(void);
void chains_free(struct chains **chains);
/* Copies the identities of the row, and of its referrer. Rows are numbered from 0. `line`: where it is in the file. */
void chains_add(struct chains *chains, const struct import *row, uint64_t line);
/* Called once, after the last row was added. */
void chains_sort(struct chains *chains);
/* Number `i` of the order: a row. */
size_t chains_at(const struct chains *chains, size_t i);

#endif
