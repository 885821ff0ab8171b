/* SPDX-License-Identifier: MIT
 * leadhook setup: a script that changes the host, with the options in its environment. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
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
set(const char *name, const char *value)
{
	return setenv(name, value == NULL ? "" : value, 1) == 0;
}

static bool
set_text(struct pool *pool, const char *name, struct slice value)
{
	return set(name, pool_string(pool, value));
}

/* The options, for the script. */
static bool
set_all(struct pool *pool, const struct setup *setup)
{
	return set_text(pool, "setup_web_server", setup->web_server) && set_text(pool, "setup_base_url", setup->base_url) &&
	       set_text(pool, "setup_database_host", setup->database_host) &&
	       set_text(pool, "setup_database_name", setup->database_name) &&
	       set_text(pool, "setup_database_user", setup->database_user) &&
	       set("setup_database_password_file", setup->database_password_file) &&
	       set_text(pool, "setup_account_name", setup->account_name) &&
	       set_text(pool, "setup_campaign_name", setup->campaign_name) &&
	       set_text(pool, "setup_protect_leads", setup->protect_leads) &&
	       set("setup_dry_run", setup->dry_run ? "yes" : "no");
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
	if (program != NULL && set_all(call->pool, ARGUMENTS(call, struct setup)) && set("setup_program", program) &&
	    set("setup_config", call->conf->file))
		execl("/bin/sh", "sh", SCRIPT, (char *)NULL);
	return operation_fail(call, PROBLEM_SYSTEM, "%s: %s", SCRIPT, strerror(errno));
}

OPERATION(setup, "setup", "[--web-server NAME] [--base-url URL] [OPTION...] [--dry-run]",
    "set up database, web server and programs on this host", run_setup, PARAMETERS(parameters, struct setup),
    .shape = OUTPUT_NONE, .needs = NEEDS_DATABASE_ALONE, .effect = PREPARES);
