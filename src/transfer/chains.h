/* SPDX-License-Identifier: MIT
 * Sorts rows that refer to each other so that each comes after its referrer (leadhook(1), lead import). In a circle, the first
 * row in the file comes first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/command.h"

struct chains;

struct chains *chains_new(void);
void chains_free(struct chains **chains);
/* Copies the identities of the row and of its referrer. Rows are numbered from 0. `line` is the row's place in the file. */
void chains_add(struct chains *chains, const struct import *row, uint64_t line);
/* Called once, after the last row was added. */
void chains_sort(struct chains *chains);
/* Returns the row at place `i` of the order. */
size_t chains_at(const struct chains *chains, size_t i);
