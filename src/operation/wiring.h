/* SPDX-License-Identifier: MIT
 * What operations get from the program that runs them. */
#ifndef LEADHOOK_OPERATION_WIRING_H
#define LEADHOOK_OPERATION_WIRING_H

#include "conf/conf.h"
#include "jobs/jobs.h"
#include "store/operator/installation_check.h"
#include "store/queue/dispatch.h"
#include "store/store.h"
#include "webhook/address_rules.h"

/* A request to the web server of the service. Parts of its body are sent with a pause before each but the first. */
struct admin_request {
	const char *method, *url, *ca_file, *user_agent; /* ca_file: NULL: the default one */
	const struct slice *headers;                     /* "Name: value", terminated */
	size_t header_count;
	struct slice body; /* or absent */
	unsigned parts;    /* of the body */
	int64_t pause_ms, timeout_ms;
};
struct admin_answer {
	enum { ADMIN_ANSWERED, ADMIN_BAD_CERTIFICATE, ADMIN_NOT_ANSWERED } failure;
	struct slice error; /* why there is no answer, or absent */
	int status;
	struct slice headers, body; /* lines that end with CR LF; the beginning */
	struct slice local_address; /* of the connection */
};

struct api;

/* Functions of the wiring that all programs share. */
struct operation_wiring {
	/* As conf_load, and checks the configuration against the rules of all layers. `lists`: also the files that it names. */
	bool (*load)(const char *path, bool lists, struct conf **conf, struct buffer *problems);
	/* Opens the store of the configuration; both live until the command is done. */
	struct store *(*open_store)(const struct conf *conf);
	/* The database connections that the programs of this host need with that configuration. */
	struct connection_needs (*connection_needs)(const struct conf *conf);
	/* What sends tests, also in jobs; set by `load`. */
	const struct job_tools *job_tools;
	/* Prepares the process for requests and look-ups of names. */
	void (*prepare_sending)(void);
	/* Sends a request. Redirections and proxies are not used. The answer lives in the pool. */
	void (*send_request)(struct pool *pool, const struct admin_request *request, struct admin_answer *answer);
	/* The file of certificates that deliveries use by default, in the pool; absent: none. */
	struct slice (*ca_file)(struct pool *pool);
	/* What this lock file shows of this host's dispatcher. The result lives in the pool. */
	struct dispatcher_seen (*see_dispatcher)(struct pool *pool, const char *lock_file);
	/* Carries out payloads of inbound webhooks; set by `open_store`. */
	struct api *api;
	/* Which addresses webhooks may have; set by `load`. */
	const struct address_rules *webhook_addresses;
	/* The senders of mails, without addresses where they are not set; set by `load`. */
	const struct mail_senders *mail_senders;
	/* What may be sent in an hour, by channel; set by `load`. */
	const struct sendings *sending_limits;
};

#endif
