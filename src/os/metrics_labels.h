/* SPDX-License-Identifier: MIT
 * The values of the labels of metrics: closed sets, so that the number of time series is fixed (docs/operating.md 12.1). The
 * order is that of the cells in shared memory, which is cleared when a list changes. */
#pragma once

/* clang-format off */

/* The class of an answer's status. */
#define METRIC_CLASSES(X) \
	X(CLASS_2XX, "2xx") X(CLASS_3XX, "3xx") X(CLASS_4XX, "4xx") X(CLASS_5XX, "5xx")

/* The settings that refuse calls. */
#define METRIC_LIMITS(X) \
	X(LIMITED_LOOKUPS, "lookups_per_address") X(LIMITED_READINESS, "readiness_per_address") \
	X(LIMITED_SIGNUPS, "signups_per_address") X(LIMITED_POSTS, "posts_per_address") \
	X(LIMITED_FAILED_KEYS, "failed_keys_per_address") X(LIMITED_INBOUND, "inbound_per_url") \
	X(LIMITED_UNKNOWN_URLS, "unknown_urls_per_address") X(LIMITED_CODES, "codes_per_address") \
	X(LIMITED_LOGINS, "logins_per_address") X(LIMITED_TEST_MAILS, "test_mails_per_address") \
	X(LIMITED_ACCOUNT_TESTS, "test_mails_per_account") \
	X(LIMITED_DELETES, "deletes_per_account") X(LIMITED_SEARCHES, "searches_per_account") \
	X(LIMITED_CHANGES, "changes_per_account") \
	X(LIMITED_NEW_LEADS, "new_leads_per_campaign") \
	X(LIMITED_ACCOUNT, "account_per_minute")

/* The events of engine/events.h. */
#define METRIC_EVENTS(X) \
	X(EVENT_0, "new_signup") X(EVENT_1, "repeat_signup") X(EVENT_2, "marked_as_fraudulent") \
	X(EVENT_3, "new_signup_not_excluded") X(EVENT_4, "opted_out") X(EVENT_5, "phone_number_opt_out") \
	X(EVENT_6, "verified") X(EVENT_7, "tagged") X(EVENT_8, "score_change") X(EVENT_9, "reward_level") \
	X(EVENT_10, "referral") X(EVENT_11, "deleted")

#define METRIC_DATABASE_ERRORS(X) \
	X(DATABASE_AWAY, "away")           /* no connection, or it was lost */ \
	X(DATABASE_ACCESS, "access")       /* login, rights, certificates */ \
	X(DATABASE_CONFLICT, "conflict")   /* deadlocks and the like, after which a transaction is repeated */ \
	X(DATABASE_SLOW, "slow")           /* time limits and deadlines */ \
	X(DATABASE_DISK, "disk") \
	X(DATABASE_READ_ONLY, "read_only") \
	X(DATABASE_LIMIT, "limit")         /* connections, statements, memory of the server */ \
	X(DATABASE_OTHER, "other")         /* a defect, or a broken installation */

/* The result of an attempt: the class of the status, or why there is none, as deliver/send/sender.h names it. */
#define METRIC_ANSWERS(X) \
	METRIC_CLASSES_OF_ANSWERS(X) \
	X(ANSWER_FORBIDDEN_ADDRESS, "forbidden_address") X(ANSWER_INVALID_URL, "invalid_url") \
	X(ANSWER_INVALID_HEADER, "invalid_header") X(ANSWER_NOT_RESOLVED, "not_resolved") X(ANSWER_REFUSED, "refused") \
	X(ANSWER_UNREACHABLE, "unreachable") X(ANSWER_CONNECT_TIMEOUT, "connect_timeout") X(ANSWER_TIMEOUT, "timeout") \
	X(ANSWER_CERTIFICATE, "certificate") X(ANSWER_CA_FILE, "ca_file") \
	X(ANSWER_CLIENT_CERTIFICATE, "client_certificate") X(ANSWER_TLS, "tls") \
	X(ANSWER_CONNECTION_LOST, "connection_lost") X(ANSWER_BAD_ANSWER, "bad_answer") \
	X(ANSWER_UNREADABLE, "unreadable") X(ANSWER_SEALED, "secret_sealed") X(ANSWER_INTERRUPTED, "interrupted") \
	X(ANSWER_INTERNAL, "internal")
#define METRIC_CLASSES_OF_ANSWERS(X) \
	X(ANSWER_2XX, "2xx") X(ANSWER_3XX, "3xx") X(ANSWER_4XX, "4xx") X(ANSWER_5XX, "5xx") X(ANSWER_OTHER, "other")

#define METRIC_DELIVERY_ENDS(X) X(ENDED_DELIVERED, "delivered") X(ENDED_FAILED, "failed")

#define METRIC_BOT_REASONS(X) \
	X(BOT_HONEYPOT, "honeypot") X(BOT_TIME, "time") X(BOT_NO_PROOF, "no_proof") X(BOT_PROOF_INVALID, "proof_invalid")

/* The hourly limits that keep messages waiting, as in store/messages/sendings.h. */
#define METRIC_DELAYS(X) \
	X(DELAYED_BY_ALL_MAILS, "mail.per_hour") X(DELAYED_BY_ACCOUNT_MAILS, "mail.account_per_hour") \
	X(DELAYED_BY_CAMPAIGN_MAILS, "mail.campaign_per_hour") X(DELAYED_BY_ALL_TEXTS, "sms.per_hour") \
	X(DELAYED_BY_ACCOUNT_TEXTS, "sms.account_per_hour") X(DELAYED_BY_CAMPAIGN_TEXTS, "sms.campaign_per_hour")

/* Limits of an address beyond which a mail is dropped: the reasons in docs/mail.md 6. */
#define METRIC_DROPS(X) \
	X(DROPPED_TOO_SOON, "too_soon") X(DROPPED_DAILY, "daily") X(DROPPED_ENOUGH, "enough") \
	X(DROPPED_ADDRESS_LIMIT, "address_limit") X(DROPPED_ERASE_LIMIT, "erase_limit")

/* Why the mail server, or a receiver, refuses mails until an operator does something: the reasons in docs/mail.md 5 that have a
 * hint. */
#define METRIC_MAIL_REFUSALS(X) \
	X(REFUSED_CANNOT_CONNECT, "cannot_connect") X(REFUSED_GREETING, "greeting_refused") X(REFUSED_NO_SERVICE, "no_service") \
	X(REFUSED_TLS, "tls_failed") X(REFUSED_LOGIN, "login_refused") X(REFUSED_HELO, "helo_refused") \
	X(REFUSED_RELAYING, "relaying_refused") X(REFUSED_SENDER, "sender_refused") X(REFUSED_ACCOUNT, "account_refused") \
	X(REFUSED_QUOTA, "quota_reached") X(REFUSED_POLICY, "policy") X(REFUSED_PROOF, "not_authenticated") \
	X(REFUSED_PACE, "too_fast") X(REFUSED_SUPPRESSED, "suppressed") X(REFUSED_OTHER, "refused")

/* Processes that work; parents and keepers only wait for them. */
#define METRIC_PROCESSES(X) \
	X(PROCESS_WORKER, "worker") X(PROCESS_COMMITTER, "committer") X(PROCESS_DISPATCHER, "dispatcher") \
	X(PROCESS_MAILER, "mailer") X(PROCESS_TEXTER, "texter")

#define METRIC_WORKER_STATES(X) X(WORKER_BUSY, "busy") X(WORKER_IDLE, "idle")

#define METRIC_PROGRAMS(X) X(PROGRAM_FCGI, "leadhook-fcgi") X(PROGRAM_DISPATCH, "leadhook-dispatch")

/* File systems: of server.state_dir, of log.file, and of the database's data directory. */
#define METRIC_FILESYSTEMS(X) X(FILESYSTEM_STATE, "state") X(FILESYSTEM_LOG, "log") X(FILESYSTEM_DATABASE, "database")

#define METRIC_WEBHOOK_STATES(X) \
	X(WEBHOOKS_ACTIVE, "active") X(WEBHOOKS_FAILING, "failing") X(WEBHOOKS_DISABLED, "disabled")

/* The labels: X(variable, name, list of values, enumeration, number of values). */
#define METRIC_LABEL_LIST(X) \
	X(classes, "class", METRIC_CLASSES, metric_class, METRIC_CLASS_COUNT) \
	X(limits, "limit", METRIC_LIMITS, metric_limit, METRIC_LIMIT_COUNT) \
	X(events, "event", METRIC_EVENTS, metric_event, METRIC_EVENT_COUNT) \
	X(database_errors, "kind", METRIC_DATABASE_ERRORS, metric_database_error, METRIC_DATABASE_ERROR_COUNT) \
	X(answers, "answer", METRIC_ANSWERS, metric_answer, METRIC_ANSWER_COUNT) \
	X(delivery_ends, "state", METRIC_DELIVERY_ENDS, metric_delivery_end, METRIC_DELIVERY_END_COUNT) \
	X(bot_reasons, "reason", METRIC_BOT_REASONS, metric_bot_reason, METRIC_BOT_REASON_COUNT) \
	X(delays, "limit", METRIC_DELAYS, metric_delay, METRIC_DELAY_COUNT) \
	X(drops, "limit", METRIC_DROPS, metric_drop, METRIC_DROP_COUNT) \
	X(mail_refusals, "reason", METRIC_MAIL_REFUSALS, metric_mail_refusal, METRIC_MAIL_REFUSAL_COUNT) \
	X(processes, "process", METRIC_PROCESSES, metric_process, METRIC_PROCESS_COUNT) \
	X(worker_states, "state", METRIC_WORKER_STATES, metric_worker_state, METRIC_WORKER_STATE_COUNT) \
	X(programs, "program", METRIC_PROGRAMS, metric_program, METRIC_PROGRAM_COUNT) \
	X(filesystems, "of", METRIC_FILESYSTEMS, metric_filesystem, METRIC_FILESYSTEM_COUNT) \
	X(webhook_states, "state", METRIC_WEBHOOK_STATES, metric_webhook_state, METRIC_WEBHOOK_STATE_COUNT)

#define METRIC_VALUE_ID(id, text) METRIC_##id,
#define METRIC_VALUES(variable, name, list, enumeration, count) enum enumeration { list(METRIC_VALUE_ID) count };
METRIC_LABEL_LIST(METRIC_VALUES)
#undef METRIC_VALUES
#undef METRIC_VALUE_ID

/* Routes are named by their table (metrics_page.h); these three come before them. */
enum { METRIC_ROUTE_UNKNOWN, METRIC_ROUTE_PREFLIGHT, METRIC_ROUTE_EXTENSION, METRIC_ROUTE_FIRST, METRIC_ROUTES_MAX = 128 };

/* clang-format on */
