/* SPDX-License-Identifier: MIT
 * Links that others give us and that a page may lead its visitors to. */
#ifndef LEADHOOK_CORE_LINK_H
#define LEADHOOK_CORE_LINK_H

#include <stdbool.h>

#include "base/pool.h"
#include "base/slice.h"

/* True for an http or https URL and for a reference without a scheme ("/thanks", "//shop.example/", "?step=2"), read as
 * browsers read them (WHATWG URL, "basic URL parser"): blanks and control characters in front do not count, tabs and line ends
 * nowhere. So "java\nscript:alert(1)" is none. */
bool link_is_web(struct slice link);

/* The host of an http or https URL, which may be written without its scheme ("//shop.example/", "shop.example/a"), in
 * lower-case A-labels; absent when there is none. In the pool. */
struct slice link_host(struct pool *pool, struct slice link);

#endif
