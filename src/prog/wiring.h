/* SPDX-License-Identifier: MIT
 * From the configuration to the options of the layers, the same for all programs. */
#ifndef LEADHOOK_PROG_WIRING_H
#define LEADHOOK_PROG_WIRING_H

#include "base/pool.h"
#include "conf/conf.h"
#include "core/address.h"
#include "store/store.h"

/* Reads the configuration, starts the log. NULL: what is wrong was written to standard error; EX_CONFIG is the status. */
struct conf *wiring_load(const char *program, const char *path);

/* A store for a configuration, both of which live until the process ends or the store is freed. */
struct store *wiring_store(const struct conf *conf);

/* dispatch.allow_networks and dispatch.deny_ports. False: told already. */
MUST_CHECK bool wiring_address_rules(const struct conf *conf, struct pool *pool, struct address_rules *rules);
/* server.trusted_proxies. False: told already. */
MUST_CHECK bool wiring_trusted_proxies(const struct conf *conf, struct pool *pool, struct network_list *proxies);

/* Refuses to go on without the schema of this program: tells what to run. A database that is out of reach is no reason: it
 * may come back. */
MUST_CHECK bool wiring_schema_fits(struct store *store);

/* 0 when the configuration is good as a whole, for --check-config; else EX_CONFIG, and it was told why. */
int wiring_check(const struct conf *conf);

#endif
