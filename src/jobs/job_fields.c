/* SPDX-License-Identifier: MIT */
#include "jobs/job_fields.h"

#include "base/buffer.h"
#include "engine/events.h"
#include "webhook/delivery.h"
#include "json/reader.h"
#include "json/writer.h"

enum { OBJECT_MAX_BYTES = 256 * 1024 };

/* ---- writing ---- */

/* A number, or none if it equals `absent`. */
static struct job_value
number_unless(uint64_t absent, uint64_t number)
{
	return (struct job_value){ .kind = number == absent ? JOB_VALUE_ABSENT : JOB_VALUE_NUMBER, .number = number };
}

static struct job_value
text_or_absent(struct slice text)
{
	return (struct job_value){ .kind = slice_present(text) ? JOB_VALUE_TEXT : JOB_VALUE_ABSENT, .text = text };
}

struct job_value
job_field_value(const struct job_field *field, const void *values)
{
	const void *place = (const char *)values + field->place;
	switch (field->type) {
	case JOB_FIELD_NUMBER:
		return (struct job_value){ .kind = JOB_VALUE_NUMBER, .number = *(const uint64_t *)place };
	case JOB_FIELD_ID:
		return number_unless(0, *(const uint64_t *)place);
	case JOB_FIELD_LIMIT:
		return number_unless(SIZE_MAX, *(const size_t *)place);
	case JOB_FIELD_TIME_MS:
		return number_unless((uint64_t)-1, (uint64_t) * (const int64_t *)place);
	case JOB_FIELD_BOOLEAN:
		return (struct job_value){ .kind = JOB_VALUE_BOOLEAN, .number = *(const bool *)place };
	case JOB_FIELD_TEXT:
		return text_or_absent(*(const struct slice *)place);
	case JOB_FIELD_EVENT:
		return text_or_absent(
		    *(const int *)place < 0 ? SLICE_NONE : event_name((enum event_type) * (const int *)place));
	case JOB_FIELD_STATE:
		return text_or_absent(*(const int *)place < 0
					  ? SLICE_NONE
					  : slice_of(delivery_state_name((enum delivery_state) * (const int *)place)));
	case JOB_FIELD_ANSWER:
		return text_or_absent(answer_class_name(*(const enum answer_class *)place));
	}
	return (struct job_value){ .kind = JOB_VALUE_ABSENT };
}

static void
write_value(struct json_writer *json, const struct job_value *value)
{
	if (value->kind == JOB_VALUE_NUMBER)
		json_u64(json, value->number);
	else if (value->kind == JOB_VALUE_BOOLEAN)
		json_boolean(json, value->number != 0);
	else
		json_string_or_null(json, value->text);
}

struct slice
job_fields_write(struct pool *pool, const struct job_field *fields, const void *values, enum job_absences absences)
{
	struct buffer out;
	struct json_writer json;
	buffer_init(&out, OBJECT_MAX_BYTES);
	json_writer_init(&json, &out);
	json_begin_object(&json);
	for (; fields->name != NULL; fields++) {
		const struct job_value value = job_field_value(fields, values);
		if (value.kind == JOB_VALUE_ABSENT && absences == JOB_ABSENCES_OMITTED)
			continue;
		json_name(&json, slice_of(fields->name));
		write_value(&json, &value);
	}
	json_end_object(&json);
	return buffer_take(&out, pool);
}

/* ---- reading ---- */

struct fields_reader {
	struct pool *pool;
	const struct job_field *fields, *current; /* `current`: the field whose value comes next */
	char *values;
};

static bool
read_text(struct pool *pool, enum job_field_type type, struct slice text, void *place)
{
	enum event_type event;
	enum delivery_state state;
	enum answer_class answer;
	if (type == JOB_FIELD_TEXT)
		*(struct slice *)place = pool_copy(pool, text);
	else if (type == JOB_FIELD_EVENT && event_parse(text, &event))
		*(int *)place = (int)event;
	else if (type == JOB_FIELD_STATE && delivery_state_parse(text, &state))
		*(int *)place = (int)state;
	else if (type == JOB_FIELD_ANSWER && answer_class_parse(text, &answer))
		*(enum answer_class *)place = answer;
	else
		return false;
	return true;
}

static bool
read_number(enum job_field_type type, struct slice text, void *place)
{
	uint64_t number;
	if (!slice_to_u64(text, INT64_MAX, &number))
		return false;
	if (type == JOB_FIELD_NUMBER || type == JOB_FIELD_ID)
		*(uint64_t *)place = number;
	else if (type == JOB_FIELD_LIMIT)
		*(size_t *)place = (size_t)number;
	else if (type == JOB_FIELD_TIME_MS)
		*(int64_t *)place = (int64_t)number;
	else
		return false;
	return true;
}

/* A json_handler. A null leaves the member unchanged. */
static bool
read_member(void *context, const struct json_event *event)
{
	struct fields_reader *r = context;
	if (event->depth == 0)
		return event->type == JSON_OBJECT_BEGIN || event->type == JSON_OBJECT_END;
	if (event->type == JSON_KEY) {
		r->current = r->fields;
		while (r->current->name != NULL && !slice_equal(event->text, slice_of(r->current->name)))
			r->current++;
		return r->current->name != NULL;
	}
	void *place = r->values + r->current->place;
	switch (event->type) {
	case JSON_NULL:
		return true;
	case JSON_NUMBER:
		return read_number(r->current->type, event->text, place);
	case JSON_STRING:
		return read_text(r->pool, r->current->type, event->text, place);
	case JSON_BOOLEAN:
		if (r->current->type == JOB_FIELD_BOOLEAN)
			*(bool *)place = event->boolean;
		return r->current->type == JOB_FIELD_BOOLEAN;
	default:
		return false;
	}
}

bool
job_fields_read(struct pool *pool, const struct job_field *fields, struct slice object, void *values)
{
	struct fields_reader reader = { .pool = pool, .fields = fields, .values = values };
	struct json_problem problem;
	return json_read(object, 1, read_member, &reader, &problem);
}
