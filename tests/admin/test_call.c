/* SPDX-License-Identifier: MIT
 * The operator's command line and its output (docs/operating.md 4): options anywhere, usage errors, text and JSON. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation/operation.h"

enum { ARGUMENTS_MAX = 12 };

static int
run_nothing(struct admin_call *call)
{
	(void)call;
	return 0;
}

static const struct admin_command commands[] = {
	{ "status", "", 0, 0, run_nothing, .help = "show" },
	{ "metrics", "", 0, 0, run_nothing, .without_json = true,
	    .options = OPTIONS(OPTION_LIMIT, OPTION_WEB_SERVER), .help = "print" },
	{ "key add", "ACCOUNT [--name NAME]", 1, 1, run_nothing, .options = OPTIONS(OPTION_NAME), .help = "add" },
	{ "key list", "ACCOUNT", 1, 1, run_nothing, .shape = OUTPUT_ARRAY, .help = "list" },
	{ "webhook add", "CAMPAIGN URL EVENT...", 3, ADMIN_ANY, run_nothing, .help = "add" },
};

/* Arguments separated by "|", without the program's name. */
static bool
parse(const char *arguments, struct admin_call *call, struct buffer *problem)
{
	char *argv[ARGUMENTS_MAX] = { NULL };
	int argc = 1;
	struct slice rest = slice_of(arguments), argument;
	*call = (struct admin_call){ .pool = pool_new(), .errors = stderr };
	argv[0] = pool_string(call->pool, SLICE("leadhook"));
	while (slice_next(&rest, '|', &argument))
		argv[argc++] = pool_string(call->pool, argument);
	buffer_init(problem, 1000);
	return admin_parse(commands, ARRAY_SIZE(commands), argc, argv, call, problem);
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
		struct admin_call call;
		struct buffer problem;
		if (!parse(spellings[i], &call, &problem))
			fail_msg("%s: %s", spellings[i], problem.data);
		assert_string_equal(call.command->words, "key add");
		assert_int_equal(call.operand_count, 1);
		assert_string_equal(call.operands[0], "7");
		assert_string_equal(call.options[OPTION_NAME], "web");
		assert_string_equal(call.options[OPTION_CONFIG], "/x");
		assert_string_equal(call.options[OPTION_JSON], "");
		assert_null(call.options[OPTION_HELP]);
		buffer_free(&problem);
		pool_free(&call.pool);
	}
}

static void
operands_follow_the_words(void **state)
{
	(void)state;
	struct admin_call call;
	struct buffer problem;
	assert_true(parse("webhook|add|1|-5|-", &call, &problem)); /* a number is no option */
	assert_int_equal(call.operand_count, 3);
	assert_string_equal(call.operands[1], "-5");
	buffer_free(&problem);
	pool_free(&call.pool);
	assert_true(parse("webhook|add|1|https://a.example|new_signup|--|--odd|-", &call, &problem));
	assert_int_equal(call.operand_count, 5);
	assert_string_equal(call.operands[2], "new_signup");
	assert_string_equal(call.operands[3], "--odd");
	assert_string_equal(call.operands[4], "-");
	pool_free(&call.pool);
	assert_true(parse("key|list|status", &call, &problem));
	assert_string_equal(call.command->words, "key list");
	pool_free(&call.pool);
	assert_true(parse("key|add|--help", &call, &problem)); /* help needs no operands */
	assert_string_equal(call.command->words, "key add");
	pool_free(&call.pool);
	static const char *const helps[][2] = { { "--help|key|add", "key add" }, { "-h|key|add", "key add" },
		{ "key|add|-h", "key add" }, { "help|key|add", "key add" }, { "--help", NULL }, { "-h", NULL },
		{ "help", NULL } };
	for (size_t i = 0; i < ARRAY_SIZE(helps); i++) {
		assert_true(parse(helps[i][0], &call, &problem));
		assert_non_null(call.options[OPTION_HELP]);
		assert_int_equal(call.command == NULL, helps[i][1] == NULL);
		if (helps[i][1] != NULL)
			assert_string_equal(call.command->words, helps[i][1]);
		pool_free(&call.pool);
	}
	static const char *const groups[] = { "key|--help", "help|key", "-h|webhook" };
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		assert_true(parse(groups[i], &call, &problem));
		assert_null(call.command);
		assert_string_equal(call.group, i == 2 ? "webhook" : "key");
		pool_free(&call.pool);
	}
	assert_true(parse("key|list|help", &call, &problem)); /* an operand */
	assert_null(call.options[OPTION_HELP]);
	pool_free(&call.pool);
	assert_true(parse("--version", &call, &problem));
	assert_null(call.command);
	pool_free(&call.pool);
	assert_true(parse("--check-config", &call, &problem));
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
		{ "key|add|a\nb", "argument 3 is not valid UTF-8, or holds control characters" },
		{ "key|add|1|--name=\xff", "argument 4 is not valid UTF-8, or holds control characters" },
	};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct admin_call call;
		struct buffer problem;
		assert_false(parse(wrong[i][0], &call, &problem));
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
	struct admin_call call;
	struct buffer problem;
	char *text = NULL;
	size_t size = 0, lines = 0;
	assert_true(parse("metrics|--help", &call, &problem));
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	admin_command_help(call.command, out);
	fclose(out);
	assert_null(strstr(text, "--json"));
	assert_non_null(strstr(text, "\n  --config FILE         read "));
	assert_non_null(strstr(text, "\n  --web-server apache|lighttpd|nginx|none\n                        the web server "));
	for (const char *line = strstr(text, "\n  --"); line != NULL; line = strchr(line + 1, '\n')) {
		const size_t width = strcspn(line + 1, "\n");
		if (width > 0 && strchr(line, '|') == NULL)
			assert_true(width > 24 && line[24] == ' ' && line[25] != ' ');
		lines++;
	}
	assert_true(lines > 5);
	free(text);
	buffer_free(&problem);
	pool_free(&call.pool);
}

static void
names_and_ids_are_checked(void **state)
{
	(void)state;
	char text[602];
	uint64_t id = 0;
	FILE *nowhere = fopen("/dev/null", "w");
	struct admin_call call = { .pool = pool_new(), .errors = nowhere };
	assert_non_null(nowhere);
	for (size_t i = 0; i < 200; i++)
		memcpy(text + 3 * i, "\xe2\x82\xac", 3); /* € */
	assert_true(admin_name(&call, (struct slice){ text, 600 }));
	text[600] = 'x';
	assert_false(admin_name(&call, (struct slice){ text, 601 }));
	assert_false(admin_name(&call, SLICE("")));
	assert_true(admin_id(&call, "12", "key", &id));
	assert_int_equal(id, 12);
	assert_false(admin_id(&call, "0", "key", &id));
	assert_false(admin_id(&call, "x", "key", &id));
	assert_false(admin_id(&call, "9223372036854775808", "key", &id));
	fclose(nowhere);
	pool_free(&call.pool);
}

static void
assert_printed(const struct output *output, bool json, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_true(json ? output_print_json(output, out) : output_print_text(output, out));
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void
records_are_printed_as_text_and_json(void **state)
{
	(void)state;
	static const struct slice events[] = { { "opted_out", 9 }, { "verified", 8 } };
	struct pool *pool = pool_new();
	struct output *list = output_new(pool, OUTPUT_ARRAY), *object = output_new(pool, OUTPUT_OBJECT);
	assert_true(output_is_empty(list));
	assert_printed(list, true, "[]\n");
	assert_printed(list, false, "");
	output_record(list);
	output_u64(list, "id", 7);
	output_text(list, "name", SLICE("\xc3\xa4\x1b[2J"));
	output_time(list, "at", 1795232293000);
	output_i64(list, "points", -5);
	output_texts(list, "events", events, ARRAY_SIZE(events));
	output_record(list);
	output_u64(list, "id", 1234);
	output_text(list, "name", SLICE_NONE);
	output_time(list, "at", -1);
	output_i64(list, "points", 99999);
	output_texts(list, "events", NULL, 0);
	assert_printed(list, false,
	    "id    name   at                    points  events\n"
	    "7     \xc3\xa4?[2J  2026-11-21T03:38:13Z  -5      opted_out,verified\n"
	    "1234  -      -                     99999   \n");
	output_record(object);
	output_boolean(object, "ok", false);
	output_nested(object, "findings", list);
	output_u64_or_null(object, "status", 0);
	assert_printed(object, true,
	    "{\"ok\":false,\"findings\":["
	    "{\"id\":7,\"name\":\"\xc3\xa4\\u001b[2J\",\"at\":\"2026-11-21T03:38:13Z\",\"points\":-5,\"events\":[\"opted_out\","
	    "\"verified\"]}"
	    ","
	    "{\"id\":1234,\"name\":null,\"at\":null,\"points\":99999,\"events\":[]}],\"status\":null}\n");
	assert_printed(object, false,
	    "ok        no\n"
	    "status    -\n"
	    "\nfindings:\n"
	    "id    name   at                    points  events\n"
	    "7     \xc3\xa4?[2J  2026-11-21T03:38:13Z  -5      opted_out,verified\n"
	    "1234  -      -                     99999   \n");
	pool_free(&pool);
}

/* The JSON of a record may be given; the text output is then made of the values added. */
static void
a_record_may_have_given_json(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	struct output *list = output_new(pool, OUTPUT_ARRAY), *object = output_new(pool, OUTPUT_OBJECT);
	for (uint64_t id = 1; id < 3; id++) {
		output_json_record(list, id == 1 ? SLICE("{\"a\": 1}") : SLICE("{\"b\":[]}"));
		output_u64(list, "id", id);
	}
	assert_printed(list, true, "[{\"a\": 1},{\"b\":[]}]\n");
	assert_printed(list, false, "id\n1\n2\n");
	output_json_record(object, SLICE("{}"));
	output_text(object, "id", SLICE("x"));
	assert_printed(object, true, "{}\n");
	assert_printed(object, false, "id  x\n");
	pool_free(&pool);
}

/* docs/operating.md 4.1, made_by */
static void
callers_are_shown(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	const struct caller user = { .kind = CALLER_USER, .id = 3, .name = SLICE("ada@example.org") };
	const struct caller key = { .kind = CALLER_KEY, .id = 7 };
	assert_slice(caller_shown(pool, &user), "user ada@example.org");
	assert_slice(caller_shown(pool, &key), "key 7");
	assert_int_equal(setenv("LOGNAME", "root", 1), 0);
	assert_int_equal(setenv("SUDO_USER", "grace", 1), 0);
	assert_slice(caller_shown(pool, NULL), "shell grace");
	assert_int_equal(unsetenv("SUDO_USER"), 0);
	assert_slice(caller_shown(pool, NULL), "shell root");
	assert_int_equal(setenv("LOGNAME", "\xff", 1), 0);
	assert_true(slice_starts_with(caller_shown(pool, NULL), SLICE("shell uid ")));
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_may_stand_anywhere),
		cmocka_unit_test(operands_follow_the_words),
		cmocka_unit_test(wrong_usage_is_reported),
		cmocka_unit_test(help_is_aligned),
		cmocka_unit_test(names_and_ids_are_checked),
		cmocka_unit_test(records_are_printed_as_text_and_json),
		cmocka_unit_test(a_record_may_have_given_json),
		cmocka_unit_test(callers_are_shown),
	};
	return cmocka_run_group_tests_name("admin", tests, NULL, NULL);
}
