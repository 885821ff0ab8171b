/* SPDX-License-Identifier: MIT
 * Icons for links that share something, at the names by which older pages load theirs. They are our own: the first letters of a
 * network, or what a link does. */
#ifndef LEADHOOK_PAGE_ICONS_H
#define LEADHOOK_PAGE_ICONS_H

#include "base/pool.h"
#include "base/slice.h"

/* The icon as SVG, for a name as "twitter.png" or "email.svg"; absent: there is none. In the pool. */
struct slice page_icon(struct pool *pool, struct slice name);

#endif
