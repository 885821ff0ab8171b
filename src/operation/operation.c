/* SPDX-License-Identifier: MIT */
#include "operation/operation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/utf8.h"
#include "operation/value_types.h"

enum { NAME_CHARACTERS_MAX = 200, PATH_MAX_BYTES = 4096 };

#define SEE_HELP "; leadhook --help lists them"
#define SEE_OPTIONS "; leadhook help COMMAND lists them"

#define OPTION(option, name, value, help) [OPTION_##option] = { name, value, help },
static const struct {
	const char *name;
	const char *value; /* its name in the help; NULL: takes none */
	const char *help;
} option_table[ADMIN_OPTIONS] = { ADMIN_OPTION_LIST(OPTION) };
#undef OPTION

static const enum admin_option general_options[] = { OPTION_CONFIG, OPTION_CHECK_CONFIG, OPTION_JSON, OPTION_HELP,
	OPTION_VERSION, ADMIN_OPTIONS };
/* These need no command. */
static const enum admin_option standalone_options[] = { OPTION_CHECK_CONFIG, OPTION_HELP, OPTION_VERSION, ADMIN_OPTIONS };

bool
admin_option_in(const enum admin_option *list, enum admin_option option)
{
	for (; list != NULL && *list != ADMIN_OPTIONS; list++)
		if (*list == option)
			return true;
	return false;
}

bool
admin_is_general_option(const struct admin_command *command, enum admin_option option)
{
	return admin_option_in(general_options, option) && (option != OPTION_JSON || command == NULL || !command->without_json);
}

static bool
has_option_of(const struct admin_call *call, const enum admin_option *list)
{
	for (; *list != ADMIN_OPTIONS; list++)
		if (call->options[*list] != NULL)
			return true;
	return false;
}

bool
admin_find_option(struct slice name, enum admin_option *option)
{
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++) {
		if (slice_equal(name, slice_of(option_table[i].name))) {
			*option = (enum admin_option)i;
			return true;
		}
	}
	return false;
}

/* argv[*at] is "--name", "--name=value" or "--name" followed by its value. */
static bool
take_option(int argc, char *const argv[], int *at, struct admin_call *call, struct buffer *problem)
{
	struct slice text = slice_of(argv[*at] + 2);
	size_t equals = slice_find(text, '=');
	struct slice name = slice_sub(text, 0, equals);
	enum admin_option option;
	if (!admin_find_option(name, &option)) {
		buffer_printf(problem, "there is no option --%.*s" SEE_OPTIONS, SLICE_ARGS(name));
		return false;
	}
	bool attached = equals < text.size;
	bool takes_value = option_table[option].value != NULL;
	if (attached && !takes_value) {
		buffer_printf(problem, "--%s takes no value", option_table[option].name);
		return false;
	}
	if (!attached && takes_value && *at + 1 == argc) {
		buffer_printf(problem, "--%s needs a value: %s", option_table[option].name, option_table[option].value);
		return false;
	}
	if (takes_value && call->options[option] != NULL && !admin_is_repeated(option)) {
		buffer_printf(problem, "--%s is given twice", option_table[option].name);
		return false;
	}
	call->options[option] = !takes_value ? "" : attached ? text.data + equals + 1 : argv[++*at];
	(void)admin_add_text(call, option, call->options[option]);
	return true;
}

/* "-" is a file, and "-5" a number. */
static bool
looks_like_option(struct slice argument)
{
	return slice_starts_with(argument, SLICE("-")) && argument.size > 1 && !ascii_is_digit(argument.data[1]);
}

/* Puts all arguments that are not options into call->operands, including the command's words. */
static bool
split_arguments(int argc, char *const argv[], struct admin_call *call, struct buffer *problem)
{
	bool options_end = false;
	call->operands = POOL_ARRAY(call->pool, (size_t)argc + 1, const char *);
	for (int i = 1; i < argc; i++) {
		struct slice argument = slice_of(argv[i]);
		/* arguments are stored and compared as text */
		if (slice_has_control(argument) || !utf8_valid(argument)) {
			buffer_printf(problem, "argument %d is not valid UTF-8, or holds control characters", i);
			return false;
		}
		if (options_end || !looks_like_option(argument)) {
			call->operands[call->operand_count++] = argv[i];
		} else if (slice_equal(argument, SLICE("--"))) {
			options_end = true;
		} else if (slice_equal(argument, SLICE("-h"))) {
			call->options[OPTION_HELP] = "";
		} else if (!slice_starts_with(argument, SLICE("--"))) {
			buffer_printf(problem, "there is no option %s" SEE_OPTIONS, argv[i]);
			return false;
		} else if (!take_option(argc, argv, &i, call, problem)) {
			return false;
		}
	}
	return true;
}

/* Returns the number of words of the command when the arguments begin with them, else 0. */
static size_t
words_matched(const struct admin_command *command, struct admin_call *call)
{
	struct slice rest = slice_of(command->words), word;
	size_t matched = 0;
	while (slice_next(&rest, ' ', &word)) {
		if (matched == call->operand_count || !slice_equal(word, slice_of(call->operands[matched])))
			return 0;
		matched++;
	}
	return matched;
}

static bool
first_word_is(const struct admin_command *command, const char *word)
{
	struct slice words = slice_of(command->words);
	return slice_equal(slice_sub(words, 0, slice_find(words, ' ')), slice_of(word));
}

/* For "account" alone, lists the commands that begin with it. */
static void
add_unknown_command(const struct admin_command *commands, size_t count, struct admin_call *call, struct buffer *problem)
{
	bool first = true;
	if (call->operand_count == 0) {
		buffer_add_text(problem, "no command was given" SEE_HELP);
		return;
	}
	buffer_printf(problem, "there is no command %s", call->operands[0]);
	if (call->operand_count > 1)
		buffer_printf(problem, " %s", call->operands[1]);
	for (size_t i = 0; i < count; i++) {
		if (!first_word_is(&commands[i], call->operands[0]))
			continue;
		buffer_printf(problem, "%s%s", first ? "; there is: " : ", ", commands[i].words);
		first = false;
	}
	if (first)
		buffer_add_text(problem, SEE_HELP);
}

/* "help campaign set" is "campaign set --help". */
static void
take_help_word(struct admin_call *call)
{
	if (call->operand_count == 0 || !slice_equal(slice_of(call->operands[0]), SLICE("help")))
		return;
	call->options[OPTION_HELP] = "";
	call->operands++;
	call->operand_count--;
}

static bool
find_command(const struct admin_command *commands, size_t count, struct admin_call *call, struct buffer *problem)
{
	for (size_t i = 0; i < count; i++) {
		size_t words = words_matched(&commands[i], call);
		if (words == 0)
			continue;
		call->command = &commands[i];
		call->operands += words;
		call->operand_count -= words;
		return true;
	}
	if (call->operand_count == 0 && has_option_of(call, standalone_options))
		return true;
	if (call->operand_count == 1 && call->options[OPTION_HELP] != NULL)
		for (size_t i = 0; i < count; i++)
			if (first_word_is(&commands[i], call->operands[0])) {
				call->group = call->operands[0];
				return true;
			}
	add_unknown_command(commands, count, call, problem);
	return false;
}

static bool
takes(const struct admin_command *command, enum admin_option option)
{
	return admin_is_general_option(command, option) || admin_option_in(command->options, option);
}

static bool
has_required(const struct admin_call *call)
{
	for (const enum admin_option *option = call->command->required; option != NULL && *option != ADMIN_OPTIONS; option++)
		if (call->options[*option] == NULL)
			return false;
	return true;
}

static bool
fits_command(struct admin_call *call, struct buffer *problem)
{
	const struct admin_command *command = call->command;
	if (command == NULL || call->options[OPTION_HELP] != NULL)
		return true;
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++) {
		const enum admin_option option = (enum admin_option)i;
		if (call->options[option] == NULL || takes(command, option))
			continue;
		buffer_printf(problem, "%s does not take --%s", command->words, option_table[i].name);
		return false;
	}
	if (call->operand_count < command->minimum || call->operand_count > command->maximum || !has_required(call)) {
		const bool takes_none = command->maximum == 0 && command->required == NULL;
		buffer_printf(problem, "%s takes %s", command->words, takes_none ? "no operands" : command->operands);
		return false;
	}
	return true;
}

bool
admin_parse(const struct admin_command *commands, size_t count, int argc, char *const argv[], struct admin_call *call,
    struct buffer *problem)
{
	if (!split_arguments(argc, argv, call, problem))
		return false;
	take_help_word(call);
	return find_command(commands, count, call, problem) && fits_command(call, problem);
}

static void
print_option(enum admin_option option, FILE *out)
{
	const char *value = option_table[option].value;
	const int width =
	    fprintf(out, "  --%s%s%s", option_table[option].name, value == NULL ? "" : " ", value == NULL ? "" : value);
	fprintf(out, "%s%*s%s\n", width < 24 ? "" : "\n", width < 24 ? 24 - width : 24, "", option_table[option].help);
}

void
admin_help(const struct admin_command *commands, size_t count, const char *group, FILE *out)
{
	fprintf(out, "usage: leadhook [OPTION...] COMMAND [OPERAND...]\n       leadhook help [COMMAND]\n\n");
	for (size_t i = 0; i < count; i++) {
		if (group != NULL && !first_word_is(&commands[i], group))
			continue;
		int width = fprintf(out, "  %s %s", commands[i].words, commands[i].operands);
		fprintf(out, "%s%*s%s\n", width < 48 ? "" : "\n", width < 48 ? 48 - width : 48, "", commands[i].help);
	}
	fprintf(out, "\nOptions of every command:\n");
	for (const enum admin_option *option = general_options; *option != ADMIN_OPTIONS; option++)
		print_option(*option, out);
}

/* The form of docs/manage.md 1. */
static void
print_http(const struct admin_command *command, FILE *out)
{
	static const char *const methods[] = {
		[ADMIN_GET] = "GET", [ADMIN_POST] = "POST", [ADMIN_PATCH] = "PATCH", [ADMIN_DELETE] = "DELETE"
	};
	bool first = true;
	if (command->method == ADMIN_SHELL_ONLY)
		return;
	fprintf(out, "HTTP: %s /manage/v1/%s", methods[command->method], command->path);
	if (command->fields != NULL)
		fprintf(out, " {%s}", command->fields);
	fputs(command->operator_only ? ", only operators, right " : ", right ", out);
	for (unsigned i = 0; i < RIGHTS; i++) {
		if ((command->rights >> i & 1) == 0)
			continue;
		fprintf(out, "%s%.*s", first ? "" : command->all_rights ? "+" : "|", SLICE_ARGS(right_word(i)));
		first = false;
	}
	fputs("\n\n", out);
}

void
admin_command_help(const struct admin_command *command, FILE *out)
{
	fprintf(out, "usage: leadhook %s %s\n%s\n\n", command->words, command->operands, command->help);
	if (command->settings != NULL)
		values_list(command->settings, out);
	print_http(command, out);
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++)
		if (takes(command, (enum admin_option)i))
			print_option((enum admin_option)i, out);
}

void
admin_next(struct admin_call *call, struct slice after)
{
	call->next = after;
}

void
admin_next_id(struct admin_call *call, uint64_t id)
{
	admin_next(call, pool_printf(call->pool, "%" PRIu64, id));
}

void
admin_end_part(struct admin_call *call, struct list_part part, size_t count, uint64_t last_id)
{
	if (count == part.limit)
		admin_next_id(call, last_id);
}

uint64_t
admin_maximum(const struct admin_call *call, unsigned setting)
{
	return caller_is_operator(call->caller) ? INT64_MAX : setting;
}

const char *
admin_option_name(enum admin_option option)
{
	return option_table[option].name;
}

const char *
admin_option_value(enum admin_option option)
{
	return option_table[option].value;
}

const char *
admin_own_program(struct pool *pool)
{
	char path[PATH_MAX_BYTES];
	const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
	return size < 0 ? NULL : pool_copy(pool, (struct slice){ path, (size_t)size }).data;
}

bool
admin_is_id(struct slice text, uint64_t *id)
{
	return slice_to_u64(text, INT64_MAX, id) && *id > 0;
}

bool
admin_id(struct admin_call *call, const char *text, const char *what, uint64_t *id)
{
	if (admin_is_id(slice_of(text), id))
		return true;
	admin_fail(
	    call, PROBLEM_INVALID, "%s is not a valid id of a%s %s", text, strchr("aei", what[0]) != NULL ? "n" : "", what);
	return false;
}

/* First operands that are ids. */
static const struct {
	struct slice operand;
	const char *subject;
	enum owned_kind kind;
} subjects[] = {
	{ SLICE("ACCOUNT"), "account", OWNED_ACCOUNT },
	{ SLICE("[ACCOUNT]"), "account", OWNED_ACCOUNT },
	{ SLICE("KEY_ID"), "key", OWNED_KEY },
	{ SLICE("CAMPAIGN"), "campaign", OWNED_CAMPAIGN },
	{ SLICE("[CAMPAIGN]"), "campaign", OWNED_CAMPAIGN },
	{ SLICE("TAG"), "tag", OWNED_TAG },
	{ SLICE("ACTION"), "action", OWNED_ACTION },
	{ SLICE("REWARD"), "reward level", OWNED_REWARD },
	{ SLICE("WEBHOOK"), "webhook", OWNED_WEBHOOK },
	{ SLICE("DELIVERY"), "delivery", OWNED_DELIVERY },
	{ SLICE("INBOUND"), "inbound webhook", OWNED_INBOUND },
	{ SLICE("CALL"), "call", OWNED_CALL },
	{ SLICE("MAIL"), "mail", OWNED_MAIL },
	{ SLICE("USER"), "user", OWNED_USER },
	{ SLICE("JOB"), "job", OWNED_JOB },
};

static size_t
find_subject(const struct admin_command *command)
{
	const struct slice operands = slice_of(command->operands);
	size_t i = 0;
	while (i < ARRAY_SIZE(subjects) && !slice_equal(slice_sub(operands, 0, slice_find(operands, ' ')), subjects[i].operand))
		i++;
	return i;
}

const char *
admin_subject(const struct admin_command *command)
{
	const size_t i = find_subject(command);
	return i < ARRAY_SIZE(subjects) ? subjects[i].subject : NULL;
}

enum owned_kind
admin_subject_kind(const struct admin_command *command)
{
	const size_t i = find_subject(command);
	return i < ARRAY_SIZE(subjects) ? subjects[i].kind : OWNED_KINDS;
}

bool
admin_is_name(struct slice text)
{
	uint32_t character;
	size_t count = 0;
	while (utf8_next(&text, &character))
		count++;
	return count > 0 && count <= NAME_CHARACTERS_MAX;
}

bool
admin_name(struct admin_call *call, struct slice text)
{
	if (admin_is_name(text))
		return true;
	admin_fail(call, PROBLEM_INVALID, "a name has 1 to %d characters", NAME_CHARACTERS_MAX);
	return false;
}

static const enum admin_option repeated[ADMIN_TEXTS] = {
	[ADMIN_MAPS] = OPTION_MAP, [ADMIN_CONSTANTS] = OPTION_SET, [ADMIN_MEANINGS] = OPTION_VALUE
};

bool
admin_is_repeated(enum admin_option option)
{
	for (size_t i = 0; i < ADMIN_TEXTS; i++)
		if (repeated[i] == option)
			return true;
	return false;
}

bool
admin_add_text(struct admin_call *call, enum admin_option option, const char *text)
{
	for (size_t i = 0; i < ADMIN_TEXTS; i++) {
		struct admin_texts *texts = &call->texts[i];
		if (repeated[i] != option)
			continue;
		texts->items = pool_grow(call->pool, texts->items, texts->count, &texts->capacity, sizeof(*texts->items));
		texts->items[texts->count++] = text;
		return true;
	}
	return false;
}

bool
admin_delimiter(struct admin_call *call, char *delimiter)
{
	const char *text = call->options[OPTION_DELIMITER];
	if (text == NULL)
		return true;
	*delimiter = strcmp(text, "tab") == 0 ? '\t' : text[0];
	if (strcmp(text, "tab") == 0 || (strlen(text) == 1 && strchr("\"\r\n", text[0]) == NULL))
		return true;
	admin_fail_option(call, PROBLEM_USAGE, OPTION_DELIMITER, "expected one character, or tab");
	return false;
}
