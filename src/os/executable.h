/* SPDX-License-Identifier: MIT
 * The file of the running program. */
#pragma once

#include "base/pool.h"

/* Its path, in the pool; NULL, with errno set: it cannot be read. */
const char *executable_path(struct pool *pool);
