/* SPDX-License-Identifier: MIT
 * leadhook setup: a script that changes the host, with the options in its environment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "operation/operation.h"
#include "operation/value_types.h"
#include "os/executable.h"

#define SCRIPT LEADHOOK_LIBEXEC_DIR "/setup"

struct setup {
	struct slice web_server, base_url, database_host, database_name, database_user, account_name, campaign_name,
	    protect_leads;
	const char *database_password_file;
	bool dry_run;
};
#define PLACE(member) offsetof(struct setup, member)
static const struct parameter parameters[] = {
	OPTION("web_server", value_text, PLACE(web_server)),
	OPTION("base_url", value_text, PLACE(base_url)),
	OPTION("database_host", value_text, PLACE(database_host)),
	OPTION("database_name", value_text, PLACE(database_name)),
	OPTION("database_user", value_text, PLACE(database_user)),
	OPTION("database_password_file", value_path, PLACE(database_password_file)),
	OPTION("account_name", value_text, PLACE(account_name)),
	OPTION("campaign_name", value_text, PLACE(campaign_name)),
	OPTION("protect_leads", value_text, PLACE(protect_leads)),
	OPTION("dry_run", value_on, PLACE(dry_run)),
};
#undef PLACE

static bool
set(struct pool *pool, const char *name, const char *value)
{
	return setenv(pool_printf(pool, "setup_%s", name).data, value == NULL ? "" : value, 1) == 0;
}

/* Puts the options into the environment of the script. */
static bool
set_all(struct operation_call *call)
{
	const struct setup *setup = ARGUMENTS(call, struct setup);
	bool good = set(call->pool, "database_password_file", setup->database_password_file) &&
		    set(call->pool, "dry_run", setup->dry_run ? "yes" : "no");
	for (size_t i = 0; i < ARRAY_SIZE(parameters) && good; i++)
		if (parameters[i].type == &value_text)
			good = set(
			    call->pool, parameters[i].name, pool_string(call->pool, parameter_text(call, parameters[i].name)));
	return good;
}

static int
run_setup(struct operation_call *call)
{
	if (access(SCRIPT, R_OK) != 0)
		return operation_fail(call, PROBLEM_UNAVAILABLE,
		    "%s: %s: this copy of Leadhook is not installed: install the package, or run make install as root "
		    "(docs/operating.md 2)",
		    SCRIPT, strerror(errno));
	const char *program = executable_path(call->pool);
	if (program != NULL && set_all(call) && set(call->pool, "program", program) &&
	    set(call->pool, "config", call->conf->file))
		execl("/bin/sh", "sh", SCRIPT, (char *)NULL);
	return operation_fail(call, PROBLEM_SYSTEM, "%s: %s", SCRIPT, strerror(errno));
}

OPERATION(setup, "setup", "[--web-server NAME] [--base-url URL] [OPTION...] [--dry-run]",
    "set up database, web server and programs on this host", run_setup, PARAMETERS(parameters, struct setup),
    .shape = OUTPUT_NONE, .needs = NEEDS_DATABASE_ALONE, .effect = PREPARES);
