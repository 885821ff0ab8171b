/* SPDX-License-Identifier: MIT
 * Converts the configuration to the options of the layers, for all programs. */
#pragma once

#include "base/pool.h"
#include "conf/conf.h"
#include "deliver/mail/mailer.h"
#include "deliver/send/sender.h"
#include "deliver/texts/texter.h"
#include "identity/domain.h"
#include "identity/network.h"
#include "jobs/job_settings.h"
#include "limit/limiter.h"
#include "limit/work_slots.h"
#include "os/log.h"
#include "store/store.h"
#include "webhook/address_rules.h"
#include "webhook/retry.h"

/* The parsed configuration. */
struct wiring {
	struct conf *conf;
	struct pool *pool; /* owns the members below */
	struct address_rules webhook_addresses, sms_addresses;
	struct network_list trusted_proxies;
	struct retry_schedule schedule, mail_schedule;
	struct mail_senders mail_senders;                 /* without the addresses that are not set */
	struct sendings sending_limits[MESSAGE_CHANNELS]; /* of an hour */
	struct host_list disposable_domains;
	struct limit_rule limits[LIMIT_KINDS];
	struct log_file *log; /* opened, not used yet; NULL: none, or standard error */
};

/* Reads the configuration like conf_load, and lets each layer parse its settings. Returns false, with a line in `problems` for
 * each error and nothing to free. */
MUST_CHECK bool wiring_read(const char *path, enum conf_lists lists, struct wiring *wiring, struct buffer *problems);
void wiring_free(struct wiring *wiring);

enum wiring_purpose { WIRING_TO_CHECK, WIRING_TO_RUN };
/* Reads the configuration and the lists. For running, also opens the log file; for checking, only finds out whether that is
 * possible, and changes nothing. Returns false after writing the errors to standard error, each after the name of the program;
 * for a reload (`program` is NULL), to the log. The exit status is then EX_CONFIG. */
MUST_CHECK bool wiring_load(const char *program, const char *path, enum wiring_purpose purpose, struct wiring *wiring);
/* From now on, logs to the configured file. Call once, after wiring_load; `program` must stay valid. */
void wiring_start_log(const char *program, struct wiring *wiring);

/* Maximum time for one response of the database. */
enum { WIRING_ANSWER_MS = 20000 };
/* A store for a configuration, which must stay valid until the store is freed; so must the list (NULL: none). A response of the
 * database, or a connection to it, may take `answer_ms`, rounded down to whole seconds, but at least one second. */
struct store *wiring_store(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms);
/* The same for reads from the nodes of database.read_host; NULL if there are no such nodes. */
struct store *wiring_reader(const struct conf *conf, int64_t answer_ms);

/* Checks what a program needs to start: that the database answers, has the right schema, and contains secrets that can be
 * opened. RESULT_FAILED: the program cannot work with this database. RESULT_UNAVAILABLE: the database does not answer, or
 * refuses the login (store_denial). Both are logged, with a hint. Changes nothing. */
MUST_CHECK enum result wiring_try_database(struct store *store);
/* Responders also need the memory in server.state_dir that the processes of a host share. */
enum wiring_user { WIRING_OF_DISPATCHER, WIRING_OF_RESPONDER };
/* Whether the program could start with the present configuration file and use its database. Logs why not; changes nothing. */
MUST_CHECK bool wiring_try(const char *path, enum wiring_user user);
/* --check-start: the same, with the log on standard error. Returns an exit status. */
int wiring_check_start(const char *program, const char *path, enum wiring_user user);

/* The rate limiter that all processes of this host share. NULL, after logging it, if it cannot be shared. */
struct limiter *wiring_limiter(const struct wiring *wiring);
/* The work slots of this kind that all processes of this host share. NULL, after logging it, if they cannot be shared. */
struct work_slots *wiring_slots(const struct conf *conf, enum work_kind kind);

/* The options for sending deliveries; valid as long as the wiring. */
struct sender_options wiring_sender(const struct wiring *wiring);
/* Whether mail is on, and the options for sending it: without descriptors, valid as long as the wiring. */
bool wiring_has_mail(const struct conf *conf);
struct mailer_options wiring_mailer(const struct wiring *wiring);
/* The same for texts to phones. */
bool wiring_has_texts(const struct conf *conf);
struct texter_options wiring_texter(const struct wiring *wiring);
/* The path, in the wiring's pool, of the lock file of the process that sends mail, or of the one that sends texts; wakes are
 * sent to it. "" if the dispatcher has no lock file. */
const char *wiring_outbox_file(const struct wiring *wiring, enum message_channel channel);
/* The settings with which operators' jobs send. Valid as long as the wiring. */
struct job_settings wiring_job_settings(const struct wiring *wiring);
