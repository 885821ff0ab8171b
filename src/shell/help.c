/* SPDX-License-Identifier: MIT */
#include "shell/help.h"

#include <string.h>

#include "base/buffer.h"
#include "shell/shell_options.h"

enum { FIELDS_MAX_BYTES = 4096 };

static void
print_option(size_t option, FILE *out)
{
	const struct shell_option *row = &shell_options[option];
	const char *value = row->value;
	const int width = fprintf(out, "  --%s%s%s", row->name, value == NULL ? "" : " ", value == NULL ? "" : value);
	fprintf(out, "%s%*s%s\n", width < 24 ? "" : "\n", width < 24 ? 24 - width : 24, "", row->help);
}

static bool
is_of_group(const struct operation *operation, const char *group)
{
	const size_t size = strcspn(operation->words, " ");
	return group == NULL || (strlen(group) == size && memcmp(operation->words, group, size) == 0);
}

void
help_print_all(const struct operation *const *operations, const char *group, FILE *out)
{
	fprintf(out, "usage: leadhook [OPTION...] COMMAND [OPERAND...]\n       leadhook help [COMMAND]\n\n");
	for (; *operations != NULL; operations++) {
		if (!is_of_group(*operations, group))
			continue;
		const int width = fprintf(out, "  %s %s", (*operations)->words, (*operations)->usage);
		fprintf(out, "%s%*s%s\n", width < 48 ? "" : "\n", width < 48 ? 48 - width : 48, "", (*operations)->help);
	}
	fprintf(out, "\nOptions of every command:\n");
	for (size_t i = 0; i < GENERAL_OPTIONS; i++)
		print_option(i, out);
}

static void
print_settings(const struct settings_table *settings, FILE *out)
{
	fputs("Settings:\n", out);
	for (size_t i = 0; i < settings->count; i++)
		fprintf(out, "  %-22s%s\n", settings->rows[i].name, settings->rows[i].type->expected);
	fputc('\n', out);
}

static bool
is_in_path(const struct operation *operation, const char *name)
{
	struct slice rest = slice_of(operation->path), segment;
	while (slice_next(&rest, '/', &segment))
		if (slice_starts_with(segment, SLICE("{")) &&
		    slice_equal(slice_sub(segment, 1, segment.size - 1), slice_of(name)))
			return true;
	return false;
}

static void
add_field(struct buffer *fields, const char *name, const char *end)
{
	buffer_printf(fields, "%s%s%s", fields->size == 0 ? "" : " ", name, end);
}

/* Prints the members that are operands of the command: "name", "events...", or "*" for any. */
static void
print_fields(const struct operation *operation, FILE *out)
{
	struct buffer fields;
	buffer_init(&fields, FIELDS_MAX_BYTES);
	if (operation->subject != NULL && !is_in_path(operation, operation->subject->name))
		add_field(&fields, operation->subject->name, "");
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		const enum value_form form = parameter->type->form;
		if ((parameter->flags & PARAMETER_OPERAND) != 0 && (parameter->flags & PARAMETER_SHELL) == 0 &&
		    !parameter->type->is_file && !is_in_path(operation, parameter->name))
			add_field(&fields, form == VALUE_FIELDS ? "*" : parameter->name, form == VALUE_EACH ? "..." : "");
	}
	if (fields.size > 0)
		fprintf(out, " {%.*s}", SLICE_ARGS(buffer_slice(&fields)));
	buffer_free(&fields);
}

/* Prints the call in the form of docs/manage.md 1. */
static void
print_http(const struct operation *operation, FILE *out)
{
	static const char *const methods[] = {
		[METHOD_GET] = "GET", [METHOD_POST] = "POST", [METHOD_PATCH] = "PATCH", [METHOD_DELETE] = "DELETE"
	};
	bool first = true;
	if (operation->method == METHOD_NONE)
		return;
	fprintf(out, "HTTP: %s /manage/v1/%s", methods[operation->method], operation->path);
	print_fields(operation, out);
	fputs(operation->audience == FOR_OPERATORS ? ", only operators, right " : ", right ", out);
	for (unsigned i = 0; i < RIGHTS; i++) {
		if ((operation->rights >> i & 1) == 0)
			continue;
		fprintf(out, "%s%.*s", first ? "" : operation->all_rights ? "+" : "|", SLICE_ARGS(right_word(i)));
		first = false;
	}
	fputs("\n\n", out);
}

void
help_print(const struct operation *operation, FILE *out)
{
	fprintf(out, "usage: leadhook %s %s\n%s\n\n", operation->words, operation->usage, operation->help);
	if (operation->settings != NULL)
		print_settings(operation->settings, out);
	print_http(operation, out);
	for (size_t i = 0; i < shell_option_count; i++)
		if (shell_option_fits(operation, i))
			print_option(i, out);
}
