/* SPDX-License-Identifier: MIT
 * The operator's command (docs/operating.md 4), whole but for the wiring. */
#ifndef LEADHOOK_ADMIN_ADMIN_H
#define LEADHOOK_ADMIN_ADMIN_H

#include <stdio.h>

#include "conf/conf.h"
#include "store/operator/admin.h"
#include "store/queue/dispatch.h"
#include "store/store.h"

/* What came of an attempt. */
struct admin_attempt {
	int status;                 /* HTTP, or 0 when none came */
	struct slice error, answer; /* why no whole answer came, or absent; the beginning of what came */
	int64_t duration_ms;
};

/* What all programs do alike, and the layers below do not know. */
struct admin_wiring {
	/* As conf_load, but holds the configuration to the rules of all layers. */
	bool (*load)(const char *path, struct conf **conf, struct buffer *problems);
	/* The store that a configuration describes; both live until the command is done. */
	struct store *(*open_store)(const struct conf *conf);
	/* Of the programs of this host with that configuration. */
	struct connection_needs (*connection_needs)(const struct conf *conf);
	/* Sends a delivery once, as the dispatcher sends it, and records nothing. False when this machine can send nothing at
	 * all. `now_ms` is the database's time; what is answered lives in the pool. */
	bool (*deliver)(struct pool *pool, const struct due_delivery *delivery, int64_t now_ms, struct admin_attempt *attempt);
};

/* Runs what the arguments say. Results go to `out`, everything else to `errors`. Answers the exit status, of sysexits.h. */
int admin_main(int argc, char *const argv[], const struct admin_wiring *wiring, FILE *out, FILE *errors);

#endif
