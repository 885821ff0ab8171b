/* SPDX-License-Identifier: MIT
 * Loopback addresses, 127.0.0.0/8 (also as ::ffff:127.0.0.1) and ::1: only programs of this host have them. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"

/* Whether the host is localhost or a loopback address. Other names are not resolved: they may lead anywhere. */
bool host_is_loopback(struct slice host);
