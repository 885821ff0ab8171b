/* SPDX-License-Identifier: MIT */
#include "admin/data/import_heading.h"

#include <inttypes.h>
#include <sysexits.h>

#include "base/utf8.h"
#include "identity/email.h"
#include "identity/phone.h"
#include "operation/value_types.h"
#include "transfer/csv.h"

enum { OPERAND_MAP = 2 };

/* A name that cannot be a custom field is ignored, as in a request (docs/api.md 4.4). */
static bool
is_reserved(const struct import_run *run, const struct column *column)
{
	return column->field == LEAD_CUSTOM && run->limits.is_reserved(column->name);
}

/* ---- columns, as the caller names them ---- */

/* Whether `name` means this column: by its name, by its number as "#3", or as "*" if the caller has not specified what the
 * column is. */
static bool
is_meant(const struct import_run *run, size_t i, struct slice name)
{
	struct pool *pool = run->call->pool;
	uint64_t number;
	if (slice_starts_with(name, SLICE("#")) && slice_to_u64(slice_sub(name, 1, name.size), CSV_FIELDS_MAX, &number))
		return number == i + 1;
	if (slice_equal(name, SLICE("*")))
		return run->columns[i].is_guess;
	return slice_equal_nocase(slice_trim(run->heading[i]), slice_trim(name)) ||
	       (name.size > 0 && slice_equal(plain_words(pool, run->heading[i]), plain_words(pool, name)));
}

/* COLUMN=FIELD */
static int
map_column(struct import_run *run, const struct value_pair *pair)
{
	struct operation_call *call = run->call;
	const struct slice name = pair->name, field = pair->value, text = value_pair_text(call->pool, pair);
	bool found = slice_equal(name, SLICE("*"));
	if (field.size == 0)
		return operation_fail(call, PROBLEM_USAGE, "%.*s: expected COLUMN=FIELD", SLICE_ARGS(text));
	const struct column column = column_mapped(call->pool, field);
	if (is_reserved(run, &column))
		return operation_fail(
		    call, PROBLEM_USAGE, "%.*s: leads have no such field, and it cannot be a custom field", SLICE_ARGS(text));
	for (size_t i = 0; i < run->column_count; i++)
		if (is_meant(run, i, name)) {
			run->columns[i] = column;
			found = true;
		}
	return found ? EX_OK : operation_fail(call, PROBLEM_INVALID, "the heading has no column %.*s", SLICE_ARGS(name));
}

static void
add_rule(struct import_run *run, struct column *column, struct slice value, enum value_meaning meaning)
{
	struct pool *pool = run->call->pool;
	struct value_rule *rules = POOL_ARRAY(pool, column->rule_count + 1, struct value_rule);
	for (size_t i = 0; i < column->rule_count; i++)
		rules[i] = column->rules[i];
	if (!slice_equal(value, SLICE(VALUE_OTHER)))
		value = plain_words(pool, value);
	rules[column->rule_count] = (struct value_rule){ value, meaning };
	*column = (struct column){
		.field = LEAD_IGNORED, .name = column->name, .rules = rules, .rule_count = column->rule_count + 1
	};
}

/* COLUMN:VALUE=MEANING, in which the name of the column may contain colons itself. */
static int
give_meaning(struct import_run *run, const struct value_pair *pair)
{
	struct operation_call *call = run->call;
	const struct slice name = pair->name, text = value_pair_text(call->pool, pair);
	const enum value_meaning meaning = value_meaning_named(pair->value);
	if (!slice_present(pair->value) || meaning == MEANS_UNKNOWN)
		return operation_fail_value(call, PROBLEM_USAGE, "value",
		    "expected COLUMN:VALUE=MEANING, whose meaning is active, opted_out, verified or left_out, not %.*s",
		    SLICE_ARGS(text));
	for (size_t colon = 0; colon < name.size; colon++)
		for (size_t i = 0; name.data[colon] == ':' && i < run->column_count; i++)
			if (is_meant(run, i, slice_sub(name, 0, colon))) {
				if (run->columns[i].rules == NULL)
					run->columns[i].name = utf8_sanitized(call->pool, run->heading[i]);
				add_rule(run, &run->columns[i], slice_sub(name, colon + 1, name.size), meaning);
				return EX_OK;
			}
	return operation_fail_value(call, PROBLEM_USAGE, "value", "the heading has no column as in %.*s", SLICE_ARGS(text));
}

static int
read_columns(struct import_run *run)
{
	const struct import_arguments *arguments = run->arguments;
	int status = EX_OK;
	for (size_t i = 0; i < arguments->maps.count && status == EX_OK; i++)
		status = map_column(run, &arguments->maps.items[i]);
	for (size_t i = 0; i < arguments->values.count && status == EX_OK; i++)
		status = give_meaning(run, &arguments->values.items[i]);
	return status;
}

/* ---- the heading ---- */

static bool
identifies(const struct column *column)
{
	return column->field == LEAD_EMAIL || column->field == LEAD_PHONE;
}

/* Counts the names in a record, and in *identities those that name an email address or a phone number. */
static size_t
count_names(struct pool *pool, struct slice record, char delimiter, size_t *identities)
{
	struct csv_fields fields;
	*identities = 0;
	if (csv_split(pool, record, delimiter, &fields) != NULL)
		return 0;
	for (size_t i = 0; i < fields.count; i++) {
		const struct column column = column_of_heading(pool, csv_cell(pool, fields.items[i]));
		*identities += identifies(&column) ? 1 : 0;
	}
	return fields.count;
}

/* A delimiter that yields known names is preferred to one that yields any number of unknown names. */
static char
detect_delimiter(struct pool *pool, struct slice record)
{
	static const char delimiters[] = CSV_DELIMITERS;
	size_t best = 0, best_weight = 0, identities;
	for (size_t i = 0; i + 1 < sizeof(delimiters); i++) {
		const size_t count = count_names(pool, record, delimiters[i], &identities);
		const size_t weight = count > 1 ? count + identities * CSV_FIELDS_MAX : 0;
		if (weight > best_weight) {
			best = i;
			best_weight = weight;
		}
	}
	return delimiters[best];
}

/* The number of a later line that looks like the heading; 0 if there is none. */
static uint64_t
later_heading(struct import_run *run)
{
	enum { LINES_MAX = 30 };
	struct pool *pool = run->call->pool;
	struct record record;
	size_t identities;
	for (unsigned i = 0; i < LINES_MAX && records_next(run->records, &record) == RECORD_GOOD; i++) {
		const char known = run->delimiter;
		(void)count_names(pool, record.text, known != '\0' ? known : detect_delimiter(pool, record.text), &identities);
		if (identities > 0)
			return record.line;
	}
	return 0;
}

static int
fail_heading(struct import_run *run)
{
	struct operation_call *call = run->call;
	const uint64_t line = later_heading(run);
	if (line > 0)
		return operation_fail(call, PROBLEM_INVALID,
		    "line %" PRIu64 " looks like the heading: name it with %s %" PRIu64 ", or remove the lines before it", line,
		    parameter_shown(call, "heading"), line);
	if (slice_find(run->heading_text, '@') < run->heading_text.size)
		return operation_fail(
		    call, PROBLEM_INVALID, "the first line is a row: put a line with the names of the columns before it");
	return operation_fail(call, PROBLEM_INVALID,
	    call->is_remote ? "the heading has neither email nor phone_number: name them with map"
			    : "the heading has neither email nor phone_number: name them with --map COLUMN=email");
}

/* Finds the record with the heading, which may follow a record that names the delimiter, or a given number of lines. */
static int
find_heading(struct import_run *run)
{
	struct operation_call *call = run->call;
	const uint64_t line = run->arguments->heading;
	struct record record;
	for (;;) {
		const enum record_state state = records_next(run->records, &record);
		if (state != RECORD_GOOD)
			return operation_fail(call, PROBLEM_INVALID, "the file has no heading");
		if (!csv_names_delimiter(record.text, &run->delimiter) && record.line >= line)
			break;
	}
	run->heading_line = record.line;
	run->heading_text = pool_copy(call->pool, record.text);
	records_place(run->records, &run->begin, &run->begin_line);
	return EX_OK;
}

static bool
split_heading(struct import_run *run)
{
	struct pool *pool = run->call->pool;
	struct csv_fields heading;
	const char *problem = csv_split(pool, run->heading_text, run->delimiter, &heading);
	if (problem != NULL) {
		operation_fail(run->call, PROBLEM_INVALID, "the heading %s", problem);
		return false;
	}
	if (heading.count == 1 && slice_contains(csv_cell(pool, heading.items[0]), SLICE("\""))) {
		operation_fail(run->call, PROBLEM_INVALID,
		    "each line of the file is one text in quotes: open the original file, and save it again as CSV");
		return false;
	}
	run->heading = heading.items;
	run->column_count = heading.count;
	run->columns = POOL_ARRAY(pool, heading.count, struct column);
	for (size_t i = 0; i < heading.count; i++) {
		heading.items[i] = csv_cell(pool, heading.items[i]);
		run->columns[i] = column_of_heading(pool, heading.items[i]);
		if (is_reserved(run, &run->columns[i]) || plain_words(pool, heading.items[i]).size == 0)
			run->columns[i] = (struct column){ .field = LEAD_IGNORED };
	}
	return true;
}

/* The first email address in a column, and whether a later row repeats it. */
struct address_column {
	struct slice first;
	bool repeats;
};

static void
count_addresses(struct import_run *run, struct slice record, struct address_column *found)
{
	struct pool *pool = run->call->pool;
	struct csv_fields fields;
	struct email email;
	if (csv_split(pool, record, run->delimiter, &fields) != NULL)
		return;
	for (size_t i = 0; i < run->column_count && i < fields.count; i++) {
		const struct slice cell = slice_trim(csv_cell(pool, fields.items[i]));
		if (slice_find(cell, '@') == cell.size || !email_parse(pool, cell, &email))
			continue;
		if (!slice_present(found[i].first))
			found[i].first = email.key;
		else if (slice_equal(found[i].first, email.key))
			found[i].repeats = true;
	}
}

/* If no heading names the email address, it is the only column that contains addresses: headings can be in any language, or be
 * the questions of a form. A column whose rows share an address is about someone else, such as the owner of the contacts. */
static bool
find_addresses(struct import_run *run)
{
	enum { ROWS = 20 };
	struct address_column *found = POOL_ARRAY(run->call->pool, run->column_count, struct address_column);
	struct record record;
	size_t columns = 0, place = 0;
	records_seek(run->records, run->begin, run->begin_line);
	for (unsigned i = 0; i < ROWS && records_next(run->records, &record) == RECORD_GOOD; i++)
		count_addresses(run, record.text, found);
	for (size_t i = 0; i < run->column_count; i++)
		if (slice_present(found[i].first) && !found[i].repeats && run->columns[i].is_guess) {
			columns++;
			place = i;
		}
	if (columns != 1)
		return false;
	run->columns[place] = (struct column){ .field = LEAD_EMAIL };
	return true;
}

static void
set_shape(struct import_run *run)
{
	struct csv_shape shape = { run->column_count, CSV_FIELDS_MAX };
	for (size_t i = run->column_count; i > 0; i--)
		if (run->columns[i - 1].field == LEAD_EMAIL)
			shape.address = i - 1;
	records_set_shape(run->records, run->delimiter, &shape);
	records_seek(run->records, run->begin, run->begin_line);
}

int
import_read_heading(struct import_run *run)
{
	bool found = false, has_email = false;
	int status = find_heading(run);
	if (status != EX_OK)
		return status;
	if (run->arguments->delimiter != '\0')
		run->delimiter = run->arguments->delimiter;
	const struct slice text = run->heading_text;
	const bool is_known = run->delimiter != '\0';
	run->delimiter = is_known ? run->delimiter : detect_delimiter(run->call->pool, text);
	if (!split_heading(run))
		return EX_DATAERR;
	status = read_columns(run);
	for (size_t i = 0; i < run->column_count; i++) {
		found = found || identifies(&run->columns[i]);
		has_email = has_email || run->columns[i].field == LEAD_EMAIL;
	}
	if (status == EX_OK && !has_email && slice_find(text, '@') == text.size && (found || later_heading(run) == 0))
		found = find_addresses(run) || found;
	if (status == EX_OK && !found) {
		run->delimiter = is_known ? run->delimiter : '\0';
		records_seek(run->records, run->begin, run->begin_line);
		return fail_heading(run);
	}
	set_shape(run);
	return status;
}

/* ---- constants ---- */

static bool
is_switch(enum lead_field field)
{
	return field == LEAD_OPTED_OUT || field == LEAD_SMS_OPTED_OUT || field == LEAD_VERIFIED ||
	       field == LEAD_VERIFIED_EMAIL || field == LEAD_VERIFIED_PHONE || field == LEAD_WAITLISTED;
}

static int
read_constant(struct import_run *run, const struct value_pair *pair, struct row_constant *constant)
{
	struct operation_call *call = run->call;
	const struct slice text = value_pair_text(call->pool, pair);
	struct slice name = pair->name;
	bool on;
	name = slice_equal_nocase(name, SLICE("country")) ? SLICE("country_code")
	       : slice_equal_nocase(name, SLICE("tag"))   ? SLICE("tags")
							  : name;
	*constant = (struct row_constant){ column_mapped(call->pool, name), slice_trim(pair->value) };
	const enum lead_field field = constant->column.field;
	if (constant->value.size == 0)
		return operation_fail_value(call, PROBLEM_USAGE, "set", "expected NAME=VALUE, not %.*s", SLICE_ARGS(text));
	if (field == LEAD_EMAIL || field == LEAD_PHONE || field == LEAD_SOCIAL_ID || field == LEAD_NUMBER ||
	    field == LEAD_OTHER_FIELDS || field == LEAD_IGNORED || is_reserved(run, &constant->column))
		return operation_fail_value(
		    call, PROBLEM_USAGE, "set", "%.*s cannot be the same for all rows", SLICE_ARGS(name));
	if (is_switch(field) && !switch_parse(constant->value, &on))
		return operation_fail_value(call, PROBLEM_USAGE, "set", "%.*s is on or off", SLICE_ARGS(name));
	if (field == LEAD_COUNTRY_CODE && !phone_names_country(call->pool, constant->value))
		return operation_fail_value(
		    call, PROBLEM_USAGE, "set", "expected a country such as DE, or a calling code such as 49");
	return EX_OK;
}

int
import_read_constants(struct import_run *run)
{
	const struct value_pairs *given = &run->arguments->constants;
	struct row_constant *constants = POOL_ARRAY(run->call->pool, given->count, struct row_constant);
	int status = EX_OK;
	for (size_t i = 0; i < given->count && status == EX_OK; i++)
		status = read_constant(run, &given->items[i], &constants[i]);
	run->limits.constants = constants;
	run->limits.constant_count = given->count;
	return status;
}
