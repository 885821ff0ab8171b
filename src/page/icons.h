/* SPDX-License-Identifier: MIT
 * Icons for links that share something, under the names that pages of other services load. They are our own drawings: the first
 * letters of a network, or what a link does. */
#pragma once

#include "base/pool.h"
#include "base/slice.h"

/* The icon with a name such as "twitter.png" or "email.svg", as SVG in the pool; absent: there is none. */
struct slice page_icon(struct pool *pool, struct slice name);
