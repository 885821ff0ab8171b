/* SPDX-License-Identifier: MIT
 * The shards of a dispatcher, in statements. Cannot fail; the list is in the pool. */
#ifndef LEADHOOK_STORE_QUEUE_SHARDS_H
#define LEADHOOK_STORE_QUEUE_SHARDS_H

#include <stdint.h>

#include "base/pool.h"
#include "db/db.h"

/* Bit i of `shards`: shard i. */
struct db_list store_shard_list(struct pool *pool, uint64_t shards);

#endif
