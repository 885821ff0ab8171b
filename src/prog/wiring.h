/* SPDX-License-Identifier: MIT
 * From the configuration to the options of the layers, the same for all programs. */
#ifndef LEADHOOK_PROG_WIRING_H
#define LEADHOOK_PROG_WIRING_H

#include "base/log.h"
#include "base/pool.h"
#include "conf/conf.h"
#include "deliver/sender.h"
#include "identity/host_list.h"
#include "identity/network.h"
#include "limit/limiter.h"
#include "store/store.h"
#include "webhook/address.h"
#include "webhook/retry.h"

/* What a configuration comes to. */
struct wiring {
	struct conf *conf;
	struct pool *pool; /* holds what follows */
	struct address_rules webhook_addresses;
	struct network_list trusted_proxies;
	struct retry_schedule schedule;
	struct host_list disposable_domains;
	struct limit_rule limits[LIMIT_KINDS];
	struct log_file *log; /* opened and not used yet; NULL: none, or standard error */
};

/* Reads the configuration as conf_load does, and has each layer parse what is its. False: nothing is to be freed, and
 * `problems` has a line for each thing that is wrong. */
MUST_CHECK bool wiring_read(const char *path, struct wiring *wiring, struct buffer *problems);
void wiring_free(struct wiring *wiring);

/* As wiring_read, and opens the log file. False: what is wrong was written to standard error; EX_CONFIG is the status. */
MUST_CHECK bool wiring_load(const char *program, const char *path, struct wiring *wiring);
/* Logs to where the configuration says from now on. After wiring_load, once; `program` must stay valid. */
void wiring_start_log(const char *program, struct wiring *wiring);

/* How long one answer of the database may take at most. */
enum { WIRING_ANSWER_MS = 20000 };
/* A store for a configuration. Both, and the list (NULL: none), live until the process ends or the store is freed. Neither an
 * answer of the database nor a connection to it may take longer than `answer_ms`, cut to whole seconds, at least one. */
struct store *wiring_store(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms);

/* What counts callers, for all processes of this host. NULL, logged, when it cannot be shared with them. */
struct limiter *wiring_limiter(const struct wiring *wiring);

/* How deliveries are sent; valid as long as the wiring. */
struct sender_options wiring_sender(const struct wiring *wiring);
/* What the process has to be like for that: a receiver that hangs up ends no process, a name server that does not answer holds
 * no thread for long. */
void wiring_prepare_sending(void);

/* Refuses to go on without the schema of this program: tells what to run. A database that is out of reach is no reason: it
 * may come back, and the store looks then. */
MUST_CHECK bool wiring_schema_fits(struct store *store);

#endif
