/* SPDX-License-Identifier: MIT
 * leadhook setup: a script that changes the host, with the options in its environment. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/operations.h"

#define SCRIPT LEADHOOK_LIBEXEC_DIR "/setup"

static const struct {
	enum admin_option option;
	const char *variable;
} variables[] = {
	{ OPTION_WEB_SERVER, "setup_web_server" },
	{ OPTION_BASE_URL, "setup_base_url" },
	{ OPTION_DATABASE_HOST, "setup_database_host" },
	{ OPTION_DATABASE_NAME, "setup_database_name" },
	{ OPTION_DATABASE_USER, "setup_database_user" },
	{ OPTION_DATABASE_PASSWORD_FILE, "setup_database_password_file" },
	{ OPTION_ACCOUNT_NAME, "setup_account_name" },
	{ OPTION_CAMPAIGN_NAME, "setup_campaign_name" },
	{ OPTION_PROTECT_LEADS, "setup_protect_leads" },
};

static bool
set(const char *name, const char *value)
{
	return setenv(name, value == NULL ? "" : value, 1) == 0;
}

int
admin_setup(struct admin_call *call)
{
	if (access(SCRIPT, R_OK) != 0)
		return admin_fail(call, PROBLEM_UNAVAILABLE,
		    "%s: %s: this copy of Leadhook is not installed: install the package, or run make install as root "
		    "(docs/operating.md 2)",
		    SCRIPT, strerror(errno));
	const char *program = admin_own_program(call->pool);
	bool good = program != NULL;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		good = good && set(variables[i].variable, call->options[variables[i].option]);
	good = good && set("setup_program", program) && set("setup_config", call->conf->file) &&
	       set("setup_dry_run", call->options[OPTION_DRY_RUN] != NULL ? "yes" : "no");
	if (good)
		execl("/bin/sh", "sh", SCRIPT, (char *)NULL);
	return admin_fail(call, PROBLEM_SYSTEM, "%s: %s", SCRIPT, strerror(errno));
}
