/* SPDX-License-Identifier: MIT */
#include "transfer/row.h"

#include <string.h>

#include "base/buffer.h"
#include "base/language_tag.h"
#include "base/utf8.h"
#include "http/http_text.h"
#include "identity/email.h"
#include "identity/link.h"
#include "identity/network.h"
#include "identity/phone.h"
#include "identity/social_id.h"
#include "transfer/csv.h"
#include "json/writer.h"

void
row_fail(struct row *row, struct slice name, const char *rule)
{
	if (utf8_has_control(name)) /* the name is printed */
		name = SLICE("a field");
	if (row->problem == NULL)
		row->problem = pool_printf(row->pool, "%.*s %s", SLICE_ARGS(name), rule).data;
}

static void
fail_field(struct row *row, enum lead_field field, const char *rule)
{
	row_fail(row, lead_field_name(field), rule);
}

static void
add_value(struct row *row, struct row_values *values, struct row_value value)
{
	if (value.name.size == 0 || value.name.size > row->limits->name_bytes || utf8_has_control(value.name)) {
		row_fail(row, SLICE("the name of a field"), "is empty, too long or has control characters");
		return;
	}
	values->items = pool_grow(row->pool, values->items, values->count, &values->capacity, sizeof(*values->items));
	values->items[values->count++] = value;
}

static struct slice
text_as_json(struct row *row, struct slice text)
{
	struct buffer out;
	struct json_writer writer;
	buffer_init(&out, row->limits->value_bytes * 6 + 2); /* enough even if every byte is escaped */
	json_writer_init(&writer, &out);
	json_string(&writer, text);
	return buffer_take(&out, row->pool);
}

void
row_add_name(struct row *row, enum lead_field field, struct slice name)
{
	const bool is_tag = field == LEAD_TAG_NAMES;
	const struct names *names = is_tag ? &row->limits->tags : &row->limits->actions;
	struct row_notes *notes = &row->notes;
	name = slice_trim(name);
	if (name.size == 0 || name_set_add(row->pool, is_tag ? &row->tags : &row->actions, names, name))
		return;
	row->unknown_names++;
	if (!is_tag)
		return;
	notes->unknown_tags = pool_grow(row->pool, notes->unknown_tags, notes->unknown_tag_count, &notes->unknown_tag_capacity,
	    sizeof(*notes->unknown_tags));
	notes->unknown_tags[notes->unknown_tag_count++] = name;
}

/* Separates several values in a cell of Google's contacts. */
#define SEVERAL ":::"

/* Takes the next name, which may be in quotes, off a list; commas, semicolons or line ends separate them. */
static struct slice
next_name(struct row *row, struct slice *list)
{
	struct csv_fields fields;
	size_t size = 0;
	*list = slice_trim(*list);
	if (list->size > 0 && list->data[0] == '"') {
		for (size = 1;
		     size < list->size && (list->data[size] != '"' || (size + 1 < list->size && list->data[size + 1] == '"'));)
			size += list->data[size] == '"' ? 2 : 1;
		const struct slice quoted = slice_sub(*list, 0, ++size);
		if (csv_split(row->pool, quoted, '\n', &fields) == NULL && fields.count == 1) {
			*list = slice_sub(*list, size, list->size);
			*list = slice_sub(slice_trim(*list), 1, list->size);
			return fields.items[0];
		}
		size = 0;
	}
	while (size < list->size && memchr(",;\n", list->data[size], 3) == NULL &&
	       !slice_starts_with(slice_sub(*list, size, list->size), SLICE(SEVERAL)))
		size++;
	const struct slice name = slice_sub(*list, 0, size);
	*list = slice_sub(*list, size, list->size);
	*list = slice_sub(*list, slice_starts_with(*list, SLICE(SEVERAL)) ? sizeof(SEVERAL) - 1 : 1, list->size);
	return slice_starts_with(name, SLICE("* ")) ? slice_sub(name, 2, name.size) : name; /* Google's own labels */
}

static void
add_names(struct row *row, enum lead_field field, struct slice text)
{
	while (text.size > 0)
		row_add_name(row, field, next_name(row, &text));
}

static void
add_custom(struct row *row, const struct column *column, struct row_value value)
{
	add_value(row, column->field == LEAD_DERIVED_NAME ? &row->derived : &row->custom, value);
}

static bool
is_opt_out(enum lead_field field)
{
	return field == LEAD_OPTED_OUT || field == LEAD_SMS_OPTED_OUT;
}

/* A boolean, a word that exports use for it, or its time, which means yes. */
static bool
opt_out_parse(struct pool *pool, struct slice text, bool *on)
{
	if (switch_parse(text, on))
		return true;
	const enum value_meaning meaning = consent_suggested(plain_words(pool, text), COLUMN_OF_REFUSALS);
	*on = meaning == MEANS_OPTED_OUT || (meaning == MEANS_UNKNOWN && !time_is_none(text));
	return meaning != MEANS_UNKNOWN || time_is_none(text) || time_is(text);
}

static void
set_text(struct row *row, enum lead_field field, struct slice text)
{
	struct slice *place = &row->texts[field];
	bool on = false;
	if (!slice_present(*place) || place->size == 0 || (is_opt_out(field) && opt_out_parse(row->pool, text, &on) && on))
		*place = text;
}

/* What a value of a column about consent means. */
static void
add_meaning(struct row *row, const struct column *column, struct slice text)
{
	const enum value_meaning meaning = column_meaning(row->pool, column, text);
	if (meaning == MEANS_OPTED_OUT)
		set_text(row, LEAD_OPTED_OUT, SLICE("yes"));
	else if (meaning == MEANS_VERIFIED)
		set_text(row, LEAD_VERIFIED, SLICE("yes"));
	else if (meaning == MEANS_LEFT_OUT)
		row->notes.is_left_out = true;
	else if (meaning == MEANS_UNKNOWN)
		row_fail(row, column->name, "has a value that was given no meaning");
}

void
row_add(struct row *row, const struct column *column, struct slice text)
{
	const bool own = column->field < LEAD_TEXTS;
	const struct slice name = own ? lead_field_name(column->field) : column->name;
	struct slice normal = SLICE_NONE;
	if (column->rules != NULL) {
		add_meaning(row, column, text);
		return;
	}
	if (column->field == LEAD_IGNORED)
		return;
	if (column->field == LEAD_REFERRED_BY && slice_present(column->name) && link_is_absolute(slice_trim(text))) {
		/* a referrer is a lead, or the page that someone came from */
		row_add(row, &(struct column){ .field = LEAD_PAGE_REFERRER }, text);
		return;
	}
	if (column->field == LEAD_LANGUAGE && !language_tag_parse(row->pool, text, &text)) {
		row_add(row, &(struct column){ .field = LEAD_CUSTOM, .name = name }, text);
		return;
	}
	if (column->field == LEAD_TAG_NAMES || column->field == LEAD_ACTION_TEXTS) {
		add_names(row, column->field, text);
		return;
	}
	normal = http_text_clean(row->pool, text);
	if (own && lead_field_informs(column->field)) {
		normal = http_text_cut(normal, row->limits->value_bytes);
	} else if (!utf8_valid(text) || normal.size > row->limits->value_bytes) {
		row_fail(row, name, utf8_valid(text) ? "is too long" : "must be valid UTF-8: see --encoding");
		return;
	}
	if (own)
		set_text(row, column->field, normal);
	if (own || normal.size == 0)
		return;
	if (column->field == LEAD_UTM)
		add_value(row, &row->utm, (struct row_value){ column->name, normal, SLICE_NONE });
	else
		add_custom(row, column, (struct row_value){ column->name, normal, text_as_json(row, normal) });
}

void
row_add_json(struct row *row, const struct column *column, struct slice json)
{
	add_custom(row, column, (struct row_value){ column->name, SLICE_NONE, json });
}

static struct slice
given(const struct row *row, enum lead_field field)
{
	return row->texts[field].size == 0 ? SLICE_NONE : row->texts[field];
}

/* If a cell contains several email addresses, the first one is the lead's. */
static bool
read_email(struct row *row, struct slice text, struct email *email)
{
	if (email_parse(row->pool, text, email))
		return true;
	size_t end = slice_find(text, '@');
	while (end < text.size && memchr(" ,;|/\n", text.data[end], 6) == NULL &&
	       !slice_starts_with(slice_sub(text, end, text.size), SLICE(SEVERAL)))
		end++;
	const struct slice others = slice_sub(text, end, text.size);
	if (slice_find(others, '@') == others.size || !email_parse(row->pool, slice_sub(text, 0, end), email))
		return false;
	row->notes.emails = text;
	return true;
}

/* An invalid number does not make a row with an email address invalid, unless the import is strict. */
static void
read_phone(struct row *row, struct signup *signup)
{
	const struct slice all = given(row, LEAD_PHONE), country = given(row, LEAD_COUNTRY_CODE);
	const struct slice text = slice_trim(slice_sub(all, 0, slice_find_part(all, SLICE(SEVERAL))));
	if (!slice_present(all) || phone_parse(row->pool, text, country, &signup->phone))
		return;
	if (row->limits->strict || !slice_present(signup->email_key))
		fail_field(row, LEAD_PHONE, "is not valid");
	row->notes.phone_number = text;
}

static void
read_identities(struct row *row, struct signup *signup)
{
	struct slice text = given(row, LEAD_EMAIL);
	struct email email;
	if (slice_present(text) && !read_email(row, text, &email))
		fail_field(row, LEAD_EMAIL, "is not valid");
	else if (slice_present(text)) {
		signup->email = email.display;
		signup->email_key = email.key;
	}
	read_phone(row, signup);
	text = given(row, LEAD_SOCIAL_ID);
	if (slice_present(text) && !social_id_parse(row->pool, text, &signup->subject))
		fail_field(row, LEAD_SOCIAL_ID, "must have 4 to 16 characters of Crockford's Base32");
	if (row->problem == NULL && !slice_present(signup->email_key) && !slice_present(signup->phone))
		row->problem = "there is neither an email nor a phone_number";
}

static void
read_referrer(struct row *row, struct import *import)
{
	const struct slice text = given(row, LEAD_REFERRED_BY);
	struct email email;
	if (!slice_present(text))
		return;
	if (slice_find(text, '@') < text.size && email_parse(row->pool, text, &email))
		import->referrer_email = email.key;
	else if (!social_id_parse(row->pool, text, &import->signup.referrer_id) && !row->limits->drop_bad_referrers)
		row_fail(row, SLICE("referrer"), "must be a social_id or an email");
}

/* An absent switch is off. */
static bool
read_switch(struct row *row, enum lead_field field)
{
	const struct slice text = given(row, field);
	bool on = false;
	if (!slice_present(text))
		return false;
	if (!is_opt_out(field) && !switch_parse(text, &on))
		fail_field(row, field, "must be yes or no");
	if (is_opt_out(field) && !opt_out_parse(row->pool, text, &on))
		fail_field(row, field, "must be yes, no, or a time");
	return on;
}

static enum lead_claim
read_claim(struct row *row)
{
	const struct slice text = given(row, LEAD_CLAIMED);
	for (enum lead_claim claim = CLAIM_EMAIL; slice_present(text) && claim < LEAD_CLAIMS; claim++)
		if (slice_equal(text, lead_claim_name(claim)))
			return claim;
	if (slice_present(text))
		fail_field(row, LEAD_CLAIMED, "must be email or phone_number");
	return CLAIM_NONE;
}

static void
read_switches(struct row *row, struct import *import)
{
	import->verified_email = read_switch(row, LEAD_VERIFIED_EMAIL);
	import->verified_phone = read_switch(row, LEAD_VERIFIED_PHONE);
	if (read_switch(row, LEAD_VERIFIED) && !import->verified_email && !import->verified_phone) {
		import->verified_email = slice_present(import->signup.email_key);
		import->verified_phone = !import->verified_email;
	}
	import->claimed = read_claim(row);
	import->opted_out = read_switch(row, LEAD_OPTED_OUT);
	import->sms_opted_out = read_switch(row, LEAD_SMS_OPTED_OUT);
	import->fraudulent = read_switch(row, LEAD_FRAUDULENT);
	import->waitlisted = !slice_present(given(row, LEAD_WAITLISTED)) ? -1 : read_switch(row, LEAD_WAITLISTED) ? 1 : 0;
}

static void
read_numbers(struct row *row, struct import *import)
{
	struct slice text = given(row, LEAD_NUMBER);
	uint64_t number = 0, score = 0;
	if (slice_present(text) && (!slice_to_u64(text, IMPORT_NUMBER_MAX, &number) || number == 0))
		fail_field(row, LEAD_NUMBER, "must be a number from 1 to 4000000000");
	text = given(row, LEAD_SCORE);
	if (slice_present(text) && !slice_to_u64(text, UINT32_MAX, &score))
		fail_field(row, LEAD_SCORE, "must be a number from 0 to 4294967295");
	import->number = (uint32_t)number;
	import->has_score = slice_present(row->texts[LEAD_SCORE]);
	import->score = (uint32_t)score;
}

/* -1: there is none. */
static int64_t
read_created(struct row *row)
{
	const struct slice text = given(row, LEAD_CREATED);
	int64_t ms = -1;
	if (!slice_present(text) || time_is_none(text))
		return -1;
	row->notes.created = time_parse(text, row->limits->dates, &ms);
	if (row->notes.created == TIME_BAD)
		fail_field(row, LEAD_CREATED, "must be a time such as 2025-07-15 14:29; the column can be left out");
	else if (row->notes.created == TIME_EITHER && row->limits->dates == DATES_UNKNOWN)
		fail_field(row, LEAD_CREATED, "is a date whose day and month cannot be distinguished: say which is first");
	return ms;
}

static void
read_others(struct row *row, struct import *import)
{
	const struct slice text = given(row, LEAD_IP);
	struct ip_address address;
	import->created_ms = read_created(row);
	if (slice_present(text) && ip_address_parse(text, &address))
		import->signup.ip = ip_address_format(row->pool, &address);
	import->signup.source = slice_present(row->texts[LEAD_SOURCE]) ? given(row, LEAD_SOURCE) : SLICE("import");
	import->signup.user_agent = given(row, LEAD_USER_AGENT);
	import->signup.uid = given(row, LEAD_UID);
	import->signup.referrer = given(row, LEAD_PAGE_REFERRER);
	import->signup.signup_url = given(row, LEAD_SIGNUP_URL);
	import->signup.language = given(row, LEAD_LANGUAGE);
}

static void
read_utm(struct row *row, struct signup *signup)
{
	struct buffer out;
	struct json_writer writer;
	if (row->utm.count == 0)
		return;
	buffer_init(&out, row->limits->utm_bytes);
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	for (size_t i = 0; i < row->utm.count; i++) {
		json_key(&writer, row->utm.items[i].name);
		json_string(&writer, row->utm.items[i].text);
	}
	json_end_object(&writer);
	if (buffer_ok(&out))
		signup->utm = pool_copy(row->pool, buffer_slice(&out));
	else
		fail_field(row, LEAD_UTM_OBJECT, "has too many bytes");
	buffer_free(&out);
}

static void
read_custom(struct row *row, struct signup *signup)
{
	const size_t derived = row->has_object ? 0 : row->derived.count;
	struct custom_field *fields = POOL_ARRAY(row->pool, row->custom.count + derived, struct custom_field);
	for (size_t i = 0; i < row->custom.count + derived; i++) {
		const struct row_value *value =
		    i < row->custom.count ? &row->custom.items[i] : &row->derived.items[i - row->custom.count];
		fields[i] = (struct custom_field){ value->name, value->json, value->text };
	}
	signup->custom_fields = fields;
	signup->custom_field_count = row->custom.count + derived;
}

const char *
row_finish(struct row *row, struct import *import)
{
	*import = (struct import){ 0 };
	for (size_t i = 0; i < row->limits->constant_count; i++) /* a country applies only to rows that have none */
		if (row->limits->constants[i].column.field == LEAD_COUNTRY_CODE)
			row_add(row, &row->limits->constants[i].column, row->limits->constants[i].value);
	read_identities(row, &import->signup);
	read_referrer(row, import);
	read_switches(row, import);
	read_numbers(row, import);
	read_others(row, import);
	read_utm(row, &import->signup);
	read_custom(row, &import->signup);
	import->tag_ids = name_set_list(row->pool, &row->tags);
	import->action_ids = name_set_list(row->pool, &row->actions);
	import->name_count = row->tags.count + row->actions.count;
	import->unknown_names = row->unknown_names;
	return row->problem;
}

struct row
row_begin(struct pool *pool, const struct row_limits *limits)
{
	struct row row = { .pool = pool, .limits = limits };
	for (size_t i = 0; i < limits->constant_count; i++)
		if (limits->constants[i].column.field != LEAD_COUNTRY_CODE)
			row_add(&row, &limits->constants[i].column, limits->constants[i].value);
	return row;
}
