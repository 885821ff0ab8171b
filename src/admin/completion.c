/* SPDX-License-Identifier: MIT
 * `leadhook completion bash`: the tables of commands, options and settings as a script for bash. */
#include <string.h>
#include <sysexits.h>

#include "admin/operations.h"
#include "operation/value_types.h"

/* In the lists that the script's functions print. */
#define ANY_FILE "@file"

/* Words before the cursor: those of the command, options with their values, operands. Bash splits --option=value and
 * setting=value at the sign. */
static const char walk[] = "_leadhook()\n"
			   "{\n"
			   "\tlocal current=${COMP_WORDS[COMP_CWORD]} command='' option='' words word index\n"
			   "\tCOMPREPLY=()\n"
			   "\tfor ((index = 1; index < COMP_CWORD; index++)); do\n"
			   "\t\tword=${COMP_WORDS[index]}\n"
			   "\t\tif [[ $word == = || $word == help ]]; then\n"
			   "\t\t\tcontinue\n"
			   "\t\telif [[ -n $option ]]; then\n"
			   "\t\t\toption=''\n"
			   "\t\telif [[ $word == -* ]]; then\n"
			   "\t\t\t_leadhook_values \"$word\" >/dev/null && option=$word\n"
			   "\t\telif _leadhook_words \"${command:+$command }$word\" >/dev/null; then\n"
			   "\t\t\tcommand+=${command:+ }$word\n"
			   "\t\tfi\n"
			   "\tdone\n"
			   "\tif [[ -n $option ]]; then\n"
			   "\t\twords=$(_leadhook_values \"$option\")\n"
			   "\t\t[[ $current == = ]] && current=''\n"
			   "\telif [[ $current == = || ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then\n"
			   "\t\treturn\n"
			   "\telse\n"
			   "\t\twords=$(_leadhook_words \"$command\")\n"
			   "\t\t[[ $current == -* ]] && words+=$(_leadhook_general \"$command\")\n"
			   "\tfi\n"
			   "\tif [[ \" $words \" == *' " ANY_FILE " '* && $current != -* ]]; then\n"
			   "\t\tcompopt -o filenames 2>/dev/null\n"
			   "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
			   "\t\treturn\n"
			   "\tfi\n"
			   "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
			   "\t[[ ${COMPREPLY-} == *= ]] && compopt -o nospace 2>/dev/null\n"
			   "}\n"
			   "complete -F _leadhook leadhook\n";

/* The words of "yes|no". */
static void
print_choices(const char *text, FILE *out)
{
	for (; *text != '\0'; text++)
		fputc(*text == '|' ? ' ' : *text, out);
}

/* For each option that takes a value: a list of what it can be, empty when that is anything. */
static void
print_values(FILE *out)
{
	fputs("_leadhook_values()\n{\n\tcase ${1-} in\n", out);
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++) {
		const char *value = admin_option_value((enum admin_option)i);
		if (value == NULL)
			continue;
		fprintf(out, "\t--%s) echo '", admin_option_name((enum admin_option)i));
		if (strcmp(value, "FILE") == 0)
			fputs(ANY_FILE, out);
		else if (strchr(value, '|') != NULL)
			print_choices(value, out);
		fputs("' ;;\n", out);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
}

static void
print_options(const enum admin_option *list, FILE *out)
{
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++)
		if (admin_option_in(list, (enum admin_option)i))
			fprintf(out, " --%s", admin_option_name((enum admin_option)i));
}

static void
print_general_options(const struct admin_command *command, FILE *out)
{
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++)
		if (admin_is_general_option(command, (enum admin_option)i))
			fprintf(out, " --%s", admin_option_name((enum admin_option)i));
}

/* The options of every command that this one takes. */
static void
print_general(const struct admin_command *commands, size_t count, FILE *out)
{
	fputs("_leadhook_general()\n{\n\tcase ${1-} in\n", out);
	for (size_t i = 0; i < count; i++) {
		if (!commands[i].without_json)
			continue;
		fprintf(out, "\t'%s') echo '", commands[i].words);
		print_general_options(&commands[i], out);
		fputs("' ;;\n", out);
	}
	fputs("\t*) echo '", out);
	print_general_options(NULL, out);
	fputs("' ;;\n\tesac\n}\n\n", out);
}

/* Bytes of the first word. */
static size_t
first_word(const char *words)
{
	return strcspn(words, " ");
}

static bool
same_group(const struct admin_command *a, const struct admin_command *b)
{
	const size_t size = first_word(a->words);
	return size == first_word(b->words) && memcmp(a->words, b->words, size) == 0;
}

static bool
is_new_group(const struct admin_command *commands, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_group(&commands[i], &commands[at]))
			return false;
	return true;
}

static void
print_groups(const struct admin_command *commands, size_t count, FILE *out)
{
	fputs("\t'') echo 'help", out);
	for (size_t i = 0; i < count; i++)
		if (is_new_group(commands, i))
			fprintf(out, " %.*s", (int)first_word(commands[i].words), commands[i].words);
	fputs("' ;;\n", out);
}

/* Of commands of two words: the second ones. */
static void
print_group(const struct admin_command *commands, size_t count, size_t at, FILE *out)
{
	const size_t size = first_word(commands[at].words);
	if (commands[at].words[size] == '\0' || !is_new_group(commands, at))
		return;
	fprintf(out, "\t'%.*s') echo '", (int)size, commands[at].words);
	for (size_t i = at; i < count; i++)
		if (same_group(&commands[i], &commands[at]))
			fprintf(out, "%s%s", i == at ? "" : " ", commands[i].words + size + 1);
	fputs("' ;;\n", out);
}

/* Its options, settings and files. */
static void
print_command(const struct admin_command *command, FILE *out)
{
	fprintf(out, "\t'%s') echo '", command->words);
	print_options(command->options, out);
	for (size_t i = 0; command->settings != NULL && i < command->settings->count; i++)
		fprintf(out, " %s=", command->settings->rows[i].name);
	if (strstr(command->operands, "FILE|-") != NULL)
		fputs(" " ANY_FILE, out);
	fputs("' ;;\n", out);
}

int
admin_completion(struct admin_call *call)
{
	size_t count;
	FILE *out = call->out;
	const struct admin_command *commands = admin_commands(&count);
	call->writes_out = true;
	fprintf(out, "# bash completion for leadhook(1) %s, from `leadhook completion bash`\n\n", LEADHOOK_VERSION);
	print_values(out);
	print_general(commands, count, out);
	fputs("_leadhook_words()\n{\n\tcase ${1-} in\n", out);
	print_groups(commands, count, out);
	for (size_t i = 0; i < count; i++) {
		print_group(commands, count, i, out);
		print_command(&commands[i], out);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
	fputs(walk, out);
	if (fflush(out) == 0 && !ferror(out))
		return EX_OK;
	return admin_fail(call, PROBLEM_IO, "the script could not be written");
}
