/* SPDX-License-Identifier: MIT
 * One connection to the database. The other headers of this folder and its subfolders declare what is read and changed through
 * it.
 *
 * RESULT_UNAVAILABLE is a 503 for a client; RESULT_FAILED was logged. Changes are repeated after conflicts, and may finally
 * return RESULT_CONFLICT or RESULT_UNKNOWN: also a 503 for a client. Returned rows live in the caller's pool. The dispatcher's
 * functions are in store/queue; those for operators in store/operator. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/result.h"
#include "engine/command.h"
#include "engine/custom_fields.h"
#include "engine/model.h"
#include "engine/payload.h"
#include "identity/domain.h"
#include "identity/rights.h"
#include "store/precondition.h"

struct store;

/* The texts must stay valid as long as the store. */
struct store_options {
	/* as in db/db.h */
	const char *host, *socket, *user, *password, *database, *option_file, *tls, *tls_ca, *prefix;
	const char *read_host; /* a list like `host`, of nodes of the same cluster; NULL or "": none */
	/* keys: a valid list as crypto/seal.h reads it; NULL or "": none. Not used after store_new. */
	const char *secrets_key;
	unsigned port, connect_timeout_s, io_timeout_s;
	/* settings of the rules */
	const char *base_url, *avatar_url;
	const char *form_urls; /* list */
	struct custom_field_limits custom_fields;
	const struct host_list *disposable_domains; /* NULL: none */
	bool sends_mail, sends_texts;               /* as in engine/decide/working_set.h */
	int64_t unverified_ms;   /* age at which leads that have not verified their address are deleted; 0: never */
	int64_t ip_ms;           /* age at which network addresses and user agents of leads are dropped; 0: never */
	int64_t retention_ms;    /* for events, deliveries and attempts; 0: for ever */
	unsigned cluster_number; /* determines the ids of its campaigns and leads; 0: they begin with 1 */
};

/* Does not connect yet. */
struct store *store_new(const struct store_options *options);
/* A store for reads from the nodes of `read_host`, which see what was committed before on any node; NULL if there are no such
 * nodes. */
struct store *store_new_reader(const struct store_options *options);
/* Checks that both stores belong to the same installation; each reads it once. RESULT_UNAVAILABLE, logged: they do not. */
MUST_CHECK enum result store_same_installation(struct store *store, struct store *other);
void store_free(struct store **store);
/* Closes a connection that has been idle for that long. The next use opens it again. */
void store_disconnect_idle(struct store *store, int64_t idle_ms);

/* When clock_monotonic_ms reaches the deadline, no further statement is sent, and what is not committed is rolled back:
 * RESULT_UNAVAILABLE. A statement under way at that time may end later, by at most its timeout. */
void store_set_deadline(struct store *store, int64_t deadline_ms);
/* Whether a call since store_set_deadline returned RESULT_UNAVAILABLE because of the deadline, and not because it waited for a
 * lock: the database is slow. */
MUST_CHECK bool store_was_late(const struct store *store);

/* The timeout for commands that read all rows or change tables, with no client waiting. */
enum { STORE_LONG_TIMEOUT_S = 3600 };
/* Sets the timeout of each answer, and closes the connection, because the server learns it from a new one. Returns the old
 * value. */
unsigned store_set_answer_timeout(struct store *store, unsigned answer_timeout_s);

/* After a call that returned RESULT_UNAVAILABLE: why the server refused the login, which the operator must correct. */
MUST_CHECK enum denial store_denial(const struct store *store);

/* The error of the last failed call, for the operator. */
const char *store_error_text(const struct store *store);

/* Base URL, avatar template and the installation's secret; read from the database once. RESULT_FAILED, logged: the secret is
 * missing, or sealed with a key that this program does not have. */
MUST_CHECK enum result store_payload_settings(struct store *store, const struct payload_settings **settings);

/* A value of the installation record. RESULT_NOT_FOUND: there is none with that name. */
MUST_CHECK enum result store_read_installation_value(
    struct store *store, struct pool *pool, struct slice name, struct slice *value);
/* Checks the schema and reads installation id and secret, once. Returns RESULT_FAILED, logged, when they are missing or
 * wrong, or the secret cannot be opened. */
MUST_CHECK enum result store_read_installation(struct store *store);

/* Whether the installation sends mail, according to its options. */
MUST_CHECK bool store_sends_mail(const struct store *store);
MUST_CHECK bool store_sends_texts(const struct store *store);

/* Cached data of a campaign is read again after this time, even if its version is the same: a row that was corrected by hand
 * may still have the old version. */
enum { STORE_FRESH_MS = 10000 };

/* Reads of several statements that must belong together, as a loop: its body is run again while it sets RESULT_CONFLICT, twice
 * as it is, then in a snapshot. Loops may be nested. Do not leave one by break or return.
 *
 *	struct consistent_read read = { .store = store };
 *	while (store_reads(&read))
 *		read.result = read_it(store);
 *	return read.result; */
struct consistent_read {
	struct store *store;
	enum result result;
	unsigned runs;
};
bool store_reads(struct consistent_read *read);
/* Whether the loop's body runs in a snapshot. Then only reads through this store see the same state. */
bool store_in_snapshot(const struct store *store);
