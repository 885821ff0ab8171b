/* SPDX-License-Identifier: MIT
 * Encodings with a byte for each character; the characters of their bytes above ASCII. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum { BYTE_TABLE_FIRST = 0x80, BYTE_TABLE_SIZE = 0x80 };

struct byte_table {
	struct slice name;
	uint16_t characters[BYTE_TABLE_SIZE];
};
/* The first one is the most usual one. */
extern const struct byte_table byte_tables[];
extern const size_t byte_table_count;
