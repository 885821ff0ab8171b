/* SPDX-License-Identifier: MIT
 * Prints the table of operations as JSON, for tests that compare it with documents and with the dashboard. */
#include <stdio.h>
#include <stdlib.h>

#include "admin/operations.h"
#include "json/writer.h"
#include "operation/object_settings.h"

enum { TABLE_MAX_BYTES = 1024 * 1024 };

static void
put_settings(struct json_writer *writer, const struct settings_table *settings)
{
	json_name(writer, SLICE("settings"));
	json_begin_array(writer);
	for (size_t i = 0; settings != NULL && i < settings->count; i++)
		json_string(writer, slice_of(settings->rows[i].name));
	json_end_array(writer);
}

static void
put_parameter(struct json_writer *writer, const struct parameter *parameter)
{
	static const struct slice forms[] = { [VALUE_TEXT] = SLICE("text"),
		[VALUE_LIST] = SLICE("list"),
		[VALUE_SWITCH] = SLICE("switch"),
		[VALUE_EACH] = SLICE("each"),
		[VALUE_PAIRS] = SLICE("pairs"),
		[VALUE_FIELDS] = SLICE("fields") };
	json_begin_object(writer);
	json_put_text(writer, SLICE("name"), slice_of(parameter->name));
	json_put_text(writer, SLICE("form"), forms[parameter->type->form]);
	json_put_boolean(writer, SLICE("operand"), (parameter->flags & PARAMETER_OPERAND) != 0);
	json_put_boolean(writer, SLICE("of_shell"), (parameter->flags & PARAMETER_SHELL) != 0 || parameter->type->is_file);
	put_settings(writer, NULL);
	json_end_object(writer);
}

/* Prints the settings like one more parameter. */
static void
put_settings_parameter(struct json_writer *writer, const struct settings_table *settings)
{
	json_begin_object(writer);
	json_put_text(writer, SLICE("name"), SLICE("settings"));
	json_put_text(writer, SLICE("form"), SLICE("settings"));
	json_put_boolean(writer, SLICE("operand"), true);
	json_put_boolean(writer, SLICE("of_shell"), false);
	put_settings(writer, settings);
	json_end_object(writer);
}

/* Prints the values and settings for which a user must enter the password. */
static void
put_password_words(struct json_writer *writer, const struct operation *operation)
{
	json_name(writer, SLICE("password_words"));
	json_begin_array(writer);
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		if (parameter->password_for != NULL)
			json_string(writer, slice_of(parameter->password_for));
	}
	for (size_t i = 0; operation->settings != NULL && i < operation->settings->count; i++)
		if (operation->settings->rows[i].password_for != NULL)
			json_string(writer, slice_of(operation->settings->rows[i].name));
	json_end_array(writer);
}

static void
put_operation(struct json_writer *writer, const struct operation *operation)
{
	static const struct slice methods[] = { [METHOD_NONE] = SLICE("NONE"),
		[METHOD_GET] = SLICE("GET"),
		[METHOD_POST] = SLICE("POST"),
		[METHOD_PATCH] = SLICE("PATCH"),
		[METHOD_DELETE] = SLICE("DELETE") };
	static const struct slice effects[] = { [READS] = SLICE("reads"),
		[PREPARES] = SLICE("prepares"),
		[CHANGES] = SLICE("changes"),
		[CREATES] = SLICE("creates"),
		[ADDS] = SLICE("adds"),
		[QUEUES] = SLICE("queues") };
	json_begin_object(writer);
	json_put_text(writer, SLICE("words"), slice_of(operation->words));
	json_put_text(writer, SLICE("method"), methods[operation->method]);
	json_put_text(writer, SLICE("path"), slice_of(operation->path));
	json_put_text(writer, SLICE("subject"), operation->subject == NULL ? SLICE_NONE : slice_of(operation->subject->name));
	json_put_text(writer, SLICE("effect"), effects[operation->effect]);
	json_name(writer, SLICE("rights"));
	json_begin_array(writer);
	for (unsigned i = 0; i < RIGHTS; i++)
		if ((operation->rights >> i & 1) != 0)
			json_string(writer, right_word(i));
	json_end_array(writer);
	json_put_boolean(writer, SLICE("all_rights"), operation->all_rights);
	json_put_boolean(writer, SLICE("for_operators"), operation->audience == FOR_OPERATORS);
	json_put_boolean(writer, SLICE("grants_access"), operation->access == GRANTS_ACCESS);
	json_put_boolean(writer, SLICE("searches"), operation->cost == SEARCHES);
	json_put_boolean(writer, SLICE("needs_password"), operation->needs_password);
	json_put_boolean(writer, SLICE("versioned"), operation->versioned);
	put_password_words(writer, operation);
	json_name(writer, SLICE("parameters"));
	json_begin_array(writer);
	for (size_t i = 0; i < operation->parameter_count; i++)
		put_parameter(writer, &operation->parameters[i]);
	if (operation->settings != NULL)
		put_settings_parameter(writer, operation->settings);
	json_end_array(writer);
	json_end_object(writer);
}

int
main(void)
{
	static const struct operation *const operations[] = { ALL_OPERATIONS };
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, TABLE_MAX_BYTES);
	json_writer_init(&writer, &out);
	json_begin_array(&writer);
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		put_operation(&writer, operations[i]);
	json_end_array(&writer);
	fwrite(out.data, 1, out.size, stdout);
	const bool ok = buffer_ok(&out);
	buffer_free(&out);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
