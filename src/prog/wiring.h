/* SPDX-License-Identifier: MIT
 * Converts the configuration to the options of the layers, for all programs. */
#ifndef LEADHOOK_PROG_WIRING_H
#define LEADHOOK_PROG_WIRING_H

#include "base/pool.h"
#include "conf/conf.h"
#include "deliver/mail/mailer.h"
#include "deliver/send/sender.h"
#include "deliver/texts/texter.h"
#include "identity/host_list.h"
#include "identity/network.h"
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
 * each error and nothing to free. `lists`: also the list of disposable domains. */
MUST_CHECK bool wiring_read(const char *path, bool lists, struct wiring *wiring, struct buffer *problems);
void wiring_free(struct wiring *wiring);

/* Like wiring_read, and opens the log file; `checks_only`: finds out whether that is possible, and changes nothing. Returns
 * false after writing the errors to standard error, after the name of the program; NULL, for a reload: to the log. The exit
 * status is EX_CONFIG. */
MUST_CHECK bool wiring_load(const char *program, const char *path, bool checks_only, struct wiring *wiring);
/* Logs to the configured file from now on. Once, after wiring_load; `program` must stay valid. */
void wiring_start_log(const char *program, struct wiring *wiring);

/* Maximum time for one response of the database. */
enum { WIRING_ANSWER_MS = 20000 };
/* A store for a configuration. Both, and the list (NULL: none), must stay valid until the store is freed. A response of the
 * database, or a connection to it, may take at most `answer_ms`, rounded down to whole seconds, at least one. */
struct store *wiring_store(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms);
/* The same for reads at the nodes of database.read_host; NULL without such nodes. */
struct store *wiring_reader(const struct conf *conf, int64_t answer_ms);

/* What a program needs of the database at its start: an answer, a schema that fits, secrets that it can open. RESULT_FAILED:
 * it does not work with this database; RESULT_UNAVAILABLE: the database does not answer, or refuses the login (store_denial).
 * Both are logged, with a hint. Changes nothing. */
MUST_CHECK enum result wiring_try_database(struct store *store);
/* Whether a program could start with the configuration as it is in the file now, and use its database. `shares`: also the
 * memory that the processes of a host share in server.state_dir. Logs why not, and changes nothing. */
MUST_CHECK bool wiring_try(const char *path, bool shares);
/* --check-start: the same, with the log on standard error. Returns an exit status. */
int wiring_check_start(const char *program, const char *path, bool shares);

/* The rate limiter shared by all processes of this host. NULL, logged, when it cannot be shared. */
struct limiter *wiring_limiter(const struct wiring *wiring);
/* The hash slots that they share. NULL, logged, when they cannot be shared. */
struct work_slots *wiring_slots(const struct conf *conf, enum work_kind kind);

/* The options for sending deliveries; valid as long as the wiring. */
struct sender_options wiring_sender(const struct wiring *wiring);
/* Whether mail is on, and its server and limits; without descriptors. Valid as long as the wiring. */
bool wiring_has_mail(const struct conf *conf);
struct mailer_options wiring_mailer(const struct wiring *wiring);
/* The same for texts to phones. */
bool wiring_has_texts(const struct conf *conf);
struct texter_options wiring_texter(const struct wiring *wiring);
/* The file of the process that sends mail, in the pool: its wakes are for this path. "": there is no lock file. */
const char *wiring_mail_file(struct pool *pool, const struct conf *conf);
/* That of the process that sends texts. */
const char *wiring_texts_file(struct pool *pool, const struct conf *conf);
/* Prepares the process for sending: a receiver that disconnects must not end it, and a name server that does not answer must
 * not block a thread for long. */
void wiring_prepare_sending(void);

#endif
