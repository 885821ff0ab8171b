/* SPDX-License-Identifier: MIT
 * The name of a lead, from the custom fields that clients use for it (docs/api.md 4.5). All results are in the pool. */
#pragma once

#include <stdbool.h>

#include "base/pool.h"
#include "base/slice.h"
#include "engine/model.h"

struct person_name {
	struct slice given, family; /* absent: unknown */
};

struct person_name person_name_of(struct pool *pool, const struct lead *lead);
/* Absent when neither part is known. */
struct slice person_whole_name(struct pool *pool, const struct person_name *names);
/* What stands for a lead without a name: the local part of its email address, or else its phone number with most digits hidden.
 */
struct slice person_address_name(struct pool *pool, const struct lead *lead);
/* The same with most of the local part hidden, too. */
struct slice person_masked_name(struct pool *pool, const struct lead *lead);
/* The whole name, or else the address name. Only email, phone and custom_fields of the lead are read. */
struct slice person_display_name(struct pool *pool, const struct lead *lead);
