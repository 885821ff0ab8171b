/* SPDX-License-Identifier: MIT
 * The operator's command line (docs/operating.md 4): options anywhere, usage errors, values, the help. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation/value_types.h"
#include "shell/command_line.h"
#include "shell/help.h"

enum { ARGUMENTS_MAX = 12 };

struct webhook_add {
	struct slice url, texts[4];
	size_t count;
};

static bool
parse_event(struct value_reading *reading UNUSED, struct slice text, void *place)
{
	struct webhook_add *arguments = place;
	arguments->texts[arguments->count++] = text;
	return slice_find(text, '-') > 0;
}
static const struct value_type value_event = { .parse = parse_event, .expected = "an event", .form = VALUE_EACH };

static const struct parameter list_parameters[] = { OPTION("limit", value_limit, 0) };
static const struct parameter metrics_parameters[] = { OPTION("limit", value_limit, 0), OPTION("web_server", value_text, 8) };
static const struct parameter key_parameters[] = { OPTION("name", value_name, 0) };
static const struct parameter webhook_parameters[] = {
	OPERAND("url", value_text, offsetof(struct webhook_add, url)),
	OPERAND("events", value_event, 0),
};

static const struct operation status = { "status", "", "show", .run = NULL },
			      metrics = { "metrics", "", "print", NULL, .shape = OUTPUT_NONE,
				      PARAMETERS(metrics_parameters, struct webhook_add) },
			      key_add = { "key add", "ACCOUNT [--name NAME]", "add", NULL, .subject = &subject_account,
				      PARAMETERS(key_parameters, struct slice) },
			      key_list = { "key list", "ACCOUNT [--limit N]", "list", NULL, .subject = &subject_account,
				      .shape = OUTPUT_ARRAY, PARAMETERS(list_parameters, size_t) },
			      webhook_add = { "webhook add", "CAMPAIGN URL EVENT...", "add", NULL, .subject = &subject_campaign,
				      PARAMETERS(webhook_parameters, struct webhook_add) };
static const struct operation *const operations[] = { &status, &metrics, &key_add, &key_list, &webhook_add, NULL };

/* Arguments separated by "|", without the program's name. */
static bool
read_line(const char *arguments, struct operation_call *call, struct command_line *line, struct buffer *problem)
{
	char *argv[ARGUMENTS_MAX] = { NULL };
	int argc = 1;
	struct slice rest = slice_of(arguments), argument;
	*call = (struct operation_call){ .pool = pool_new(), .errors = stderr };
	argv[0] = pool_string(call->pool, SLICE("leadhook"));
	while (slice_next(&rest, '|', &argument))
		argv[argc++] = pool_string(call->pool, argument);
	buffer_init(problem, 1000);
	return command_line_read(operations, argc, argv, call->pool, line, problem);
}

static void
options_may_stand_anywhere(void **state)
{
	(void)state;
	static const char *const spellings[] = {
		"key|add|7|--name|web|--json|--config|/x",
		"--json|--config=/x|key|add|7|--name=web",
		"key|--name|web|--json|add|--config|/x|7",
		"key|add|--name=web|--json|--config|/x|--|7",
	};
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		struct operation_call call;
		struct command_line line;
		struct buffer problem;
		if (!read_line(spellings[i], &call, &line, &problem))
			fail_msg("%s: %s", spellings[i], problem.data);
		assert_string_equal(line.operation->words, "key add");
		assert_int_equal(line.operand_count, 1);
		assert_string_equal(line.operands[0], "7");
		assert_int_equal(command_line_parse(&line, &call), 0);
		assert_int_equal(call.id, 7);
		assert_slice(*(struct slice *)(void *)call.arguments, "web");
		assert_string_equal(command_line_option(&line, OPTION_CONFIG), "/x");
		assert_string_equal(command_line_option(&line, OPTION_JSON), "");
		assert_null(command_line_option(&line, OPTION_HELP));
		buffer_free(&problem);
		pool_free(&call.pool);
	}
}

static void
operands_follow_the_words(void **state)
{
	(void)state;
	struct operation_call call;
	struct command_line line;
	struct buffer problem;
	assert_true(read_line("webhook|add|1|-5|-", &call, &line, &problem)); /* a number is not an option */
	assert_int_equal(line.operand_count, 3);
	assert_string_equal(line.operands[1], "-5");
	buffer_free(&problem);
	pool_free(&call.pool);
	assert_true(read_line("webhook|add|1|https://a.example|new_signup|--|--odd|-", &call, &line, &problem));
	assert_int_equal(line.operand_count, 5);
	assert_string_equal(line.operands[2], "new_signup");
	assert_string_equal(line.operands[3], "--odd");
	assert_string_equal(line.operands[4], "-");
	pool_free(&call.pool);
	assert_true(read_line("key|list|status", &call, &line, &problem));
	assert_string_equal(line.operation->words, "key list");
	pool_free(&call.pool);
	assert_true(read_line("key|add|--help", &call, &line, &problem)); /* help needs no operands */
	assert_string_equal(line.operation->words, "key add");
	pool_free(&call.pool);
	static const char *const helps[][2] = { { "--help|key|add", "key add" }, { "-h|key|add", "key add" },
		{ "key|add|-h", "key add" }, { "help|key|add", "key add" }, { "--help", NULL }, { "-h", NULL },
		{ "help", NULL } };
	for (size_t i = 0; i < ARRAY_SIZE(helps); i++) {
		assert_true(read_line(helps[i][0], &call, &line, &problem));
		assert_non_null(command_line_option(&line, OPTION_HELP));
		assert_int_equal(line.operation == NULL, helps[i][1] == NULL);
		if (helps[i][1] != NULL)
			assert_string_equal(line.operation->words, helps[i][1]);
		pool_free(&call.pool);
	}
	static const char *const groups[] = { "key|--help", "help|key", "-h|webhook" };
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		assert_true(read_line(groups[i], &call, &line, &problem));
		assert_null(line.operation);
		assert_string_equal(line.group, i == 2 ? "webhook" : "key");
		pool_free(&call.pool);
	}
	assert_true(read_line("key|list|help", &call, &line, &problem)); /* an operand */
	assert_null(command_line_option(&line, OPTION_HELP));
	pool_free(&call.pool);
	assert_true(read_line("--version", &call, &line, &problem));
	assert_null(line.operation);
	pool_free(&call.pool);
	assert_true(read_line("--check-config", &call, &line, &problem));
	pool_free(&call.pool);
	buffer_free(&problem);
}

static void
wrong_usage_is_reported(void **state)
{
	(void)state;
	static const char *const wrong[][2] = {
		{ "", "no command was given; leadhook --help lists them" },
		{ "--json", "no command was given; leadhook --help lists them" },
		{ "frob", "there is no command frob; leadhook --help lists them" },
		{ "frob|--help", "there is no command frob; leadhook --help lists them" },
		{ "key", "there is no command key; there is: key add, key list" },
		{ "key|frob|1", "there is no command key frob; there is: key add, key list" },
		{ "key|add", "key add takes ACCOUNT [--name NAME]" },
		{ "key|add|1|2", "key add takes ACCOUNT [--name NAME]" },
		{ "status|1", "status takes no operands" },
		{ "webhook|add|1|https://a.example", "webhook add takes CAMPAIGN URL EVENT..." },
		{ "key|list|1|--name|x", "key list does not take --name" },
		{ "status|--frob", "there is no option --frob; leadhook help COMMAND lists them" },
		{ "status|--frob=1", "there is no option --frob; leadhook help COMMAND lists them" },
		{ "status|-j", "there is no option -j; leadhook help COMMAND lists them" },
		{ "status|--json=yes", "--json takes no value" },
		{ "metrics|--json", "metrics does not take --json" },
		{ "key|add|1|--name", "--name needs a value: NAME" },
		{ "key|add|1|--name=a|--name|b", "--name is given twice" },
		{ "--config|/x|key|add|1|--config|/x", "--config is given twice" },
		{ "--check-config|--config|/x|--config=/y", "--config is given twice" },
		{ "key|add|a\nb", "argument 3 is not valid UTF-8, or holds control characters" },
		{ "key|add|1|--name=\xff", "argument 4 is not valid UTF-8, or holds control characters" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct operation_call call;
		struct command_line line;
		struct buffer problem;
		assert_false(read_line(wrong[i][0], &call, &line, &problem));
		assert_string_equal(problem.data, wrong[i][1]);
		buffer_free(&problem);
		pool_free(&call.pool);
	}
}

/* docs/operating.md 4: the help has the options that the command takes, and their explanations are aligned. */
static void
help_is_aligned(void **state)
{
	(void)state;
	struct operation_call call;
	struct command_line line;
	struct buffer problem;
	char *text = NULL;
	size_t size = 0, lines = 0;
	assert_true(read_line("metrics|--help", &call, &line, &problem));
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	help_print(line.operation, out);
	fclose(out);
	assert_null(strstr(text, "--json"));
	assert_non_null(strstr(text, "\n  --config FILE         read "));
	assert_non_null(strstr(text, "\n  --web-server apache|lighttpd|nginx|none\n                        the web server "));
	for (const char *row = strstr(text, "\n  --"); row != NULL; row = strchr(row + 1, '\n')) {
		const size_t width = strcspn(row + 1, "\n");
		if (width > 0 && strchr(row, '|') == NULL)
			assert_true(width > 24 && row[24] == ' ' && row[25] != ' ');
		lines++;
	}
	assert_true(lines > 5);
	free(text);
	buffer_free(&problem);
	pool_free(&call.pool);
}

/* An invalid value is reported with the name that the caller used for it. */
static void
values_are_parsed_into_their_places(void **state)
{
	static const char *const wrong[][2] = {
		{ "webhook|add|x|https://a.example|new_signup", "leadhook: x is not a valid id of a campaign\n" },
		{ "key|add|0", "leadhook: 0 is not a valid id of an account\n" },
		{ "key|add|9223372036854775808", "leadhook: 9223372036854775808 is not a valid id of an account\n" },
		{ "webhook|add|1|https://a.example|ok|-5", "leadhook: events: expected an event\n" },
		{ "key|list|1|--limit=0", "leadhook: --limit: expected a number from 1 to 10000\n" },
		{ "key|add|1|--name=", "leadhook: --name: expected 1 to 200 characters\n" },
	};
	struct operation_call call;
	struct command_line line;
	struct buffer problem;
	(void)state;
	assert_true(read_line("webhook|add|12|https://a.example|new_signup|verified", &call, &line, &problem));
	assert_int_equal(command_line_parse(&line, &call), 0);
	const struct webhook_add *arguments = ARGUMENTS(&call, struct webhook_add);
	assert_true(call.id == 12 && arguments->count == 2);
	assert_slice(arguments->url, "https://a.example");
	assert_slice(arguments->texts[1], "verified");
	assert_true(parameter_is_given(&call, "url"));
	buffer_free(&problem);
	pool_free(&call.pool);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		char *text = NULL;
		size_t size = 0;
		assert_true(read_line(wrong[i][0], &call, &line, &problem));
		call.errors = open_memstream(&text, &size);
		assert_int_not_equal(command_line_parse(&line, &call), 0);
		fclose(call.errors);
		assert_string_equal(text, wrong[i][1]);
		free(text);
		buffer_free(&problem);
		pool_free(&call.pool);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(operands_follow_the_words),
		cmocka_unit_test(wrong_usage_is_reported),
		cmocka_unit_test(help_is_aligned),
		cmocka_unit_test(values_are_parsed_into_their_places),
	};
	return cmocka_run_group_tests_name("shell/command_line", tests, NULL, NULL);
}
