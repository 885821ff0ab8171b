/* SPDX-License-Identifier: MIT
 * Like with_pool.h, with the default address rules. */
#ifndef LEADHOOK_TESTS_CORE_WITH_RULES_H
#define LEADHOOK_TESTS_CORE_WITH_RULES_H

#include "conf/settings.h"
#include "webhook/address_rules.h"
#include "with_pool.h"

static struct address_rules rules;

static struct slice
default_ports(void)
{
	return slice_of(conf_setting_find("dispatch", "deny_ports")->fallback);
}

static int
begin_with_rules(void **state)
{
	struct slice bad;
	begin(state);
	return address_rules_parse(pool, SLICE_NONE, default_ports(), &rules, &bad) ? 0 : -1;
}

#endif
