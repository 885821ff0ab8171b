/* SPDX-License-Identifier: MIT */
#include "shell/completion.h"

#include <string.h>

#include "shell/shell_options.h"

/* Stands for any file in the lists that the script's functions print. */
#define ANY_FILE "@file"

/* Walks through the words before the cursor: those of the command, options with their values, operands. Bash splits
 * --option=value and setting=value at the equals sign. */
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

/* Prints the values in a text such as "yes|no". */
static void
print_choices(const char *text, FILE *out)
{
	for (; *text != '\0'; text++)
		fputc(*text == '|' ? ' ' : *text, out);
}

/* Prints the possible values of each option that takes one; an empty list if any text will do. */
static void
print_values(FILE *out)
{
	fputs("_leadhook_values()\n{\n\tcase ${1-} in\n", out);
	for (size_t i = 0; i < shell_option_count; i++) {
		const char *value = shell_options[i].value;
		if (value == NULL)
			continue;
		fprintf(out, "\t--%s) echo '", shell_options[i].name);
		if (strcmp(value, "FILE") == 0)
			fputs(ANY_FILE, out);
		else if (strchr(value, '|') != NULL)
			print_choices(value, out);
		fputs("' ;;\n", out);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
}

/* Prints the options from `from` up to `until` that the operation takes; if the operation is NULL, those that every command
 * takes. */
static void
print_options(const struct operation *operation, size_t from, size_t until, FILE *out)
{
	for (size_t i = from; i < until; i++)
		if (shell_option_fits(operation, i))
			fprintf(out, " --%s", shell_options[i].name);
}

/* Prints which of the general options each command takes. */
static void
print_general(const struct operation *const *operations, FILE *out)
{
	fputs("_leadhook_general()\n{\n\tcase ${1-} in\n", out);
	for (; *operations != NULL; operations++) {
		if ((*operations)->shape != OUTPUT_NONE)
			continue;
		fprintf(out, "\t'%s') echo '", (*operations)->words);
		print_options(*operations, 0, GENERAL_OPTIONS, out);
		fputs("' ;;\n", out);
	}
	fputs("\t*) echo '", out);
	print_options(NULL, 0, GENERAL_OPTIONS, out);
	fputs("' ;;\n\tesac\n}\n\n", out);
}

/* The size of the first word in bytes. */
static size_t
first_word(const char *words)
{
	return strcspn(words, " ");
}

static bool
same_group(const struct operation *a, const struct operation *b)
{
	const size_t size = first_word(a->words);
	return size == first_word(b->words) && memcmp(a->words, b->words, size) == 0;
}

static bool
is_new_group(const struct operation *const *operations, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_group(operations[i], operations[at]))
			return false;
	return true;
}

static void
print_groups(const struct operation *const *operations, FILE *out)
{
	fputs("\t'') echo 'help", out);
	for (size_t i = 0; operations[i] != NULL; i++)
		if (is_new_group(operations, i))
			fprintf(out, " %.*s", (int)first_word(operations[i]->words), operations[i]->words);
	fputs("' ;;\n", out);
}

/* Prints the second words of the operations that have the same first word. */
static void
print_group(const struct operation *const *operations, size_t at, FILE *out)
{
	const size_t size = first_word(operations[at]->words);
	if (operations[at]->words[size] == '\0' || !is_new_group(operations, at))
		return;
	fprintf(out, "\t'%.*s') echo '", (int)size, operations[at]->words);
	for (size_t i = at; operations[i] != NULL; i++)
		if (same_group(operations[i], operations[at]))
			fprintf(out, "%s%s", i == at ? "" : " ", operations[i]->words + size + 1);
	fputs("' ;;\n", out);
}

/* Prints what follows the words of the operation: options, settings and files. */
static void
print_operation(const struct operation *operation, FILE *out)
{
	fprintf(out, "\t'%s') echo '", operation->words);
	print_options(operation, GENERAL_OPTIONS, shell_option_count, out);
	for (size_t i = 0; operation->settings != NULL && i < operation->settings->count; i++)
		fprintf(out, " %s=", operation->settings->rows[i].name);
	if (strstr(operation->usage, "FILE|-") != NULL)
		fputs(" " ANY_FILE, out);
	fputs("' ;;\n", out);
}

bool
completion_print(const struct operation *const *operations, FILE *out)
{
	fprintf(out, "# bash completion for leadhook(1) %s, from `leadhook completion bash`\n\n", LEADHOOK_VERSION);
	print_values(out);
	print_general(operations, out);
	fputs("_leadhook_words()\n{\n\tcase ${1-} in\n", out);
	print_groups(operations, out);
	for (size_t i = 0; operations[i] != NULL; i++) {
		print_group(operations, i, out);
		print_operation(operations[i], out);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n", out);
	fputs(walk, out);
	return fflush(out) == 0 && !ferror(out);
}
