/* SPDX-License-Identifier: MIT
 * The name of a lead, from the custom fields that clients use for it (docs/api.md 4.5). All results are in the pool. */
#ifndef LEADHOOK_ENGINE_PERSON_NAME_H
#define LEADHOOK_ENGINE_PERSON_NAME_H

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
/* What stands for a lead without a name: the local part of its email address, else its phone number; unless `full`, with most
 * of it hidden. */
struct slice person_address_name(struct pool *pool, const struct lead *lead, bool full);
/* The whole name, else the address. Only email, phone and custom_fields of the lead are read. */
struct slice person_display_name(struct pool *pool, const struct lead *lead, bool full);

#endif
