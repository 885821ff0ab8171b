/* SPDX-License-Identifier: MIT
 * The table of operations and the options of the shell (leadhook(1)) fit together. Joins admin and shell. */
#include "unit.h"

#include <string.h>

#include "admin/operations.h"
#include "shell/shell_options.h"

static const struct operation *const operations[] = { ALL_OPERATIONS };

typedef void checker(const struct operation *operation);

static void
for_each(checker *check_one)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		check_one(operations[i]);
}

/* The option of a parameter takes a value unless its type is a switch. */
static void
check_options(const struct operation *operation)
{
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		size_t option = GENERAL_OPTIONS;
		if ((parameter->flags & PARAMETER_OPERAND) != 0)
			continue;
		while (option < shell_option_count && shell_option_parameter(operation, option) != parameter)
			option++;
		if (option == shell_option_count)
			fail_msg("%s: there is no option for %s", operation->words, parameter->name);
		if ((shell_options[option].value == NULL) != (parameter->type->form == VALUE_SWITCH) ||
		    parameter->type->is_file !=
			(shell_options[option].value != NULL && strcmp(shell_options[option].value, "FILE") == 0))
			fail_msg("%s: the value of --%s is not that of its type", operation->words, shell_options[option].name);
	}
}

static void
each_option_is_one_of_the_shell(void **state UNUSED)
{
	for_each(check_options);
}

/* Each "{…}" of the path is the subject or a parameter, and each parameter has its place in the arguments. */
static void
check_parameters(const struct operation *operation)
{
	struct operation_call call = { .operation = operation };
	struct slice rest = slice_of(operation->path), part;
	while (slice_next(&rest, '/', &part)) {
		const struct slice name = slice_sub(part, 1, part.size - 1);
		if (part.data[0] == '{' && parameter_find(&call, name) == NULL &&
		    (operation->subject == NULL || !slice_equal(name, slice_of(operation->subject->name))))
			fail_msg("%s: the path has %.*s", operation->words, SLICE_ARGS(name));
	}
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (operation->parameters[i].place >= operation->arguments_size)
			fail_msg("%s: %s is not in the arguments", operation->words, operation->parameters[i].name);
	assert_true(operation->run != NULL && operation->help != NULL &&
		    (operation->method == METHOD_NONE) == (operation->path == NULL));
}

static void
each_parameter_has_a_place(void **state UNUSED)
{
	for_each(check_parameters);
}

/* Operations with the same path have different methods, and no two have the same words. */
static void
operations_are_distinct(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		for (size_t k = 0; k < i; k++) {
			const struct operation *a = operations[i], *b = operations[k];
			assert_string_not_equal(a->words, b->words);
			assert_false(a->method != METHOD_NONE && a->method == b->method && strcmp(a->path, b->path) == 0);
		}
}

/* docs/manage.md 1.1, Lists */
static void
check_limit(const struct operation *operation)
{
	struct operation_call call = { .operation = operation, .pool = pool_new(), .is_remote = true };
	const struct parameter *limit = parameter_find(&call, SLICE("limit"));
	parameters_begin(&call);
	if (limit != NULL && operation->shape == OUTPUT_ARRAY && operation->method != METHOD_NONE &&
	    (!parameter_take(&call, limit, SLICE("250")) || parameter_take(&call, limit, SLICE("251"))))
		fail_msg("%s: a call by HTTP gets other than 250 rows", operation->words);
	pool_free(&call.pool);
}

static void
lists_by_http_are_short(void **state UNUSED)
{
	for_each(check_limit);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_is_one_of_the_shell),
		cmocka_unit_test(each_parameter_has_a_place),
		cmocka_unit_test(operations_are_distinct),
		cmocka_unit_test(lists_by_http_are_short),
	};
	return cmocka_run_group_tests_name("admin/operations", tests, NULL, NULL);
}
