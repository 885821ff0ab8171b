/* SPDX-License-Identifier: MIT */
#include "webhook/form.h"

#include "base/buffer.h"
#include "base/encode.h"
#include "json/reader.h"

/* An open container. */
struct level {
	struct slice name; /* its name, with brackets; empty for the payload itself */
	struct slice key;  /* key of the next value, in an object */
	size_t index;      /* index of the next value, in an array */
	bool array;
};

struct form {
	struct pool *pool;
	enum form_arrays arrays;
	struct buffer out;
	struct level levels[FORM_DEPTH_MAX];
};

/* The name of the next value in the container; the value has this type. */
static struct slice
next_name(struct form *form, struct level *level, enum json_type type)
{
	const bool is_container = type == JSON_OBJECT_BEGIN || type == JSON_ARRAY_BEGIN;
	if (level->array && form->arrays == FORM_UNNUMBERED && !is_container)
		return pool_printf(form->pool, "%.*s[]", SLICE_ARGS(level->name));
	if (level->array)
		return pool_printf(form->pool, "%.*s[%zu]", SLICE_ARGS(level->name), level->index++);
	if (level->name.size == 0)
		return level->key;
	return pool_printf(form->pool, "%.*s[%.*s]", SLICE_ARGS(level->name), SLICE_ARGS(level->key));
}

static void
add_pair(struct form *form, struct level *level, struct slice value)
{
	if (form->out.size > 0)
		buffer_add_byte(&form->out, '&');
	encode_percent(&form->out, next_name(form, level, JSON_STRING));
	buffer_add_byte(&form->out, '=');
	encode_percent(&form->out, value);
}

static bool
handle(void *context, const struct json_event *event)
{
	struct form *form = context;
	if (event->depth == 0 && event->type != JSON_OBJECT_BEGIN && event->type != JSON_OBJECT_END)
		return false;
	struct level *level = event->depth == 0 ? NULL : &form->levels[event->depth - 1];
	switch (event->type) {
	case JSON_OBJECT_BEGIN:
	case JSON_ARRAY_BEGIN:
		form->levels[event->depth] =
		    (struct level){ .name = level == NULL ? SLICE("") : next_name(form, level, event->type),
			    .array = event->type == JSON_ARRAY_BEGIN };
		break;
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		break;
	case JSON_KEY:
		level->key = pool_copy(form->pool, event->text);
		break;
	case JSON_NULL:
		add_pair(form, level, SLICE(""));
		break;
	case JSON_BOOLEAN:
		add_pair(form, level, event->boolean ? SLICE("true") : SLICE("false"));
		break;
	case JSON_NUMBER:
	case JSON_STRING:
		add_pair(form, level, event->text);
		break;
	}
	return true;
}

bool
form_encode(struct pool *pool, struct slice payload, enum form_arrays arrays, struct slice *body)
{
	struct form form = { .pool = pool, .arrays = arrays };
	struct json_problem problem;
	buffer_init(&form.out, FORM_SIZE_MAX);
	bool encoded = json_read(payload, FORM_DEPTH_MAX, handle, &form, &problem) && buffer_ok(&form.out);
	if (encoded)
		*body = pool_copy(pool, buffer_slice(&form.out));
	buffer_free(&form.out);
	return encoded;
}
