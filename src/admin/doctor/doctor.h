/* SPDX-License-Identifier: MIT
 * `leadhook doctor` (leadhook(1)): checks that find faults of an installation. Included only by this folder.
 *
 * A check is a function and a row of the table in doctor.c. What it finds has a row in findings.c. */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include "deliver/send/web_client.h"
#include "operation/operation.h"
#include "operation/operation_wiring.h"
#include "store/operator/check_findings.h"

enum doctor_severity { DOCTOR_ERROR, DOCTOR_WARNING };

/* What corrects a finding: a line and where it is put, or a command. Texts may be absent. */
struct remedy {
	struct slice file;  /* that is changed */
	struct slice place; /* in the file: a section, or the block of a web server */
	struct slice line;
	struct slice command; /* of a shell, instead of a line */
};

struct doctor_finding {
	const char *what; /* stable name */
	enum doctor_severity severity;
	struct slice detail, why;
	struct remedy *remedies;
	size_t remedy_count, remedy_capacity;
};

/* The account that the programs run as, as far as files show it. */
struct service_account {
	uid_t uid;
	gid_t *groups;
	int group_count;
	struct slice name, group; /* the group is its primary one */
};

/* What a probe reports of its request (docs/api.md 4.1, GET /health/echo). */
struct echo {
	bool has_come;
	struct slice version, peer, client, authorization, body; /* may be absent */
	bool peer_is_trusted;
	bool forwarded; /* X-Forwarded-For arrived */
	uint64_t body_bytes, body_ms;
};

/* The kinds of web servers, by their files in conf-examples. */
enum web_kind { WEB_LIGHTTPD, WEB_APACHE_PROXY, WEB_APACHE_FCGID, WEB_NGINX, WEB_KINDS };

/* NULL: not given. */
struct doctor_arguments {
	struct slice url; /* or absent */
	const char *web_config, *access_log;
};

/* What starts leadhook-fcgi, as far as the files of the web server show it. */
enum web_starter { STARTER_UNKNOWN, STARTER_WEB_SERVER, STARTER_OTHER };

struct web {
	struct slice url;   /* of the service, without a slash at its end; absent: none */
	struct slice mount; /* its path, with both slashes */
	bool answers;       /* the program does, at this URL */
	unsigned kinds;     /* bits of web_kind: those that the server may be */
	enum web_starter starter;
	struct slice config[WEB_KINDS], htaccess;
};

struct doctor {
	struct operation_call *call;
	struct pool *pool;
	const struct conf *conf; /* NULL: it is not usable */
	struct slice file;       /* of the configuration */
	struct service_account account;
	bool has_database;   /* it can be used, with a schema that fits */
	struct slice secret; /* of the installation; absent: unknown */
	bool probes_fail;    /* the program does not accept them */
	int64_t ahead_ms;    /* of the database's clock */
	struct web web;
	struct doctor_finding *findings;
	size_t count, capacity;
	struct slice skipped; /* by the check that runs: why it could not check something; else absent */
};

typedef void doctor_check(struct doctor *doctor);

/* ---- findings.c ---- */

/* Adds a finding of the table there. The remedies that follow are for it. */
void doctor_find(struct doctor *doctor, const char *what, struct slice detail);
/* The same with its own reason, for one that the table need not have. */
void doctor_find_because(struct doctor *doctor, const char *what, struct slice detail, struct slice why);
void doctor_weaken(struct doctor *doctor); /* the last finding is a warning */
void doctor_line(struct doctor *doctor, struct slice file, struct slice place, struct slice line);
void doctor_command(struct doctor *doctor, struct slice file, struct slice command);
/* As a word of a shell's command. */
const char *doctor_word(const struct doctor *doctor, const char *text);
/* The line that gives a setting this value, in the configuration file, or the variable that has precedence over it. */
void doctor_setting(struct doctor *doctor, const char *section, const char *key, struct slice value);
#define DOCTOR_FIND(doctor, what, ...) doctor_find((doctor), (what), pool_printf((doctor)->pool, __VA_ARGS__))
#define DOCTOR_SKIP(doctor, ...) ((doctor)->skipped = pool_printf((doctor)->pool, __VA_ARGS__))

/* ---- account.c ---- */

/* Sets doctor->account. */
void account_find(struct doctor *doctor);
/* Whether this command may see whether the file exists. False: the check is skipped. */
MUST_CHECK bool account_sees(struct doctor *doctor, const char *path);
/* Whether the account may do this with the existing file: bits of R_OK, W_OK and X_OK. */
MUST_CHECK bool account_may(const struct doctor *doctor, const char *path, int what);
/* The first folder on the way to the file that the account may not enter; NULL: none. */
const char *account_barrier(const struct doctor *doctor, const char *path);
struct slice account_folder_of(struct pool *pool, const char *path);

/* ---- database.c, connection_checks.c ---- */

/* A line of the server's option file. */
void database_option(struct doctor *doctor, struct slice line);
/* For the findings `connection` and `database_tls` of `leadhook check`, which are the last ones. */
void connection_remedies(struct doctor *doctor, const struct finding *finding);
void connection_protection(struct doctor *doctor, const struct finding *finding);

/* ---- the checks ---- */

doctor_check check_configuration;                                                       /* configuration.c */
doctor_check check_files, check_state, check_lock_file, check_log, check_disk;          /* files.c */
doctor_check check_syslog;                                                              /* files.c */
doctor_check check_database;                                                            /* database.c */
doctor_check check_ca_file, check_dispatcher, check_webhooks, check_mail, check_names;  /* programs.c */
doctor_check check_secrets;                                                             /* secret_checks.c */
doctor_check check_web;                                                                 /* web.c */
doctor_check check_headers, check_bodies, check_slow_body, check_methods, check_errors; /* requests.c */
doctor_check check_access_log;                                                          /* access_log.c */

/* programs.c: whether systemd runs and has this unit of the package, or of an installation from source. */
bool doctor_has_unit(const struct doctor *doctor, const char *name);

/* space.c: how full a file system is: 0 not, 1 nearly, 2 too full to go on. */
int disk_fullness(uint64_t total, uint64_t available, uint64_t total_inodes, uint64_t available_inodes);

/* ---- web.c: requests ---- */

/* The address of a path below the service. */
struct slice web_address(const struct doctor *doctor, const char *path);
void web_send(struct doctor *doctor, struct web_request *request, struct web_answer *answer);
/* The value of a header of the answer; absent: there is none. */
struct slice web_header(const struct web_answer *answer, struct slice name);
/* Whether the program has answered, not the web server by itself. */
bool web_is_of_program(const struct web_answer *answer);
/* Whether the program accepts probes, as far as is known. */
MUST_CHECK bool web_can_probe(const struct doctor *doctor);
/* Sends a probe and reads what arrived of it. False: it was not answered so; *answer says how. */
MUST_CHECK bool web_probe(struct doctor *doctor, struct web_request *request, struct web_answer *answer, struct echo *echo);
struct slice web_describe(struct pool *pool, const struct web_answer *answer);

/* ---- web_server.c ---- */

/* Determines which web servers may be in use, and their files. `name`: the header Server, or absent. */
void web_server_find(struct doctor *doctor, struct slice name);
/* Adds the commands that start the web server, or the program (`again`: that runs), to the last finding. */
void web_server_start(struct doctor *doctor);
void web_server_start_program(struct doctor *doctor, bool again);
/* Adds the lines that correct the last finding, for each server that may be in use. `value` is what some of them need. */
void web_server_lines(struct doctor *doctor, const char *what, struct slice value);
