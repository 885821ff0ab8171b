/* SPDX-License-Identifier: MIT */
#include "shell/command_line.h"

#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "operation/value_types.h"

#define SEE_HELP "; leadhook --help lists them"
#define SEE_OPTIONS "; leadhook help COMMAND lists them"

/* ---- words and names ---- */

static void
add_option(struct command_line *line, struct pool *pool, size_t option, const char *value)
{
	line->options = pool_grow(pool, line->options, line->option_count, &line->option_capacity, sizeof(*line->options));
	line->options[line->option_count++] = (struct given_option){ option, value };
}

const char *
command_line_option(const struct command_line *line, size_t option)
{
	for (size_t i = 0; i < line->option_count; i++)
		if (line->options[i].option == option)
			return line->options[i].value == NULL ? "" : line->options[i].value;
	return NULL;
}

/* argv[*at] is "--name", "--name=value" or "--name" followed by its value. */
static bool
take_option(int argc, char *const argv[], int *at, struct pool *pool, struct command_line *line, struct buffer *problem)
{
	size_t number;
	const struct slice text = slice_of(argv[*at] + 2);
	const size_t equals = slice_find(text, '=');
	if (!shell_option_find(slice_sub(text, 0, equals), &number)) {
		buffer_printf(problem, "there is no option --%.*s" SEE_OPTIONS, SLICE_ARGS(slice_sub(text, 0, equals)));
		return false;
	}
	const struct shell_option *option = &shell_options[number];
	const bool attached = equals < text.size, takes_value = option->value != NULL;
	if (attached && !takes_value)
		buffer_printf(problem, "--%s takes no value", option->name);
	else if (!attached && takes_value && *at + 1 == argc)
		buffer_printf(problem, "--%s needs a value: %s", option->name, option->value);
	if (problem->size > 0)
		return false;
	add_option(line, pool, number, !takes_value ? NULL : attached ? text.data + equals + 1 : argv[++*at]);
	return true;
}

/* "-" is a file, and "-5" a number. */
static bool
looks_like_option(struct slice argument)
{
	return slice_starts_with(argument, SLICE("-")) && argument.size > 1 && !ascii_is_digit(argument.data[1]);
}

/* All arguments that are not options become operands, including the words of the operation. */
static bool
divide(int argc, char *const argv[], struct pool *pool, struct command_line *line, struct buffer *problem)
{
	bool options_end = false;
	line->operands = POOL_ARRAY(pool, (size_t)argc + 1, const char *);
	for (int i = 1; i < argc; i++) {
		const struct slice argument = slice_of(argv[i]);
		/* arguments are stored and compared as text */
		if (slice_has_control(argument) || !utf8_valid(argument)) {
			buffer_printf(problem, "argument %d is not valid UTF-8, or holds control characters", i);
			return false;
		}
		if (options_end || !looks_like_option(argument)) {
			line->operands[line->operand_count++] = argv[i];
		} else if (slice_equal(argument, SLICE("--"))) {
			options_end = true;
		} else if (slice_equal(argument, SLICE("-h"))) {
			add_option(line, pool, OPTION_HELP, NULL);
		} else if (!slice_starts_with(argument, SLICE("--"))) {
			buffer_printf(problem, "there is no option %s" SEE_OPTIONS, argv[i]);
			return false;
		} else if (!take_option(argc, argv, &i, pool, line, problem)) {
			return false;
		}
	}
	return true;
}

/* Returns the number of words of the operation if the operands begin with them, otherwise 0. */
static size_t
words_matched(const struct operation *operation, const struct command_line *line)
{
	struct slice rest = slice_of(operation->words), word;
	size_t matched = 0;
	while (slice_next(&rest, ' ', &word)) {
		if (matched == line->operand_count || !slice_equal(word, slice_of(line->operands[matched])))
			return 0;
		matched++;
	}
	return matched;
}

static bool
first_word_is(const struct operation *operation, const char *word)
{
	const struct slice words = slice_of(operation->words);
	return slice_equal(slice_sub(words, 0, slice_find(words, ' ')), slice_of(word));
}

/* Reports an unknown command. For "account" alone, lists the commands that begin with it. */
static void
add_unknown_command(const struct operation *const *operations, const struct command_line *line, struct buffer *problem)
{
	bool first = true;
	if (line->operand_count == 0) {
		buffer_add_text(problem, "no command was given" SEE_HELP);
		return;
	}
	buffer_printf(problem, "there is no command %s", line->operands[0]);
	if (line->operand_count > 1)
		buffer_printf(problem, " %s", line->operands[1]);
	for (; *operations != NULL; operations++) {
		if (!first_word_is(*operations, line->operands[0]))
			continue;
		buffer_printf(problem, "%s%s", first ? "; there is: " : ", ", (*operations)->words);
		first = false;
	}
	if (first)
		buffer_add_text(problem, SEE_HELP);
}

/* "help campaign set" is "campaign set --help". */
static void
take_help_word(struct command_line *line, struct pool *pool)
{
	if (line->operand_count == 0 || !slice_equal(slice_of(line->operands[0]), SLICE("help")))
		return;
	add_option(line, pool, OPTION_HELP, NULL);
	line->operands++;
	line->operand_count--;
}

static bool
needs_no_command(const struct command_line *line)
{
	return command_line_option(line, OPTION_CHECK_CONFIG) != NULL || command_line_option(line, OPTION_HELP) != NULL ||
	       command_line_option(line, OPTION_VERSION) != NULL;
}

static bool
find_operation(const struct operation *const *operations, struct command_line *line, struct buffer *problem)
{
	for (size_t i = 0; operations[i] != NULL; i++) {
		const size_t words = words_matched(operations[i], line);
		if (words == 0)
			continue;
		line->operation = operations[i];
		line->operands += words;
		line->operand_count -= words;
		return true;
	}
	if (line->operand_count == 0 && needs_no_command(line))
		return true;
	for (size_t i = 0; line->operand_count == 1 && operations[i] != NULL; i++)
		if (command_line_option(line, OPTION_HELP) != NULL && first_word_is(operations[i], line->operands[0])) {
			line->group = line->operands[0];
			return true;
		}
	add_unknown_command(operations, line, problem);
	return false;
}

/* ---- operands and options of the operation ---- */

static bool
takes_rest(const struct parameter *parameter)
{
	const enum value_form form = parameter->type->form;
	return form == VALUE_EACH || form == VALUE_FIELDS || form == VALUE_PAIRS;
}

static void
count_operands(const struct operation *operation, size_t *least, size_t *most)
{
	*most = operation->subject != NULL ? 1 : 0;
	*least = operation->subject_is_optional ? 0 : *most;
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		if ((parameter->flags & PARAMETER_OPERAND) == 0)
			continue;
		*least += (parameter->flags & PARAMETER_REQUIRED) != 0 ? 1 : 0;
		*most = takes_rest(parameter) ? SIZE_MAX : *most + 1;
	}
	if (operation->settings == NULL)
		return;
	*least += operation->settings_are_optional ? 0 : 1;
	*most = SIZE_MAX;
}

/* Whether all required options are given. *none: whether no option is required. */
static bool
has_required(const struct command_line *line, bool *none)
{
	*none = true;
	for (size_t i = GENERAL_OPTIONS; i < shell_option_count; i++) {
		const struct parameter *parameter = shell_option_parameter(line->operation, i);
		if (parameter == NULL || (parameter->flags & PARAMETER_REQUIRED) == 0)
			continue;
		*none = false;
		if (command_line_option(line, i) == NULL)
			return false;
	}
	return true;
}

static bool
is_repeated(const struct command_line *line, size_t at)
{
	const struct given_option *given = &line->options[at];
	const struct parameter *parameter =
	    line->operation == NULL ? NULL : shell_option_parameter(line->operation, given->option);
	if (given->value == NULL || (parameter != NULL && parameter->type->form == VALUE_PAIRS))
		return false;
	for (size_t i = 0; i < at; i++)
		if (line->options[i].option == given->option)
			return true;
	return false;
}

static bool
fits_operation(const struct command_line *line, struct buffer *problem)
{
	const struct operation *operation = line->operation;
	const bool runs = operation != NULL && command_line_option(line, OPTION_HELP) == NULL;
	size_t least, most;
	bool none;
	for (size_t i = 0; i < line->option_count; i++) {
		const size_t option = line->options[i].option;
		if (runs && !shell_option_fits(operation, option))
			buffer_printf(problem, "%s does not take --%s", operation->words, shell_options[option].name);
		else if (is_repeated(line, i))
			buffer_printf(problem, "--%s is given twice", shell_options[option].name);
		if (problem->size > 0)
			return false;
	}
	if (!runs)
		return true;
	count_operands(operation, &least, &most);
	if (has_required(line, &none) && line->operand_count >= least && line->operand_count <= most)
		return true;
	buffer_printf(problem, "%s takes %s", operation->words, most == 0 && none ? "no operands" : operation->usage);
	return false;
}

bool
command_line_read(const struct operation *const *operations, int argc, char *const argv[], struct pool *pool,
    struct command_line *line, struct buffer *problem)
{
	*line = (struct command_line){ .operation = NULL };
	if (!divide(argc, argv, pool, line, problem))
		return false;
	take_help_word(line, pool);
	return find_operation(operations, line, problem) && fits_operation(line, problem);
}

/* ---- values ---- */

enum { TEXT_FILE_MAX_BYTES = 64 * 1024 };

static int
read_text_file(struct operation_call *call, const char *path, struct slice *text)
{
	char bytes[TEXT_FILE_MAX_BYTES + 1];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return operation_fail(call, PROBLEM_NO_INPUT, "%s: %s", path, strerror(errno));
	const size_t size = fread(bytes, 1, sizeof(bytes), file);
	const bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		return operation_fail(call, PROBLEM_IO, "%s cannot be read", path);
	if (size > TEXT_FILE_MAX_BYTES)
		return operation_fail(call, PROBLEM_INVALID, "%s is larger than %d bytes", path, TEXT_FILE_MAX_BYTES);
	*text = pool_copy(call->pool, (struct slice){ bytes, size });
	return EX_OK;
}

/* Replaces each value "@FILE" with the text of that file. */
static int
read_files(struct operation_call *call, const struct parameter *parameter)
{
	struct value_pairs *pairs = (struct value_pairs *)(void *)(call->arguments + parameter->place);
	int status = EX_OK;
	for (size_t i = 0; i < pairs->count && status == EX_OK; i++) {
		struct value_pair *pair = &pairs->items[i];
		pair->from_file = slice_starts_with(pair->value, SLICE("@"));
		if (pair->from_file)
			status = read_text_file(
			    call, pool_string(call->pool, slice_sub(pair->value, 1, pair->value.size)), &pair->value);
	}
	return status;
}

/* Parses the operand at *at, or all operands from there if the parameter takes the rest. */
static int
parse_operands(const struct command_line *line, struct operation_call *call, const struct parameter *parameter, size_t *at)
{
	const size_t end = takes_rest(parameter) ? line->operand_count : *at + 1;
	for (; *at < end && *at < line->operand_count; ++*at)
		if (!parameter_take(call, parameter, slice_of(line->operands[*at])))
			return operation_problem_info(call->report.problem)->exit;
	return parameter->type->takes_files ? read_files(call, parameter) : EX_OK;
}

static int
parse_option(const struct command_line *line, struct operation_call *call, const struct parameter *parameter)
{
	for (size_t i = 0; i < line->option_count; i++) {
		const struct given_option *given = &line->options[i];
		if (given->option < GENERAL_OPTIONS || shell_option_parameter(line->operation, given->option) != parameter)
			continue;
		if (!parameter_take(call, parameter, slice_of(given->value == NULL ? "" : given->value)))
			return operation_problem_info(call->report.problem)->exit;
	}
	return EX_OK;
}

int
command_line_parse(const struct command_line *line, struct operation_call *call)
{
	const struct operation *operation = line->operation;
	size_t at = 0;
	int status = EX_OK;
	call->operation = operation;
	parameters_begin(call);
	if (operation->subject != NULL && line->operand_count > 0) {
		const struct slice text = slice_of(line->operands[at++]);
		if (!value_is_id(text, &call->id))
			return operation_fail_id(call, text, operation->subject->noun);
	}
	for (size_t i = 0; i < operation->parameter_count && status == EX_OK; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		status = (parameter->flags & PARAMETER_OPERAND) != 0 ? parse_operands(line, call, parameter, &at)
								     : parse_option(line, call, parameter);
	}
	for (; operation->settings != NULL && status == EX_OK && at < line->operand_count; at++)
		if (!settings_take(call, slice_of(line->operands[at])))
			status = operation_problem_info(call->report.problem)->exit;
	return status;
}
