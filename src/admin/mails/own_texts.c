/* SPDX-License-Identifier: MIT */
#include "admin/mails/own_texts.h"

#include "operation/value_types.h"
#include "text/text.h"

enum { TEXT_MAX_BYTES = 64 * 1024 };

static bool
parse_language(struct value_reading *reading, struct slice text, void *place)
{
	struct chosen_language *chosen = place;
	chosen->is_given = text_language_parse(text, &chosen->language);
	if (chosen->is_given)
		return true;
	reading->message = SLICE("must be one of");
	for (unsigned i = 0; i < TEXT_LANGUAGES; i++)
		reading->message =
		    POOL_JOIN(reading->pool, reading->message, SLICE(" "), text_language_code((enum text_language)i));
	return false;
}
const struct value_type value_chosen_language = { .parse = parse_language };
const struct value_type value_own_texts = {
	.parse = value_parse_pair, .form = VALUE_FIELDS, .has_lines = true, .takes_files = true
};

const enum text_language *
chosen_language(const struct chosen_language *chosen)
{
	return chosen->is_given ? &chosen->language : NULL;
}

struct slice
chosen_language_code(const struct chosen_language *chosen)
{
	return chosen->is_given ? text_language_code(chosen->language) : SLICE("");
}

/* Only white space at the end is removed, so that the numbers of lines in messages fit the text. */
int
own_text_read(struct operation_call *call, struct slice *value)
{
	if (value->size > TEXT_MAX_BYTES)
		return operation_fail(call, PROBLEM_INVALID, "a text has at most %d bytes", TEXT_MAX_BYTES);
	*value = pool_with_line_feeds(call->pool, *value);
	while (value->size > 0 && ascii_is_space(value->data[value->size - 1]))
		value->size--;
	return EX_OK;
}

int
own_text_refuse(struct operation_call *call, struct output *errors, const char *name, struct slice problem)
{
	if (errors == NULL)
		return operation_fail_value(call, PROBLEM_INVALID, name, "%.*s", SLICE_ARGS(problem));
	output_record(errors);
	output_text(errors, "field", slice_of(name));
	output_text(errors, "detail", problem);
	return EX_OK;
}

int
own_texts_read(struct operation_call *call, const struct value_pairs *texts, struct output *errors, own_text_reader *read,
    struct campaign_texts *changes)
{
	struct campaign_text *list = POOL_ARRAY(call->pool, texts->count, struct campaign_text);
	int status = EX_OK;
	*changes = (struct campaign_texts){ list, 0 };
	for (size_t i = 0; i < texts->count && status == EX_OK; i++) {
		status = read(call, &texts->items[i], errors, &list[changes->count]);
		if (status == EX_OK && slice_present(list[changes->count].name))
			changes->count++;
	}
	return status;
}
