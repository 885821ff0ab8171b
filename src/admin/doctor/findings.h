/* SPDX-License-Identifier: MIT
 * What `leadhook doctor` finds, and what its checks share. A check is a function with a row in doctor.c; each of its findings
 * has a row in findings.c. */
#pragma once

#include <sys/types.h>

#include "operation/operation.h"
#include "operation/operation_wiring.h"

enum doctor_severity { DOCTOR_ERROR, DOCTOR_WARNING };

/* What corrects a finding: a line and where it belongs, or a command. Texts may be absent. */
struct remedy {
	struct slice file;  /* the file to change */
	struct slice place; /* in the file: a section, or the block of a web server */
	struct slice line;
	struct slice command; /* for a shell, instead of a line */
};

struct doctor_finding {
	const char *what; /* stable name */
	enum doctor_severity severity;
	struct slice detail, why;
	struct remedy *remedies;
	size_t remedy_count, remedy_capacity;
};

/* The account that the programs run as, as far as their files show it. */
struct service_account {
	uid_t uid;
	gid_t *groups;
	int group_count;
	const char *name, *group; /* the group is its primary one */
};

/* The kinds of web servers: one for each file in conf-examples. */
enum web_kind { WEB_LIGHTTPD, WEB_APACHE_PROXY, WEB_APACHE_FCGID, WEB_NGINX, WEB_KINDS };

/* NULL: not given. */
struct doctor_arguments {
	struct slice url; /* or absent */
	const char *web_config, *access_log;
};

/* What starts leadhook-fcgi, as far as the files of the web server show it. */
enum web_starter { STARTER_UNKNOWN, STARTER_WEB_SERVER, STARTER_OTHER };

struct web {
	struct slice url;   /* of the service, without a trailing slash; absent: none */
	struct slice mount; /* its path, with a slash at both ends */
	bool answers;       /* the program answers at this URL */
	unsigned kinds;     /* bits of web_kind: what the web server may be */
	enum web_starter starter;
	struct slice config[WEB_KINDS], htaccess;
};

struct doctor {
	struct operation_call *call;
	struct pool *pool;
	const struct conf *conf; /* NULL: it is not usable */
	struct slice file;       /* of the configuration */
	struct service_account account;
	bool has_database;   /* it is usable and has the right schema */
	struct slice secret; /* of the installation; absent: unknown */
	bool probes_fail;    /* the program refuses probes */
	int64_t ahead_ms;    /* how far the database's clock is ahead */
	struct web web;
	struct doctor_finding *findings;
	size_t count, capacity;
	struct slice skipped; /* why the running check could not check something; otherwise absent */
};

typedef void doctor_check(struct doctor *doctor);

/* Adds a finding of the table. The remedies added next belong to it. */
void doctor_find(struct doctor *doctor, const char *what, struct slice detail);
#define DOCTOR_FIND(doctor, what, ...) doctor_find((doctor), (what), pool_printf((doctor)->pool, __VA_ARGS__))
/* Adds a finding that may be missing from the table, with its own reason. */
void doctor_find_because(struct doctor *doctor, const char *what, struct slice detail, struct slice why);
void doctor_make_warning(struct doctor *doctor); /* of the last finding */

void doctor_line(struct doctor *doctor, struct slice file, struct slice place, struct slice line);
/* `file`: what the command changes, or NULL. */
void doctor_command(struct doctor *doctor, const char *file, struct slice command);
#define DOCTOR_COMMAND(doctor, file, ...) doctor_command((doctor), (file), pool_printf((doctor)->pool, __VA_ARGS__))
/* The text as a word of a shell command: quoted if necessary. */
const char *doctor_shell_word(const struct doctor *doctor, const char *text);
/* Adds the line that sets a setting to this value: in the configuration file, or in the environment if a variable takes
 * precedence. */
void doctor_setting(struct doctor *doctor, const char *section, const char *key, struct slice value);
#define DOCTOR_SETTING(doctor, section, key, ...) \
	doctor_setting((doctor), (section), (key), pool_printf((doctor)->pool, __VA_ARGS__))

/* Notes why the running check could not check something. */
#define DOCTOR_SKIP(doctor, ...) ((doctor)->skipped = pool_printf((doctor)->pool, __VA_ARGS__))
/* Returns whether a query succeeded. If it did not, the check is skipped. */
MUST_CHECK bool doctor_has_read(struct doctor *doctor, enum result result);
