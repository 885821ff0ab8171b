/* SPDX-License-Identifier: MIT
 * A command, and one call of it: its arguments as words, operands and options. */
#ifndef LEADHOOK_OPERATION_OPERATION_H
#define LEADHOOK_OPERATION_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/pool.h"
#include "conf/conf.h"
#include "operation/caller.h"
#include "operation/output.h"
#include "operation/problem.h"
#include "store/operator/owners.h"
#include "store/store.h"

/* The options: X(name in OPTION_…, name, name of its value or NULL for none, help). An option has the same meaning for every
 * command that takes it. */
/* clang-format off */
#define ADMIN_OPTION_LIST(X) \
	X(CONFIG, "config", "FILE", "read this configuration file") \
	X(CHECK_CONFIG, "check-config", NULL, "check the configuration and do nothing else") \
	X(JSON, "json", NULL, "print the result as JSON") \
	X(HELP, "help", NULL, "print this help or that of a command; also -h, or the word help") \
	X(VERSION, "version", NULL, "print the version") \
	X(DRY_RUN, "dry-run", NULL, "only show what would be done; of a file, only read it") \
	X(ID, "id", "N", "the id that the campaign gets") \
	X(NAME, "name", "NAME", "name of the key or user; only leads with a name that begins with these words") \
	X(ROLE, "role", "operator|owner|editor|viewer", "what the user may do") \
	X(ACCOUNT, "account", "ID", "the account of the user; only of this account") \
	X(USER, "user", "ID", "only changes by this user") \
	X(TOTP, "totp", NULL, "remove the second factor, too") \
	X(RIGHTS, "rights", "LIST", "what the key may do; without it, all but manage the account") \
	X(CAMPAIGNS, "campaigns", "LIST", "only on these campaigns") \
	X(EXPIRES, "expires", "TIME", "the key ends then") \
	X(LANGUAGE, "language", "CODE", "the texts of one language; without it, of every language") \
	X(FORMAT, "format", "NAME", "of deliveries: json or form; of an export: csv or ndjson") \
	X(SOURCE, "source", "TEXT", "stored with the webhook; of an inbound one, the source of its leads; only leads of this source") \
	X(WEBHOOK, "webhook", "ID", "only of this webhook") \
	X(LEAD, "lead", "SOCIAL_ID", "only of this lead") \
	X(EVENT, "event", "EVENT", "only of this event") \
	X(STATE, "state", "STATE", "only pending, delivered or failed deliveries; only created, updated or refused calls; only mails in this state") \
	X(SINCE, "since", "TIME", "only from this time on") \
	X(UNTIL, "until", "TIME", "only before this time") \
	X(BY, "by", "hour|day", "what a row of the statistics counts") \
	X(LIMIT, "limit", "N", "at most this many") \
	X(DEEP, "deep", NULL, "recount everything; may take minutes") \
	X(RESTORED, "restored", NULL, "after a restore of the database: skip ids that may have been given since the backup") \
	X(POINTS, "points", "N", "points that it adds to a score") \
	X(DESCRIPTION, "description", "TEXT", "description of the tag") \
	X(TAG, "tag", "ID", "the tag that leads have or get, or that completes the action") \
	X(REQUIRED_POINTS, "required-points", "N", "the score at which the level is reached") \
	X(PUBLIC, "public", NULL, "the action can be completed without a key") \
	X(LINK, "link", "URL", "where the action leads, such as your page elsewhere") \
	X(EMAILED, "emailed", NULL, "the reward is sent by email") \
	X(EMAIL, "email", "ADDRESS", "the lead with this email address") \
	X(PHONE, "phone", "NUMBER", "the lead with this phone number") \
	X(SOCIAL_ID, "social-id", "ID", "the lead with this social_id") \
	X(VERIFIED, "verified", "yes|no", "only verified leads, or only the others") \
	X(WAITLISTED, "waitlisted", "yes|no", "only leads on the waitlist, or only the others") \
	X(FRAUDULENT, "fraudulent", "yes|no", "only fraudulent leads, or only the others") \
	X(OPTED_OUT, "opted-out", "yes|no", "only leads that opted out, or only the others") \
	X(AFTER, "after", "PLACE", "go on after this place, which the part of the list before has named; of leads by sign-up, a sign-up number") \
	X(NEWEST, "newest", NULL, "the latest sign-up first") \
	X(ORDER, "order", "score", "the highest score first, then by sign-up") \
	X(REFERRED_BY, "referred-by", "SOCIAL_ID", "only leads that this lead has referred directly") \
	X(STATUS, "status", "1xx|2xx|3xx|4xx|5xx|error", "only where the last attempt got such an answer, or none") \
	X(MESSAGE, "message", "TEXT", "stored with the points") \
	X(NOW, "now", NULL, "the old URL ends at once") \
	X(MAP, "map", "NAME=VALUE", "COLUMN=FIELD of a file, or PARAMETER=PATH of a payload; repeatable") \
	X(DELIMITER, "delimiter", "C", "what separates the columns of CSV: a character, or tab") \
	X(ENCODING, "encoding", "NAME", "encoding of the file, as UTF-8 or windows-1252; without it, it is detected") \
	X(HEADING, "heading", "LINE", "the line with the names of the columns") \
	X(SET, "set", "NAME=VALUE", "what all rows have: opted_out, verified, tag, country, source or another field; repeatable") \
	X(VALUE, "value", "COLUMN:VALUE=MEANING", "what a value of a column about consent means; repeatable") \
	X(DATES, "dates", "day-first|month-first", "what 3/1/2024 means") \
	X(STRICT, "strict", NULL, "reject rows with a phone number that is not valid, also beside an email address") \
	X(MAKE_TAGS, "make-tags", NULL, "make the tags that the campaign does not have") \
	X(ADD_TAGS, "add-tags", NULL, "give leads that exist the tags that they lack") \
	X(LOOK, "look", NULL, "only show how the file is read") \
	X(FILE_NAME, "file-name", "NAME", "the name of a file that is read from elsewhere") \
	X(BASE64, "base64", NULL, "the records are bytes of the file in Base64") \
	X(MORE, "more", NULL, "the file goes on after these records") \
	X(FIRST_LINE, "first-line", "N", "the line of the file at which the records after the heading begin") \
	X(LAST_NUMBER, "last-number", "N", "the largest sign-up number of the whole that the file is a part of") \
	X(REJECTS, "rejects", "FILE", "write the rows that are not imported to this file") \
	X(DROP_REFERRERS, "drop-unknown-referrers", NULL, "import leads without their referrers where these do not exist") \
	X(EVENTS, "events", NULL, "make the events of a sign-up") \
	X(FILE, "file", "FILE", "the new list") \
	X(CAMPAIGN, "campaign", "ID", "only of this campaign") \
	X(KIND, "kind", "KIND", "only of this kind") \
	X(CONTENT, "content", NULL, "show the mail as it is sent") \
	X(HTML, "html", "FILE", "write the HTML of the mail to this file") \
	X(IMPORTABLE, "forget", NULL, "imports may bring the person back") \
	X(YES, "yes", NULL, "do it; without it, show what would be deleted") \
	X(WEB_SERVER, "web-server", "apache|lighttpd|nginx|none", "the web server whose file is enabled") \
	X(BASE_URL, "base-url", "URL", "the address of the service, as visitors see it") \
	X(DATABASE_HOST, "database-host", "HOST", "the database server, if it is another host") \
	X(DATABASE_NAME, "database-name", "NAME", "the database") \
	X(DATABASE_USER, "database-user", "NAME", "its account") \
	X(DATABASE_PASSWORD_FILE, "database-password-file", "FILE", "the password of that account is the first line of this file") \
	X(ACCOUNT_NAME, "account-name", "NAME", "name of the first account") \
	X(CAMPAIGN_NAME, "campaign-name", "NAME", "name of the first campaign") \
	X(PROTECT_LEADS, "protect-leads", "yes|no", "in it no one sees or changes a lead by its address without a key") \
	X(URL, "url", "URL", "the address of the service; without it server.base_url") \
	X(WEB_CONFIG, "web-config", "FILE", "the file of the web server with the settings of the service") \
	X(ADDRESS, "address", "ADDRESS", "the mail goes to this address") \
	X(ACCESS_LOG, "access-log", "FILE", "the log of the web server") \
	X(QUEUE, "queue", NULL, "leave it to the dispatcher, and show the job") \
	X(INTEGRITY, "integrity", NULL, "browsers run only this version of the script") \
	X(MARKUP, "markup", NULL, "also the form written out, as it is now")

/* clang-format on */

#define OPTION(option, name, value, help) OPTION_##option,
enum admin_option { ADMIN_OPTION_LIST(OPTION) ADMIN_OPTIONS };
#undef OPTION

/* A list of options for a row of the table; it ends with ADMIN_OPTIONS. */
#define OPTIONS(...) ((const enum admin_option[]){ __VA_ARGS__, ADMIN_OPTIONS })

struct admin_call;
struct admin_wiring;
struct value_settings;

/* Returns a status of sysexits.h; reports its errors. */
typedef int admin_run(struct admin_call *call);

enum { ADMIN_ANY = 1000 }; /* no maximum of operands */

struct admin_command {
	const char *words;       /* "campaign add" */
	const char *operands;    /* as shown in messages: "ACCOUNT NAME [SETTING=VALUE...]"; ACCOUNT is read as an id */
	size_t minimum, maximum; /* of operands */
	admin_run *run;
	int variant; /* for `run`, when several commands share it */
	/* OPTIONS beyond those that every command has, and those of them that must be given; or NULL */
	const enum admin_option *options, *required;
	bool without_lists;      /* runs also where a file that the configuration names is missing or wrong */
	bool without_json;       /* prints no JSON, and does not take --json */
	bool standalone;         /* needs neither configuration nor database */
	bool any_configuration;  /* runs also where the configuration is not usable: `conf` and `store` are NULL */
	bool any_schema;         /* runs on other schemas than this program's as well */
	enum output_shape shape; /* of its output */
	const struct value_settings *settings; /* those that its operands set; or NULL */
	/* Its form in HTTP (docs/manage.md 1). In the path, below /manage/v1, "{…}" is an operand, or the option of that name.
	 */
	enum admin_method { ADMIN_UNDECIDED, ADMIN_SHELL_ONLY, ADMIN_GET, ADMIN_POST, ADMIN_PATCH, ADMIN_DELETE } method;
	const char *path;
	/* The members that are the operands after those of the path, with spaces between them. The last may end with "...": all
	 * others, an array; or be "*": any other member is NAME=VALUE. */
	const char *fields;
	bool lines;                 /* texts of members may have several lines */
	rights rights;              /* a caller has one of them */
	bool all_rights;            /* it has all of them */
	bool operator_only;         /* of the installation */
	bool creates;               /* an object */
	bool admits;                /* what it makes lets others in, for as long as they like */
	bool ends_access;           /* ends a credential: counts for the caller alone, not for its account */
	bool accumulates;           /* has its effect each time that it is called */
	bool queues;                /* a remote call leaves it to the dispatcher, and outputs the job */
	bool changes;               /* something, though its method does not say so: it is in the audit log */
	bool only_shows;            /* changes nothing, though its method does not say so: it is not in the audit log */
	bool logs_answer;           /* it changes leads, but its answer has nothing of them: the audit log has it */
	bool sends_test;            /* to a user, within limits.test_mails_per_address and test_mails_per_account */
	bool is_long;               /* takes about a second: few remote calls of these run at a time on a host (limit/work_slots.h) */
	const enum admin_option *long_options; /* it is long with one of these OPTIONS; or NULL */
	bool searches;              /* reads what a campaign has stored, within limits.searches_per_account */
	bool confirmed;             /* a user must have entered the password recently */
	const char *confirmed_word; /* the same, when an operand is this word, or sets it; NULL: none */
	bool versioned;             /* shows or changes what the version of a campaign's settings is about */
	const char *help;
};

/* Options that may be repeated; a remote call has an object of texts. */
enum admin_repeated { ADMIN_MAPS, ADMIN_CONSTANTS, ADMIN_MEANINGS, ADMIN_TEXTS };
struct admin_texts {
	const char **items;
	size_t count, capacity;
};

struct admin_call {
	const struct admin_command *command; /* NULL: none was given, because of an option that needs none */
	const char *group;                   /* the word after which help was requested, of several commands; or NULL */
	const char **operands;               /* terminated texts, valid UTF-8 without control characters */
	size_t operand_count;
	const char *options[ADMIN_OPTIONS]; /* NULL: not given; "": given, and takes no value. Of a repeated one the last value */
	struct admin_texts texts[ADMIN_TEXTS]; /* all values of the options that may be repeated */
	struct pool *pool; /* lives as long as the call */
	const struct admin_wiring *wiring;
	/* set when it is run */
	const struct conf *conf;
	struct slice problems; /* any_configuration: lines about errors of the configuration; or absent */
	struct store *store;
	struct output *output;
	uint64_t id;                 /* of the first operand, if that is an id; else 0 */
	const struct caller *caller; /* NULL: a shell */
	FILE *out, *errors;          /* a remote call has neither */
	bool is_remote;              /* by HTTP: files of the host are not read or written */
	bool writes_out;             /* the command has written its result to `out` itself */
	struct slice next;           /* as admin_next; or absent */
	struct admin_report report;
};

/* Parses the arguments (argv[0] is skipped). Returns false with a message in `problem` when they are wrong: EX_USAGE. */
MUST_CHECK bool admin_parse(const struct admin_command *commands, size_t count, int argc, char *const argv[],
    struct admin_call *call, struct buffer *problem);

/* Print the help on all commands, or those that begin with the word `group`, and all options; or on one command. */
void admin_help(const struct admin_command *commands, size_t count, const char *group, FILE *out);
void admin_command_help(const struct admin_command *command, FILE *out);

/* Each records the failure, writes "leadhook: …" to the errors of a call that has them, and returns the exit status. */
int admin_fail(struct admin_call *call, enum admin_problem problem, const char *format, ...) PRINTF_LIKE(3, 4);
/* An option cannot be used so: "--limit: …". */
int admin_fail_option(struct admin_call *call, enum admin_problem problem, enum admin_option option, const char *format, ...)
    PRINTF_LIKE(4, 5);
/* The name of an option or setting as a member of a remote call: "last_number". */
struct slice admin_member_name(struct pool *pool, const char *name);
/* How the caller gives an option: "--last-number", or as a member "last_number". In the pool. */
const char *admin_option_shown(const struct admin_call *call, enum admin_option option);
/* A setting's value is wrong: "name=: …". */
int admin_fail_setting(struct admin_call *call, const char *setting, const char *format, ...) PRINTF_LIKE(3, 4);
/* An operand is wrong; a remote call has it as the member of that name. */
int admin_fail_operand(struct admin_call *call, const char *operand, const char *format, ...) PRINTF_LIKE(3, 4);
/* A remark that does not make the command fail. */
void admin_warn(struct admin_call *call, const char *format, ...) PRINTF_LIKE(2, 3);

/* The output is a part of a list, which goes on with --after and this value. */
void admin_next(struct admin_call *call, struct slice after);
void admin_next_id(struct admin_call *call, uint64_t id);
/* The same of a list by id that was read to `last_id`, if it may go on. */
void admin_end_part(struct admin_call *call, struct list_part part, size_t count, uint64_t last_id);

/* How many objects of a kind an account may have, as the setting says. Operators may add more. */
uint64_t admin_maximum(const struct admin_call *call, unsigned setting);
#define ADMIN_TOO_MANY(what) "the account has as many " what " as it may have (limits." what "_per_account)"

const char *admin_option_name(enum admin_option option);
/* Returns false when there is no option with that name. */
MUST_CHECK bool admin_find_option(struct slice name, enum admin_option *option);
/* The name of its value, NULL when it takes none: FILE, or "yes|no", of which one must be given. */
const char *admin_option_value(enum admin_option option);
/* The path of this program; NULL, with errno set, when it cannot be read. */
const char *admin_own_program(struct pool *pool);
/* Whether the list, which may be NULL, has the option. */
MUST_CHECK bool admin_option_in(const enum admin_option *list, enum admin_option option);
/* Whether it is an option of every command that this one takes; of all of them for NULL. */
MUST_CHECK bool admin_is_general_option(const struct admin_command *command, enum admin_option option);
/* Runs the command of a call that has a store and an output. Returns its status. */
int admin_run_command(struct admin_call *call);
/* Whether the text has 1 to 200 characters, as the columns allow. */
MUST_CHECK bool admin_is_name(struct slice text);
/* As admin_is_name, and reports an invalid name: EX_DATAERR. */
MUST_CHECK bool admin_name(struct admin_call *call, struct slice text);
/* Returns 0 for RESULT_OK, else reports the error and returns its status. RESULT_NOT_FOUND: what call->id names. */
int admin_answer(struct admin_call *call, enum result result);
/* The same, and outputs the id after success. */
int admin_answer_id(struct admin_call *call, enum result result, uint64_t id);
/* Reports that the schema has another version, and what to do. */
int admin_wrong_schema(struct admin_call *call, uint32_t found);
/* Adds a value of an option, if that may be repeated; returns whether it may. `text` stays valid. */
bool admin_add_text(struct admin_call *call, enum admin_option option, const char *text);
MUST_CHECK bool admin_is_repeated(enum admin_option option);
/* The delimiter of --delimiter, if it is given. Reports an invalid one and returns false: EX_USAGE. */
MUST_CHECK bool admin_delimiter(struct admin_call *call, char *delimiter);
/* Whether the text is a number in the range of ids. */
MUST_CHECK bool admin_is_id(struct slice text, uint64_t *id);
/* Parses an operand that is an id; reports an invalid one: EX_DATAERR. */
MUST_CHECK bool admin_id(struct admin_call *call, const char *text, const char *what, uint64_t *id);
/* What the first operand is the id of ("campaign"); NULL: it is no id. */
const char *admin_subject(const struct admin_command *command);
/* The same for the search of its owner; OWNED_KINDS: it is no id. */
enum owned_kind admin_subject_kind(const struct admin_command *command);

#endif
