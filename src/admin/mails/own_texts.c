/* SPDX-License-Identifier: MIT */
#include "admin/mails/own_texts.h"

#include <errno.h>
#include <string.h>
#include <sysexits.h>

enum { FILE_MAX_BYTES = 64 * 1024 };

bool
admin_split_text(struct slice operand, struct slice *name, struct slice *value)
{
	const size_t equals = slice_find(operand, '=');
	*name = slice_sub(operand, 0, equals);
	*value = slice_sub(operand, equals + 1, operand.size);
	return equals < operand.size;
}

/* A copy with LF for CR LF, without white space at its end. Lines keep their numbers. */
static struct slice
unix_lines(struct pool *pool, struct slice text)
{
	struct slice copy = pool_with_line_feeds(pool, text);
	while (copy.size > 0 && ascii_is_space(copy.data[copy.size - 1]))
		copy.size--;
	return copy;
}

/* Reads all of a file. */
static int
read_file(struct admin_call *call, const char *path, struct slice *text)
{
	char bytes[FILE_MAX_BYTES + 1];
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return admin_fail(call, PROBLEM_NO_INPUT, "%s: %s", path, strerror(errno));
	const size_t size = fread(bytes, 1, sizeof(bytes), file);
	const bool failed = ferror(file) != 0;
	fclose(file);
	if (failed)
		return admin_fail(call, PROBLEM_IO, "%s cannot be read", path);
	if (size > FILE_MAX_BYTES)
		return admin_fail(call, PROBLEM_INVALID, "%s is larger than %d bytes", path, FILE_MAX_BYTES);
	*text = unix_lines(call->pool, (struct slice){ bytes, size });
	return EX_OK;
}

int
admin_read_text(struct admin_call *call, struct slice *value)
{
	if (call->is_remote && value->size > FILE_MAX_BYTES)
		return admin_fail(call, PROBLEM_INVALID, "a text has at most %d bytes", FILE_MAX_BYTES);
	if (call->is_remote)
		*value = unix_lines(call->pool, *value);
	if (call->is_remote || !slice_starts_with(*value, SLICE("@")))
		return EX_OK;
	return read_file(call, pool_string(call->pool, slice_sub(*value, 1, value->size)), value);
}

int
admin_read_language(struct admin_call *call, enum text_language *language, const enum text_language **given)
{
	struct slice codes = SLICE("");
	const char *option = call->options[OPTION_LANGUAGE];
	*given = NULL;
	if (option == NULL)
		return EX_OK;
	if (text_language_parse(slice_of(option), language)) {
		*given = language;
		return EX_OK;
	}
	for (unsigned i = 0; i < TEXT_LANGUAGES; i++)
		codes = POOL_JOIN(call->pool, codes, SLICE(" "), text_language_code((enum text_language)i));
	return admin_fail_option(call, PROBLEM_INVALID, OPTION_LANGUAGE, "must be one of%.*s", SLICE_ARGS(codes));
}

int
admin_refuse_text(struct admin_call *call, struct output *errors, const char *name, struct slice problem)
{
	if (errors == NULL)
		return admin_fail_setting(call, name, "%.*s", SLICE_ARGS(problem));
	output_record(errors);
	output_text(errors, "field", slice_of(name));
	output_text(errors, "detail", problem);
	return EX_OK;
}
