/* SPDX-License-Identifier: MIT
 * An operation: what the command `leadhook` and, if it has a path, a call below /manage/v1 does (docs/manage.md); and one call
 * of it. The row of an operation stands beside its function, in a folder of src/admin; src/admin/operations.h lists all of
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/pool.h"
#include "conf/conf.h"
#include "operation/caller.h"
#include "operation/object_settings.h"
#include "operation/operation_problem.h"
#include "operation/output.h"
#include "operation/parameter.h"
#include "store/find.h"
#include "store/operator/owners.h"

struct operation_wiring;

/* Returns a status of sysexits.h; reports its errors. */
typedef int operation_run(struct operation_call *call);

/* The kind of object that the first operand, or the path, names by its id. */
struct subject {
	const char *name; /* in paths: "webhook" */
	const char *noun; /* in messages: "inbound webhook" */
	enum owned_kind kind;
};
extern const struct subject subject_account, subject_key, subject_campaign, subject_tag, subject_action, subject_reward,
    subject_webhook, subject_delivery, subject_inbound, subject_call, subject_mail, subject_user, subject_job;

/* How a call changes stored data. Calls have a row in the audit log, except those that are READS or PREPARES. CREATES, ADDS and
 * QUEUES take an Idempotency-Key. */
enum effect {
	READS,
	PREPARES, /* prepares the installation itself, whose tables may be missing */
	CHANGES,  /* or reads something that must be on record, such as the report about a person */
	CREATES,  /* creates an object, and outputs its id; the answer is 201 */
	ADDS,     /* has an effect each time it is called, even with the same arguments */
	QUEUES    /* queues a job: a call over HTTP leaves the work to the dispatcher and outputs the job; the answer is 202 */
};

enum audience { FOR_CALLERS /* callers that have the rights */, FOR_OPERATORS };

/* How an operation changes who can log in or make calls. */
enum access_change {
	KEEPS_ACCESS,
	GRANTS_ACCESS, /* gives access that does not end, so a key that expires may not call it */
	ENDS_ACCESS    /* makes a credential invalid: counts for the caller alone, not for its account */
};

/* The load that a call over HTTP causes. */
enum cost {
	CHEAP,
	SLOW,      /* about a second: only a few of these run at a time on a host (limit/work_slots.h) */
	SEARCHES,  /* like SLOW, and reads all data of a campaign: within limits.searches_per_account */
	TEST_MAILS /* sends a mail to a user: within limits.test_mails_per_address and test_mails_per_account */
};

/* What an operation needs to run. */
enum needs {
	NEEDS_SCHEMA,           /* a database whose tables have this program's version */
	NEEDS_DATABASE,         /* tables of any version */
	NEEDS_DATABASE_ALONE,   /* the same, but files that the configuration names may be missing or invalid */
	NEEDS_ANY_CONFIGURATION /* runs even if the configuration is not usable: then `conf` and `store` may be NULL */
};

enum operation_method { METHOD_NONE, METHOD_GET, METHOD_POST, METHOD_PATCH, METHOD_DELETE };

struct operation {
	const char *words; /* "campaign add" */
	const char *usage; /* its operands and options, as shown in messages: "ACCOUNT NAME [SETTING=VALUE...]" */
	const char *help;
	operation_run *run;
	int variant;                   /* for `run`, when several operations share it */
	const struct subject *subject; /* the kind of object that call->id names; NULL: none */
	bool subject_is_optional;
	const struct parameter *parameters; /* besides the subject */
	size_t parameter_count;
	size_t arguments_size;                 /* of the struct in call->arguments */
	const void *defaults;                  /* a struct of that type; NULL: all zero */
	const struct settings_table *settings; /* those that it sets, after the other operands; NULL: none */
	bool settings_are_optional;            /* otherwise at least one must be given */
	enum output_shape shape;
	enum needs needs;
	/* The call over HTTP (docs/manage.md 1). The path is below /manage/v1; "{…}" in it names the subject or a parameter.
	 * METHOD_NONE if there is no such call. */
	enum operation_method method;
	const char *path;
	enum audience audience;
	rights rights;   /* a caller must have one of them … */
	bool all_rights; /* … or all of them */
	enum effect effect;
	enum access_change access;
	enum cost cost;
	bool needs_password; /* a user must have entered the password recently (docs/users.md 4) */
	bool versioned;      /* shows or changes something that the version of a campaign's settings covers */
	/* The operation that shows the object that this one changes: the audit log has its output from before and after the
	 * change. NULL: the log has the output of CREATES, or nothing. */
	const struct operation *shown_by;
	bool shows_result; /* its own output shows the object after the change */
	bool logs_output;  /* the audit log has its output, which has nothing about a person */
};
/* Defines the row of an operation: its words, and the members that follow. */
#define OPERATION(name, ...) const struct operation operation_##name = { __VA_ARGS__ }
#define PARAMETERS(rows, type) .parameters = rows, .parameter_count = ARRAY_SIZE(rows), .arguments_size = sizeof(type)
#define HTTP(verb, place, any_of) .method = METHOD_##verb, .path = place, .rights = any_of

struct operation_call {
	const struct operation *operation; /* NULL: none was given, because an option of the shell needs none */
	char *arguments;                   /* the struct of the operation; texts are valid UTF-8 without control characters */
	bool *given;                       /* for each parameter, whether it was given */
	struct settings settings;          /* of operation->settings */
	uint64_t id;                       /* of the subject; 0: none was given */
	struct owner owner;                /* if has_owner: that of the subject, or of the campaign in a parameter */
	bool has_owner;
	bool previews;       /* it only shows what it would do (PARAMETER_PREVIEW) */
	bool is_slow;        /* a parameter makes it slow (PARAMETER_SLOW) */
	bool needs_password; /* a value needs the password (parameter.password_for) */
	struct pool *pool;   /* lives as long as the call */
	const struct operation_wiring *wiring;
	/* set before it runs */
	const struct conf *conf;
	struct slice problems;   /* for NEEDS_ANY_CONFIGURATION: the errors of the configuration, one per line; or absent */
	const char *config_file; /* the file in --config; or NULL */
	struct store *store;
	struct precondition precondition; /* of a call over HTTP: the conditions on which it makes its change */
	struct output *output;
	const struct caller *caller; /* NULL: the command `leadhook` */
	FILE *out, *errors;          /* NULL in a call over HTTP */
	bool is_remote;              /* the call came over HTTP: it must be short, and cannot use files of the host */
	bool wants_json;
	bool writes_out;     /* the operation has written its result to `out` itself */
	struct slice next;   /* the value of `after` for the next part, if the output is one part of a list; or absent */
	struct slice before; /* for the audit log: the object before the change as JSON, if the operation has read it itself; or
				absent */
	struct operation_report report;
};

/* The arguments of a call, as a pointer to their struct. */
#define ARGUMENTS(call, type) ((const type *)(const void *)(call)->arguments)

/* Sets call->next to an id. */
void operation_next_id(struct operation_call *call, uint64_t id);

/* Whether calls of it may have an Idempotency-Key (docs/manage.md 1.5). */
bool operation_is_repeatable(const struct operation *operation);
/* How many objects of a kind an account may have, according to `setting`; operators may add more. */
uint64_t operation_maximum(const struct operation_call *call, unsigned setting);
#define TOO_MANY_IN_ACCOUNT(what) "the account has as many " what " as it may have (limits." what "_per_account)"

/* Returns 0 for RESULT_OK; otherwise reports the error and returns its status. RESULT_NOT_FOUND means that the object call->id
 * does not exist. */
int operation_answer(struct operation_call *call, enum result result);
/* The same, but after success these also output a number or the id. */
int operation_answer_number(struct operation_call *call, enum result result, const char *key, uint64_t number);
int operation_answer_id(struct operation_call *call, enum result result, uint64_t id);
/* Finds the campaign that is the subject. `campaign` may be NULL, to find out only whether it exists. */
MUST_CHECK enum result operation_find_campaign(struct operation_call *call, struct campaign *campaign);
/* Reports that the tables have another version, and what to do. Returns the status. */
int operation_fail_schema(struct operation_call *call, uint32_t found);
