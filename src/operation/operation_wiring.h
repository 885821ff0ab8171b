/* SPDX-License-Identifier: MIT
 * Functions and values that a program hands to its operations. */
#pragma once

#include "conf/conf.h"
#include "store/operator/installation_check.h"
#include "store/queue/operator_jobs.h"
#include "store/store.h"
#include "webhook/address_rules.h"

struct api;
struct job_settings;
struct job_test;
struct operation_call;

/* Functions of the wiring that all programs share. */
struct operation_wiring {
	/* As conf_load, and checks the configuration against the rules of all layers. */
	bool (*load)(const char *path, enum conf_lists lists, struct conf **conf, struct buffer *problems);
	/* Opens the store of the configuration; both live until the command is done. */
	struct store *(*open_store)(const struct conf *conf);
	/* The database connections that the programs of this host need with that configuration. */
	struct connection_needs (*connection_needs)(const struct conf *conf);
	const struct job_settings *job_settings; /* set by `load`; responders have none */
	/* Sends a test at once and outputs the outcome; returns a status. NULL in responders, which queue tests as jobs and do
	 * not link the code that sends. */
	int (*send_test)(struct operation_call *call, enum job_kind kind, const struct job_test *test);
	/* Carries out payloads of inbound webhooks; set by `open_store`. */
	struct api *api;
	/* Which addresses webhooks may have; set by `load`. */
	const struct address_rules *webhook_addresses;
	/* The senders of mails, without addresses where they are not set; set by `load`. */
	const struct mail_senders *mail_senders;
	/* The limits of an hour, by channel; set by `load`. */
	const struct sendings *sending_limits;
};
