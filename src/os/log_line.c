/* SPDX-License-Identifier: MIT */
#include "os/log_line.h"

#include "base/utf8.h"

static const char *const level_names[] = { "error", "warning", "info", "debug" };

const char *
log_level_name(enum log_level level)
{
	return level_names[level];
}

/* ---- logfmt ---- */

static bool
is_plain(unsigned char c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
}

static void
add_logfmt_text(struct buffer *line, struct slice value)
{
	bool plain = value.size > 0 && value.size <= LOG_VALUE_MAX_BYTES;
	for (size_t i = 0; plain && i < value.size; i++)
		plain = is_plain((unsigned char)value.data[i]);
	if (plain) {
		buffer_add(line, value);
		return;
	}
	buffer_add_byte(line, '"');
	for (size_t i = 0; i < value.size && i < LOG_VALUE_MAX_BYTES; i++) {
		unsigned char c = (unsigned char)value.data[i];
		if (c == '"' || c == '\\')
			buffer_printf(line, "\\%c", c);
		else if (c >= ' ' && c < 0x7f)
			buffer_add_byte(line, (char)c);
		else
			buffer_printf(line, "\\x%02x", c);
	}
	buffer_add_text(line, value.size > LOG_VALUE_MAX_BYTES ? "\"..." : "\"");
}

typedef void add_text(struct buffer *line, struct slice value);

static void
add_value(struct buffer *line, const struct log_field *field, add_text *add)
{
	switch (field->kind) {
	case LOG_TEXT:
		add(line, field->value.text);
		break;
	case LOG_U64:
		buffer_add_u64(line, field->value.u64);
		break;
	case LOG_I64:
		buffer_add_i64(line, field->value.i64);
		break;
	}
}

static void
add_logfmt_field(struct buffer *line, const struct log_field *field)
{
	buffer_printf(line, " %s=", field->key);
	add_value(line, field, add_logfmt_text);
}

static void
add_logfmt_fields(struct buffer *line, const struct log_record *record)
{
	for (size_t i = 0; i < record->count; i++)
		add_logfmt_field(line, &record->fields[i]);
	if (record->work != NULL)
		add_logfmt_field(line, record->work);
}

void
log_line_logfmt(const struct log_record *record, struct buffer *line)
{
	buffer_printf(
	    line, "%s %s %s[%ld] %s", record->when, level_names[record->level], record->program, record->pid, record->event);
	add_logfmt_fields(line, record);
}

void
log_line_message(const struct log_record *record, struct buffer *line)
{
	buffer_printf(line, "%s %s", level_names[record->level], record->event);
	add_logfmt_fields(line, record);
}

/* ---- JSON ---- */

/* ASCII alone, as in the other form. A byte that is no UTF-8 becomes U+FFFD. */
static void
add_json_character(struct buffer *line, struct slice *rest)
{
	uint32_t character;
	if (!utf8_next(rest, &character)) {
		character = 0xfffd;
		*rest = slice_sub(*rest, 1, rest->size);
	}
	if (character == '"' || character == '\\')
		buffer_printf(line, "\\%c", (int)character);
	else if (character >= ' ' && character < 0x7f)
		buffer_add_byte(line, (char)character);
	else if (character < 0x10000)
		buffer_printf(line, "\\u%04x", (unsigned)character);
	else
		buffer_printf(
		    line, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (character >> 10)), (unsigned)(0xdc00 + (character & 0x3ff)));
}

static void
add_json_text(struct buffer *line, struct slice value)
{
	struct slice rest = slice_sub(value, 0, LOG_VALUE_MAX_BYTES);
	buffer_add_byte(line, '"');
	while (rest.size > 0)
		add_json_character(line, &rest);
	buffer_add_text(line, value.size > LOG_VALUE_MAX_BYTES ? "...\"" : "\"");
}

/* Members that every line has. */
static bool
is_reserved(const char *key)
{
	static const struct slice names[] = { SLICE("time"), SLICE("level"), SLICE("program"), SLICE("pid"), SLICE("event"),
		SLICE("truncated") };
	return slice_is_one_of(slice_of(key), names, ARRAY_SIZE(names));
}

/* Returns false, with the line unchanged, when it would not fit. */
static bool
add_json_field(struct buffer *line, const struct log_field *field)
{
	const size_t size = line->size;
	buffer_printf(line, ",\"%s%s\":", is_reserved(field->key) ? "field_" : "", field->key);
	add_value(line, field, add_json_text);
	if (buffer_ok(line))
		return true;
	line->size = size;
	line->failed = false;
	return false;
}

void
log_line_json(const struct log_record *record, struct buffer *line)
{
	static const struct slice cut = SLICE(",\"truncated\":true"), end = SLICE("}");
	const size_t reserved = cut.size + end.size;
	line->maximum -= reserved;
	line->capacity -= reserved;
	buffer_printf(line, "{\"time\":\"%s\",\"level\":\"%s\",\"program\":", record->when, level_names[record->level]);
	add_json_text(line, slice_of(record->program));
	buffer_printf(line, ",\"pid\":%ld,\"event\":", record->pid);
	add_json_text(line, slice_of(record->event));
	bool complete = true;
	for (size_t i = 0; i < record->count && complete; i++)
		complete = add_json_field(line, &record->fields[i]);
	if (record->work != NULL)
		complete = add_json_field(line, record->work) && complete;
	line->maximum += reserved;
	line->capacity += reserved;
	if (!complete)
		buffer_add(line, cut);
	buffer_add(line, end);
}
