/* SPDX-License-Identifier: MIT
 * Arguments of a command, from the path, and from the query (GET, DELETE) or a JSON object (POST, PATCH). Names are those of
 * options with "_" for "-", those of settings, and those of the table for operands (docs/manage.md 1.1). */
#include "base/utf8.h"
#include "json/reader.h"
#include "manage/members.h"
#include "manage/request.h"
#include "operation/value_types.h"

enum { LINE_FEED = '\n', TAB = '\t', RETURN = '\r' };

static struct slice
pointer_to(struct manage_request *request, struct slice name)
{
	return pool_printf(request->http->pool, "/%.*s", SLICE_ARGS(name));
}

/* Options about files of the host are not for remote callers, and what they would wait for is always queued. A lead that
 * the path names has no other name: its address may be a setting. */
static bool
is_remote_option(const struct manage_request *request, enum admin_option option)
{
	const char *value = admin_option_value(option);
	const bool names_lead = option == OPTION_EMAIL || option == OPTION_PHONE || option == OPTION_SOCIAL_ID;
	return admin_option_in(request->command->options, option) && option != OPTION_QUEUE &&
	       (value == NULL || strcmp(value, "FILE") != 0) &&
	       (!names_lead || request->call.options[OPTION_SOCIAL_ID] == NULL);
}

/* A text as an argument of the command line may be; texts of pages and mails may have lines. */
static bool
check_text(struct manage_request *request, struct slice name, struct slice text)
{
	for (size_t i = 0; i < text.size; i++) {
		const unsigned char c = (unsigned char)text.data[i];
		if ((c >= ' ' && c != 0x7f) || (request->command->lines && (c == LINE_FEED || c == TAB || c == RETURN)))
			continue;
		return request_fail(request, PROBLEM_INVALID, pointer_to(request, name), "control characters are not allowed");
	}
	return true;
}

static bool
fail_member(struct manage_request *request, struct slice name, const char *expected)
{
	return request_fail(
	    request, PROBLEM_INVALID, pointer_to(request, name), "%.*s: expected %s", SLICE_ARGS(name), expected);
}

/* The member as the text of one argument. */
static bool
text_of(struct manage_request *request, const struct member *member, struct slice *text)
{
	*text = member->text;
	if (member->type == MEMBER_OBJECT || member->type == MEMBER_ARRAY)
		return fail_member(request, member->name, "a text, a number, a boolean or null");
	return check_text(request, member->name, *text);
}

/* The items with commas between them. */
static struct slice
join(struct pool *pool, const struct member *member)
{
	size_t size = 0;
	for (size_t i = 0; i < member->item_count; i++)
		size += member->items[i].size + 1;
	char *joined = pool_alloc(pool, size), *end = joined;
	for (size_t i = 0; i < member->item_count; i++) {
		if (i > 0)
			*end++ = ',';
		memcpy(end, member->items[i].data, member->items[i].size);
		end += member->items[i].size;
	}
	return (struct slice){ joined, (size_t)(end - joined) };
}

/* The same of a member that may be an array: a list with commas. */
static bool
list_of(struct manage_request *request, const struct member *member, struct slice *text)
{
	if (member->type != MEMBER_ARRAY)
		return text_of(request, member, text);
	for (size_t i = 0; i < member->item_count; i++)
		if (member->items[i].size == 0 || slice_find(member->items[i], ',') < member->items[i].size)
			return fail_member(request, member->name, "items that are not empty and have no commas");
	/* an empty text means all campaigns, which an empty array must not mean */
	if (member->item_count == 0 && slice_equal(member->name, SLICE("campaigns")))
		return fail_member(request, member->name, "an array that is not empty, or null: all campaigns");
	*text = join(request->http->pool, member);
	return check_text(request, member->name, *text);
}

/* ---- operands ---- */

static void
add_operand(struct manage_request *request, struct slice text)
{
	struct admin_call *call = &request->call;
	call->operands[call->operand_count++] = pool_string(call->pool, text);
}

static bool
find_option(struct manage_request *request, struct slice member, enum admin_option *option)
{
	const enum admin_option *options = request->command->options;
	for (; options != NULL && *options != ADMIN_OPTIONS; options++)
		if (slice_equal(admin_member_name(request->http->pool, admin_option_name(*options)), member)) {
			*option = *options;
			return true;
		}
	return false;
}

/* The path has the first operand, if that is an id, and then options, such as the social id of a lead, or further operands. */
static bool
read_path(struct manage_request *request)
{
	struct admin_call *call = &request->call;
	for (size_t i = 0; i < request->path_count; i++) {
		const struct path_parameter *parameter = &request->path[i];
		enum admin_option option;
		if (!utf8_valid(parameter->text) || slice_has_control(parameter->text))
			return request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such path");
		if ((i > 0 || admin_subject(call->command) == NULL) && find_option(request, parameter->name, &option))
			call->options[option] = pool_string(call->pool, parameter->text);
		else
			add_operand(request, parameter->text);
	}
	return true;
}

static bool
read_several(struct manage_request *request, struct slice name, struct member *member)
{
	if (member->type != MEMBER_ARRAY)
		return fail_member(request, name, "an array");
	for (size_t i = 0; i < member->item_count; i++) {
		if (!check_text(request, name, member->items[i]) || !request_sees(request, name, member->items[i]))
			return false;
		add_operand(request, member->items[i]);
	}
	return true;
}

/* One field of the table. A missing one is reported after all, with the number of operands. */
static bool
read_field(struct manage_request *request, struct members *members, struct slice name)
{
	const bool several = name.size > 3 && slice_equal(slice_sub(name, name.size - 3, name.size), SLICE("..."));
	struct slice text;
	if (several)
		name.size -= 3;
	struct member *member = members_take(members, name);
	if (member == NULL || member->type == MEMBER_NULL) {
		if (!slice_present(request->missing))
			request->missing = name;
		return true;
	}
	if (several)
		return read_several(request, name, member);
	if (!text_of(request, member, &text) || !request_sees(request, name, text))
		return false;
	add_operand(request, text);
	return true;
}

static const struct slice any_member = SLICE("*");

static bool
takes_any(const struct admin_command *command)
{
	return command->fields != NULL && slice_ends_with(slice_of(command->fields), any_member);
}

static bool
read_fields(struct manage_request *request, struct members *members)
{
	struct slice rest = slice_of(request->command->fields), name;
	while (slice_next(&rest, ' ', &name))
		if (name.size > 0 && !slice_equal(name, any_member) && !read_field(request, members, name))
			return false;
	return true;
}

/* ---- options ---- */

/* {"COLUMN": "FIELD", …} */
static bool
read_pairs(struct manage_request *request, const struct member *member, enum admin_option option)
{
	struct admin_call *call = &request->call;
	if (member->type != MEMBER_OBJECT)
		return fail_member(request, member->name, "an object of texts");
	for (size_t i = 0; i < member->item_count; i++) {
		const struct slice pair = POOL_JOIN(call->pool, member->names[i], SLICE("="), member->items[i]);
		if (!check_text(request, member->name, pair))
			return false;
		call->options[option] = pool_string(call->pool, pair);
		(void)admin_add_text(call, option, call->options[option]);
	}
	return true;
}

static bool
read_switch(struct manage_request *request, const struct member *member, enum admin_option option)
{
	if (member->type != MEMBER_BOOLEAN && !slice_equal(member->text, SLICE("true")) &&
	    !slice_equal(member->text, SLICE("false")))
		return fail_member(request, member->name, "true or false");
	if (slice_equal(member->text, SLICE("true")))
		request->call.options[option] = "";
	return true;
}

/* A list is what a responder can answer within its time; a queued job may be about more, and so may a count. */
static bool
check_limit(struct manage_request *request, struct slice text)
{
	uint64_t limit;
	return (slice_to_u64(text, VALUE_LIMIT_REMOTE, &limit) && limit > 0) ||
	       fail_member(request, SLICE("limit"), "a number from 1 to 250");
}

static bool
read_option(struct manage_request *request, const struct member *member, enum admin_option option)
{
	struct slice text;
	if (member->type == MEMBER_NULL)
		return true;
	if (admin_is_repeated(option))
		return read_pairs(request, member, option);
	if ((option == OPTION_ID || option == OPTION_ADDRESS) && !caller_is_operator(&request->caller))
		return request_fail_status(request, 403, "operator_only",
		    pool_printf(request->call.pool, "only an operator may choose the %s", admin_option_name(option)));
	if (admin_option_value(option) == NULL)
		return read_switch(request, member, option);
	const bool is_list = strcmp(admin_option_value(option), "LIST") == 0;
	if (!(is_list ? list_of(request, member, &text) : text_of(request, member, &text)) ||
	    !request_sees(request, member->name, text) ||
	    (option == OPTION_LIMIT && request->command->shape == OUTPUT_ARRAY && !check_limit(request, text)))
		return false;
	request->call.options[option] = pool_string(request->call.pool, text);
	return true;
}

static bool
read_options(struct manage_request *request, struct members *members)
{
	for (unsigned i = 0; i < ADMIN_OPTIONS; i++) {
		const enum admin_option option = (enum admin_option)i;
		if (!is_remote_option(request, option) || request->call.options[option] != NULL)
			continue;
		const struct member *member =
		    members_take(members, admin_member_name(request->call.pool, admin_option_name(option)));
		if (member != NULL && !read_option(request, member, option))
			return false;
	}
	return true;
}

/* ---- settings ---- */

static bool
is_setting(const struct admin_command *command, struct slice name)
{
	if (takes_any(command))
		return name.size > 0 && slice_find(name, '=') == name.size;
	for (size_t i = 0; command->settings != NULL && i < command->settings->count; i++)
		if (slice_equal(name, slice_of(command->settings->rows[i].name)))
			return true;
	return false;
}

/* The rest are settings, or unknown. */
static bool
read_settings(struct manage_request *request, struct members *members)
{
	struct slice text;
	for (size_t i = 0; i < members->count; i++) {
		const struct member *member = &members->list[i];
		if (member->taken)
			continue;
		if (!is_setting(request->command, member->name))
			return request_fail(request, PROBLEM_UNKNOWN_FIELD, pointer_to(request, member->name),
			    "there is no field %.*s", SLICE_ARGS(member->name));
		if (!(request->command->settings == NULL ? text_of(request, member, &text) : list_of(request, member, &text)))
			return false;
		add_operand(request, POOL_JOIN(request->call.pool, member->name, SLICE("="), text));
	}
	return true;
}

/* ---- all ---- */

static bool
fail_missing(struct manage_request *request, struct slice name)
{
	return request_fail(
	    request, PROBLEM_USAGE, POOL_JOIN(request->http->pool, SLICE("/"), name), "%.*s is missing", SLICE_ARGS(name));
}

static bool
fits(struct manage_request *request)
{
	const struct admin_call *call = &request->call;
	const struct admin_command *command = call->command;
	for (const enum admin_option *option = command->required; option != NULL && *option != ADMIN_OPTIONS; option++)
		if (call->options[*option] == NULL)
			return fail_missing(request, admin_member_name(call->pool, admin_option_name(*option)));
	/* "NAME=VALUE" would take the place of a missing field */
	const bool is_whole = !takes_any(command) || !slice_present(request->missing);
	if (is_whole && call->operand_count >= command->minimum && call->operand_count <= command->maximum)
		return true;
	if (slice_present(request->missing))
		return fail_missing(request, request->missing);
	if (command->fields == NULL || takes_any(command))
		return request_fail(request, PROBLEM_USAGE, SLICE_NONE, "there is no field to change");
	return request_fail(request, PROBLEM_USAGE, SLICE_NONE, "there are too few or too many items");
}

bool
request_read_arguments(struct manage_request *request)
{
	struct members members = { .count = 0 };
	struct admin_call *call = &request->call;
	const bool in_query = call->command->method == ADMIN_GET || call->command->method == ADMIN_DELETE;
	if (!(in_query ? request_read_query(request, &members) : request_read_body(request, &members)))
		return false;
	call->operands = POOL_ARRAY(call->pool, request->path_count + members_size(&members) + 1, const char *);
	call->options[OPTION_JSON] = "";
	return read_path(request) && read_fields(request, &members) && read_options(request, &members) &&
	       read_settings(request, &members) && fits(request);
}
