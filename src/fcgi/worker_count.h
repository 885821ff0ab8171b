/* SPDX-License-Identifier: MIT
 * How many workers FCGI_WORKERS_AUTO stands for. */
#pragma once

#include <stddef.h>

/* So many per core of this host, for at most four cores. */
size_t fcgi_workers_auto(size_t per_core);
