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
	struct mail_senders mail_senders;                 /* without addresses where they are not set */
	struct sendings sending_limits[MESSAGE_CHANNELS]; /* of an hour */
	struct host_list disposable_domains;
	struct limit_rule limits[LIMIT_KINDS];
	struct log_file *log; /* opened, not used yet; NULL: none, or standard error */
};

/* Reads the configuration like conf_load, and has each layer parse its settings. Returns false, with a line in `problems` for
 * each error and nothing to free. */
MUST_CHECK bool wiring_read(const char *path, enum conf_lists lists, struct wiring *wiring, struct buffer *problems);
void wiring_free(struct wiring *wiring);

enum wiring_purpose { WIRING_TO_CHECK, WIRING_TO_RUN };
/* Reads the configuration and the lists. To run, also opens the log file; to check, finds out whether that is possible and
 * changes nothing. Returns false after writing the errors to standard error, each after the name of the program, or to the log
 * if `program` is NULL, for a reload. The exit status is then EX_CONFIG. */
MUST_CHECK bool wiring_load(const char *program, const char *path, enum wiring_purpose purpose, struct wiring *wiring);
/* Logs to the configured file from now on. Call once, after wiring_load; `program` must stay valid. */
void wiring_start_log(const char *program, struct wiring *wiring);

/* Maximum time for one response of the database. */
enum { WIRING_ANSWER_MS = 20000 };
/* A store for a configuration. Both, and the list (NULL: none), must stay valid until the store is freed. A response of the
 * database, or a connection to it, may take at most `answer_ms`, rounded down to whole seconds, at least one. */
struct store *wiring_store(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms);
/* The same for reads at the nodes of database.read_host; NULL without such nodes. */
struct store *wiring_reader(const struct conf *conf, int64_t answer_ms);

/* Checks what a program needs to start: that the database answers, that its schema fits, and that its secrets can be opened.
 * RESULT_FAILED: the program does not work with this database. RESULT_UNAVAILABLE: the database does not answer, or refuses
 * the login (store_denial). Both are logged, with a hint. Changes nothing. */
MUST_CHECK enum result wiring_try_database(struct store *store);
/* Responders also need the memory in server.state_dir that the processes of a host share. */
enum wiring_user { WIRING_OF_DISPATCHER, WIRING_OF_RESPONDER };
/* Whether the program could start with the configuration file as it is now, and use its database. Logs why not; changes
 * nothing. */
MUST_CHECK bool wiring_try(const char *path, enum wiring_user user);
/* --check-start: the same, with the log on standard error. Returns an exit status. */
int wiring_check_start(const char *program, const char *path, enum wiring_user user);

/* The rate limiter shared by all processes of this host. NULL, logged, when it cannot be shared. */
struct limiter *wiring_limiter(const struct wiring *wiring);
/* Its work slots of this kind. NULL, logged, when they cannot be shared. */
struct work_slots *wiring_slots(const struct conf *conf, enum work_kind kind);

/* The options for sending deliveries; valid as long as the wiring. */
struct sender_options wiring_sender(const struct wiring *wiring);
/* Whether mail is on; and the options for sending it, without descriptors, valid as long as the wiring. */
bool wiring_has_mail(const struct conf *conf);
struct mailer_options wiring_mailer(const struct wiring *wiring);
/* The same for texts to phones. */
bool wiring_has_texts(const struct conf *conf);
struct texter_options wiring_texter(const struct wiring *wiring);
/* The path, in the pool, of the lock file of the process that sends mail, or texts; wakes are sent to it. "": without a lock
 * file of the dispatcher. */
const char *wiring_outbox_file(const struct wiring *wiring, enum message_channel channel);
/* What jobs of operators send with. Valid as long as the wiring. */
struct job_settings wiring_job_settings(const struct wiring *wiring);
