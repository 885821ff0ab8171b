/* SPDX-License-Identifier: MIT */
#include "shell/shell.h"

#include <sysexits.h>

#include "admin/operations.h"
#include "operation/audited.h"
#include "operation/operation.h"
#include "os/log.h"

enum { USAGE_MAX_BYTES = 4096 };

/* A program must not touch tables of another schema version (docs/architecture.md 9). */
static int
check_schema(struct admin_call *call)
{
	uint32_t found = 0;
	enum result result = store_ready(call->store, &found);
	return result == RESULT_INVALID ? admin_wrong_schema(call, found) : admin_answer(call, result);
}

/* A command that fails may have output as well, for example check. */
static int
print_output(struct admin_call *call, int status, FILE *out)
{
	bool printed =
	    call->options[OPTION_JSON] != NULL ? output_print_json(call->output, out) : output_print_text(call->output, out);
	if (printed)
		return status;
	return admin_fail(call, PROBLEM_IO, "%sthe result could not be written",
	    status == EX_OK ? "the command was carried out, but " : ""); /* repeated, it makes a change twice */
}

static int
run_command(struct admin_call *call, FILE *out)
{
	call->store = call->conf == NULL ? NULL : call->wiring->open_store(call->conf);
	call->output = output_new(call->pool, call->command->shape);
	call->out = out;
	int status = call->command->any_schema ? EX_OK : check_schema(call);
	if (status == EX_OK)
		status = admin_run_audited(call);
	if (!call->writes_out && (status == EX_OK || !output_is_empty(call->output)))
		status = print_output(call, status, out);
	if (slice_present(call->next))
		admin_warn(call, "there is more: --after %.*s", SLICE_ARGS(call->next));
	store_free(&call->store);
	return status;
}

/* A missing --config is a common cause of a wrong database. */
static void
report_absent_file(struct admin_call *call, const struct conf *conf)
{
	if (conf->absent_file != NULL)
		admin_warn(call, "there is no %s: defaults and LEADHOOK_ variables hold (see --config)", conf->absent_file);
}

/* For a command that runs with any configuration: what there is of it, without the lists that it names. Always true. */
static bool
load_anyway(struct admin_call *call, const struct buffer *problems, struct conf **conf)
{
	struct buffer same;
	buffer_init(&same, CONF_PROBLEMS_MAX_BYTES);
	call->problems = pool_copy(call->pool, buffer_slice(problems));
	if (!call->wiring->load(call->options[OPTION_CONFIG], false, conf, &same))
		*conf = NULL;
	buffer_free(&same);
	return true;
}

static int
load_and_run(struct admin_call *call, FILE *out)
{
	struct conf *conf = NULL;
	struct buffer problems;
	int status = EX_CONFIG;
	const bool checks_only = call->options[OPTION_CHECK_CONFIG] != NULL;
	const bool lists = call->command == NULL || !call->command->without_lists || checks_only;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	bool good = call->wiring->load(call->options[OPTION_CONFIG], lists, &conf, &problems);
	if (!good && !checks_only && call->command->any_configuration)
		good = load_anyway(call, &problems, &conf);
	if (!good) {
		fputs("leadhook: the configuration is not usable\n", call->errors);
		fwrite(problems.data, 1, problems.size, call->errors);
	} else if (checks_only) {
		report_absent_file(call, conf);
		status = EX_OK;
	} else {
		log_init("leadhook", LOG_LEVEL_ERROR); /* commands report everything else themselves */
		call->conf = conf;
		status = run_command(call, out);
		if (status == EX_UNAVAILABLE && conf != NULL)
			report_absent_file(call, conf);
	}
	conf_free(&conf);
	buffer_free(&problems);
	return status;
}

static bool
is_standalone(struct admin_call *call)
{
	return call->command != NULL && call->command->standalone && call->options[OPTION_CHECK_CONFIG] == NULL;
}

/* It writes its result itself. */
static int
run_alone(struct admin_call *call, FILE *out)
{
	call->out = out;
	return call->command->run(call);
}

static int
answer(struct admin_call *call, const struct admin_command *commands, size_t count, FILE *out)
{
	if (call->options[OPTION_HELP] != NULL && call->command != NULL)
		admin_command_help(call->command, out);
	else if (call->options[OPTION_HELP] != NULL)
		admin_help(commands, count, call->group, out);
	else if (call->options[OPTION_VERSION] != NULL)
		fprintf(out, "leadhook %s\n", LEADHOOK_VERSION);
	else
		return is_standalone(call) ? run_alone(call, out) : load_and_run(call, out);
	return EX_OK;
}

int
admin_main(int argc, char *const argv[], const struct admin_wiring *wiring, FILE *out, FILE *errors)
{
	size_t count;
	const struct admin_command *commands = admin_commands(&count);
	struct admin_call call = { .pool = pool_new(), .wiring = wiring, .errors = errors };
	struct buffer problem;
	int status;
	buffer_init(&problem, USAGE_MAX_BYTES);
	if (admin_parse(commands, count, argc, argv, &call, &problem))
		status = answer(&call, commands, count, out);
	else
		status = admin_fail(&call, PROBLEM_USAGE, "%.*s", SLICE_ARGS(buffer_slice(&problem)));
	buffer_free(&problem);
	pool_free(&call.pool);
	return status;
}
