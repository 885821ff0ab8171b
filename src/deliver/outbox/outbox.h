/* SPDX-License-Identifier: MIT
 * The messages of one channel that this process works on: leases due messages, has them prepared and sent, records the
 * outcomes, holds the channel after a failure of its server, and ends in time. What differs between mail and texts is in struct
 * outbox_sender.
 *
 * One thread uses the outbox and the database. A message is under way from the start of its transfer until its outcome is
 * committed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/pool.h"
#include "base/result.h"
#include "store/messages/mail_outcomes.h"

struct companion_life;
struct event_loop;
struct store;

enum {
	OUTBOX_MAX = 128,      /* messages leased at a time */
	OUTBOX_CRASHES_MAX = 3 /* a message that was leased in this many crashes is not sent */
};

struct outbox_options {
	struct sendings limits;      /* hourly limits for all processes */
	unsigned rate;               /* hourly limit of this process; 0: no limit */
	bool stay;                   /* true: runs until it is stopped; false: until nothing is due */
	int64_t max_runtime_ms;      /* begins nothing after this time; 0: no limit */
	int stop_fd;                 /* the process stops when it is readable or at end of file; or -1 */
	int signals;                 /* a signalfd that stops the process in the same way; or -1 */
	struct companion_life *life; /* where the process reports that it is alive (process/companion.h); or NULL */
	int wake_fd;                 /* a wake socket (os/wake.h), which reports new messages; or -1 */
	int owner_fd; /* file for the owner of the leases, which shows the next process what a killed one had leased; or -1 */
};

enum outbox_state {
	OUTBOX_LEASED, /* not prepared yet */
	OUTBOX_READY,  /* waits to be sent */
	OUTBOX_SENDING,
	OUTBOX_ENDED,    /* `outcome` is to be recorded */
	OUTBOX_RETURNED, /* its lease is to be ended: it was not worked on, or this is not known */
	OUTBOX_GONE      /* its lease has ended, or its lead was deleted */
};

/* A leased message. */
struct outbox_message {
	struct pool *pool;
	struct queued_mail queued;
	void *own; /* what the sender stores, in the pool */
	enum outbox_state state;
	struct mail_outcome outcome;
	struct slice bounced;    /* the email_key of a person who does not exist, recorded with the outcome; absent: none */
	int64_t leased_until_ms; /* clock_boot_ms */
	int64_t started_ms;      /* clock_monotonic_ms, of the transfer */
};

/* How the messages of a channel are sent. All functions get `context`. */
struct outbox_sender {
	enum message_channel channel;
	size_t parallel;     /* messages that are sent at a time */
	size_t capacity;     /* messages that are leased at a time; at most OUTBOX_MAX */
	int64_t poll_ms;     /* interval of searches for due messages */
	int64_t time_max_ms; /* maximum time of a transfer; a transfer that begins within a lease ends within it */
	void *context;
	/* RESULT_OK: the message can be sent, or has ended (outbox_end). RESULT_NOT_FOUND: its lease has ended. Any other
	 * result: the database failed, and the message is due again, unchanged. */
	enum result (*prepare)(void *context, struct outbox_message *message);
	/* Starts the transfer of a message that is ready. Its end calls outbox_end. */
	void (*send)(void *context, struct outbox_message *message);
	/* The process is ending: gives up the transfer of this message within a second or two, or at once (OUTBOX_GONE). */
	void (*abandon)(void *context, struct outbox_message *message);
};

struct outbox;

/* Everything that is passed to it must stay valid. */
struct outbox *outbox_new(
    struct event_loop *loop, struct store *store, const struct outbox_options *options, const struct outbox_sender *sender);
/* Returns the number of messages whose outcomes could not be recorded in time; their transfers may not have ended. */
MUST_CHECK size_t outbox_run(struct outbox *outbox);
void outbox_free(struct outbox **outbox);

/* ---- for the sender ---- */

/* The owner of the leases, MAIL_OWNER_SIZE bytes. */
const unsigned char *outbox_owner(const struct outbox *outbox);
/* Ends the message with this outcome. The reason is a literal, or in the message's pool. */
void outbox_end(struct outbox_message *message, enum message_state state, int64_t delay_ms, struct slice reason);
/* True for RESULT_OK. Otherwise logs the result; the database is then not used for a second. */
bool outbox_note_result(struct outbox *outbox, enum result result);

/* A failure that is not the message's fault. */
struct outbox_failure {
	enum {
		OUTBOX_SERVER, /* every message would fail in the same way */
		OUTBOX_ONE     /* may be about this message: while only this one fails, the others wait no longer than before */
	} about;
	const char *reason;  /* a word for the log and the operator */
	int status;          /* status of the server's answer; 0: none */
	const char *error;   /* what the library reports */
	const char *hint;    /* NULL: none */
	struct slice answer; /* stored for the operator, without personal data; may be absent */
};
/* Holds the channel, longer with each failure, unless the transfer began before the last hold. */
void outbox_hold(struct outbox *outbox, const struct outbox_message *message, const struct outbox_failure *failure);
/* Call when the server works: ends the hold. */
void outbox_resume(struct outbox *outbox);
