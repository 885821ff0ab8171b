/* SPDX-License-Identifier: MIT
 * Like with_pool.h, but with the default address rules. */
#pragma once

#include "conf/setting_table.h"
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
