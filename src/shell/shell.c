/* SPDX-License-Identifier: MIT */
#include "shell/shell.h"

#include "admin/operations.h"
#include "operation/audited_run.h"
#include "operation/operation.h"
#include "os/log.h"
#include "shell/command_line.h"
#include "shell/completion.h"
#include "shell/help.h"
#include "store/schema.h"

enum { USAGE_MAX_BYTES = 4096 };

/* The only operation that is about the command line itself. */
static OPERATION(completion_bash, "completion bash", "", "print the completion script for bash", .shape = OUTPUT_NONE);

static const struct operation *const operations[] = { ALL_OPERATIONS OPERATION_ROW(completion_bash) NULL };

/* A program must not touch tables of another schema version (docs/architecture.md 9). */
static int
check_schema(struct operation_call *call)
{
	uint32_t found = 0;
	enum result result = store_ready(call->store, &found);
	return result == RESULT_WRONG_SCHEMA ? operation_fail_schema(call, found) : operation_answer(call, result);
}

/* A command that fails may have output, too, for example check. */
static int
print_output(struct operation_call *call, int status, FILE *out)
{
	bool printed = call->wants_json ? output_print_json(call->output, out) : output_print_text(call->output, out);
	if (printed)
		return status;
	return operation_fail(call, PROBLEM_IO, "%sthe result could not be written",
	    status == EX_OK ? "the command was carried out, but " : ""); /* repeating it would make the change twice */
}

static int
run_operation(struct operation_call *call, FILE *out)
{
	call->store = call->conf == NULL ? NULL : call->wiring->open_store(call->conf);
	call->output = output_new(call->pool, call->operation->shape);
	call->out = out;
	int status = call->operation->needs == NEEDS_SCHEMA ? check_schema(call) : EX_OK;
	if (status == EX_OK)
		status = operation_run_audited(call);
	if (!call->writes_out && (status == EX_OK || !output_is_empty(call->output)))
		status = print_output(call, status, out);
	if (slice_present(call->next))
		operation_warn(call, "there is more: --after %.*s", SLICE_ARGS(call->next));
	store_free(&call->store);
	return status;
}

/* A missing --config is a common cause of a wrong database. */
static void
report_absent_file(struct operation_call *call, const struct conf *conf)
{
	if (conf->absent_file != NULL)
		operation_warn(call, "there is no %s: defaults and LEADHOOK_ variables hold (see --config)", conf->absent_file);
}

/* Loads the configuration, without the files that it names, for an operation that runs with any configuration. Always returns
 * true. */
static bool
load_anyway(struct operation_call *call, const struct buffer *problems, struct conf **conf)
{
	struct buffer same;
	buffer_init(&same, CONF_PROBLEMS_MAX_BYTES);
	call->problems = pool_copy(call->pool, buffer_slice(problems));
	if (!call->wiring->load(call->config_file, CONF_WITHOUT_LISTS, conf, &same))
		*conf = NULL;
	buffer_free(&same);
	return true;
}

static int
load_and_run(const struct command_line *line, struct operation_call *call, FILE *out)
{
	struct conf *conf = NULL;
	struct buffer problems;
	int status = EX_CONFIG;
	const bool checks_only = command_line_option(line, OPTION_CHECK_CONFIG) != NULL;
	const bool is_enough = !checks_only && call->operation->needs == NEEDS_DATABASE_ALONE; /* no files are needed */
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	bool good = call->wiring->load(call->config_file, is_enough ? CONF_WITHOUT_LISTS : CONF_WITH_LISTS, &conf, &problems);
	if (!good && !checks_only && call->operation->needs == NEEDS_ANY_CONFIGURATION)
		good = load_anyway(call, &problems, &conf);
	if (!good) {
		fputs("leadhook: the configuration is not usable\n", call->errors);
		fwrite(problems.data, 1, problems.size, call->errors);
	} else if (checks_only) {
		report_absent_file(call, conf);
		status = EX_OK;
	} else {
		log_init("leadhook", LOG_LEVEL_ERROR); /* operations report everything else themselves */
		call->conf = conf;
		status = run_operation(call, out);
		if (status == EX_UNAVAILABLE && conf != NULL)
			report_absent_file(call, conf);
	}
	conf_free(&conf);
	buffer_free(&problems);
	return status;
}

static int
parse_and_run(const struct command_line *line, struct operation_call *call, FILE *out)
{
	const bool checks_only = command_line_option(line, OPTION_CHECK_CONFIG) != NULL;
	call->config_file = command_line_option(line, OPTION_CONFIG);
	call->wants_json = command_line_option(line, OPTION_JSON) != NULL;
	const int status = checks_only ? EX_OK : command_line_parse(line, call);
	/* a change that is refused is logged, too */
	return status == EX_OK || operation_changes(call) ? load_and_run(line, call, out) : status;
}

static int
answer(const struct command_line *line, struct operation_call *call, FILE *out)
{
	const bool checks_only = command_line_option(line, OPTION_CHECK_CONFIG) != NULL;
	if (command_line_option(line, OPTION_HELP) != NULL && line->operation != NULL)
		help_print(line->operation, out);
	else if (command_line_option(line, OPTION_HELP) != NULL)
		help_print_all(operations, line->group, out);
	else if (command_line_option(line, OPTION_VERSION) != NULL)
		fprintf(out, "leadhook %s\n", LEADHOOK_VERSION);
	else if (line->operation == &operation_completion_bash && !checks_only)
		return completion_print(operations, out) ? EX_OK
							 : operation_fail(call, PROBLEM_IO, "the script could not be written");
	else
		return parse_and_run(line, call, out);
	return EX_OK;
}

int
shell_main(int argc, char *const argv[], const struct operation_wiring *wiring, FILE *out, FILE *errors)
{
	struct operation_call call = { .pool = pool_new(), .wiring = wiring, .errors = errors };
	struct command_line line;
	struct buffer problem;
	int status;
	buffer_init(&problem, USAGE_MAX_BYTES);
	if (command_line_read(operations, argc, argv, call.pool, &line, &problem))
		status = answer(&line, &call, out);
	else
		status = operation_fail(&call, PROBLEM_USAGE, "%.*s", SLICE_ARGS(buffer_slice(&problem)));
	buffer_free(&problem);
	pool_free(&call.pool);
	return status;
}
