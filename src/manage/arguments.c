/* SPDX-License-Identifier: MIT
 * The operation of a method and a path, and its arguments: from the path, and from the query (GET, DELETE) or a JSON object
 * (POST, PATCH), as docs/manage.md 1.1 says. */
#include "manage/arguments.h"

#include "admin/operations.h"
#include "base/utf8.h"
#include "manage/access.h"
#include "manage/members.h"
#include "operation/value_types.h"

enum { LINE_FEED = '\n', TAB = '\t', RETURN = '\r' };

/* ---- the operation ---- */

/* The segments before those of the table: "manage" and the version. */
enum { PREFIX_SEGMENTS = 2 };

/* Whether the request has this path below /manage/v1; sets the path parameters. */
static bool
path_fits(struct manage_request *request, const char *path)
{
	struct slice rest = slice_of(path), part;
	size_t i = PREFIX_SEGMENTS;
	request->path_count = 0;
	if (request->http->segment_count < i || !slice_equal(request->http->segments[1], SLICE("v1")))
		return false;
	for (; slice_next(&rest, '/', &part); i++) {
		if (i >= request->http->segment_count)
			return false;
		const struct slice segment = request->http->segments[i];
		if (!slice_starts_with(part, SLICE("{")) && !slice_equal(part, segment))
			return false;
		if (slice_starts_with(part, SLICE("{")))
			request->path[request->path_count++] =
			    (struct path_parameter){ slice_sub(part, 1, part.size - 1), segment };
	}
	return i == request->http->segment_count;
}

static const struct operation *
find(struct manage_request *request, enum operation_method method)
{
	for (size_t i = 0; admin_operations[i] != NULL; i++)
		if (admin_operations[i]->method == method && path_fits(request, admin_operations[i]->path))
			return admin_operations[i];
	return NULL;
}

/* METHOD_NONE if no operation has this method. */
static enum operation_method
method_of(enum http_method method)
{
	static const enum operation_method methods[] = { [HTTP_GET] = METHOD_GET,
		[HTTP_HEAD] = METHOD_GET,
		[HTTP_POST] = METHOD_POST,
		[HTTP_PATCH] = METHOD_PATCH,
		[HTTP_DELETE] = METHOD_DELETE };
	return method < ARRAY_SIZE(methods) ? methods[method] : METHOD_NONE;
}

/* Answers that the path is not in the table, or not with this method. */
static bool
fail_path(struct manage_request *request)
{
	unsigned allowed = 0;
	for (unsigned i = HTTP_GET; i <= HTTP_DELETE; i++)
		if (find(request, method_of((enum http_method)i)) != NULL)
			allowed |= METHOD_BIT(i);
	return allowed != 0 ? request_fail_method(request, allowed)
			    : request_fail_status(request, 404, "not_found", SLICE("there is no such path"));
}

bool
request_find_operation(struct manage_request *request)
{
	const enum operation_method method = method_of(request->http->method);
	request->operation = method == METHOD_NONE ? NULL : find(request, method);
	return request->operation != NULL || fail_path(request);
}

/* ---- one value ---- */

static struct slice
pointer_to(struct manage_request *request, struct slice name)
{
	return pool_printf(request->http->pool, "/%.*s", SLICE_ARGS(name));
}

static bool
fail_member(struct manage_request *request, struct slice name, const char *expected)
{
	return request_fail(
	    request, PROBLEM_INVALID, pointer_to(request, name), "%.*s: expected %s", SLICE_ARGS(name), expected);
}

/* Checks a text as arguments of the command line are checked; some types allow line ends and tabs. */
static bool
check_text(struct manage_request *request, struct slice name, struct slice text, const struct value_type *type)
{
	for (size_t i = 0; i < text.size; i++) {
		const unsigned char c = (unsigned char)text.data[i];
		if ((c >= ' ' && c != 0x7f) || (type->has_lines && (c == LINE_FEED || c == TAB || c == RETURN)))
			continue;
		return request_fail(request, PROBLEM_INVALID, pointer_to(request, name), "control characters are not allowed");
	}
	return true;
}

static bool
text_of(struct manage_request *request, const struct member *member, const struct value_type *type, struct slice *text)
{
	*text = member->text;
	if (member->type == MEMBER_OBJECT || member->type == MEMBER_ARRAY)
		return fail_member(request, member->name, "a text, a number, a boolean or null");
	return check_text(request, member->name, *text, type);
}

/* The text of a member; an array becomes a list with commas. */
static bool
list_of(struct manage_request *request, const struct member *member, const struct value_type *type, struct slice *text)
{
	if (type->form != VALUE_LIST || member->type != MEMBER_ARRAY)
		return text_of(request, member, type, text);
	for (size_t i = 0; i < member->item_count; i++)
		if (member->items[i].size == 0 || slice_find(member->items[i], ',') < member->items[i].size)
			return fail_member(request, member->name, "items that are not empty and have no commas");
	if (member->item_count == 0 && type->empty_array != NULL)
		return fail_member(request, member->name, type->empty_array);
	*text = pool_join_with(request->http->pool, SLICE(","), member->items, member->item_count);
	return check_text(request, member->name, *text, type);
}

/* If the parameter takes ids, whether the caller may know of their objects. Other values are not checked here. */
static bool
sees_all(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	const struct value_type *type = parameter->type;
	struct owner owner = { 0 };
	const bool is_list = member->type == MEMBER_ARRAY;
	if (type->noun == NULL || member->type == MEMBER_OBJECT || is_list != (type->form == VALUE_EACH))
		return true;
	if (!is_list)
		return request_sees(request, member->name, type->kind, member->text, &owner);
	for (size_t i = 0; i < member->item_count; i++)
		if (!request_sees(request, slice_of(type->noun), type->kind, member->items[i], &owner))
			return false;
	return true;
}

static bool
take_text(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	struct slice text;
	return list_of(request, member, parameter->type, &text) && parameter_take(&request->call, parameter, text);
}

static bool
take_switch(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	const bool on = slice_equal(member->text, SLICE("true"));
	if (member->type != MEMBER_BOOLEAN && !on && !slice_equal(member->text, SLICE("false")))
		return fail_member(request, member->name, "true or false");
	return !on || parameter_take(&request->call, parameter, member->text);
}

static bool
take_each(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	if (member->type != MEMBER_ARRAY)
		return fail_member(request, member->name, "an array");
	if (member->item_count == 0)
		return request_fail(request, PROBLEM_USAGE, SLICE_NONE, "there are too few or too many items");
	for (size_t i = 0; i < member->item_count; i++) {
		const struct slice item = member->items[i];
		if (!check_text(request, member->name, item, parameter->type) ||
		    !parameter_take(&request->call, parameter, item))
			return false;
	}
	return true;
}

/* {"COLUMN": "FIELD", …} */
static bool
take_pairs(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	if (member->type != MEMBER_OBJECT)
		return fail_member(request, member->name, "an object of texts");
	for (size_t i = 0; i < member->item_count; i++) {
		if (!check_text(request, member->name, member->names[i], parameter->type) ||
		    !check_text(request, member->name, member->items[i], parameter->type))
			return false;
		if (!parameter_take_pair(&request->call, parameter, member->names[i], member->items[i]))
			return false;
	}
	return true;
}

static bool
take_member(struct manage_request *request, const struct parameter *parameter, const struct member *member)
{
	if ((parameter->flags & PARAMETER_OPERATOR) != 0 && !caller_is_operator(&request->caller))
		return request_fail_status(request, 403, "operator_only",
		    pool_printf(request->call.pool, "only an operator may choose the %s", parameter->name));
	switch (parameter->type->form) {
	case VALUE_SWITCH:
		return take_switch(request, parameter, member);
	case VALUE_EACH:
		return take_each(request, parameter, member);
	case VALUE_PAIRS:
		return take_pairs(request, parameter, member);
	case VALUE_TEXT:
	case VALUE_LIST:
	case VALUE_FIELDS:
		break;
	}
	return take_text(request, parameter, member);
}

/* ---- the path ---- */

static bool
take_subject(struct manage_request *request, struct slice text)
{
	struct operation_call *call = &request->call;
	const struct subject *subject = request->operation->subject;
	call->has_owner =
	    request_sees(request, slice_of(subject->name), subject->kind, text, &call->owner) && value_is_id(text, &call->id);
	return call->has_owner;
}

/* Each object in a path belongs to the object before it. */
static bool
take_path_parameter(struct manage_request *request, const struct path_parameter *in_path)
{
	struct operation_call *call = &request->call;
	const struct subject *subject = request->operation->subject;
	if (!utf8_valid(in_path->text) || slice_has_control(in_path->text))
		return request_fail(request, PROBLEM_NOT_FOUND, SLICE_NONE, "there is no such path");
	if (subject != NULL && slice_equal(in_path->name, slice_of(subject->name)))
		return take_subject(request, in_path->text);
	const struct parameter *parameter = parameter_find(call, in_path->name);
	if (parameter->type->noun != NULL) {
		call->has_owner = request_sees(request, in_path->name, parameter->type->kind, in_path->text, &call->owner);
		if (!call->has_owner)
			return false;
	}
	return parameter_take(call, parameter, in_path->text);
}

bool
request_read_path(struct manage_request *request)
{
	parameters_begin(&request->call);
	for (size_t i = 0; i < request->path_count; i++)
		if (!take_path_parameter(request, &request->path[i]))
			return false;
	return true;
}

/* ---- query and body ---- */

static bool
is_in_path(const struct manage_request *request, const char *name)
{
	for (size_t i = 0; i < request->path_count; i++)
		if (slice_equal(request->path[i].name, slice_of(name)))
			return true;
	return false;
}

/* Whether the parameter or an alternative to it is in the path: a lead that the path names cannot be named in another way. */
static bool
is_settled(const struct manage_request *request, const struct parameter *parameter)
{
	const struct operation *operation = request->operation;
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (operation->parameters[i].place == parameter->place && is_in_path(request, operation->parameters[i].name))
			return true;
	return false;
}

static bool
is_member(const struct manage_request *request, const struct parameter *parameter)
{
	const enum value_form form = parameter->type->form;
	return form != VALUE_FIELDS && !parameter->type->is_file && (parameter->flags & PARAMETER_SHELL) == 0 &&
	       !is_settled(request, parameter);
}

/* The parameter that takes all members without a parameter of their own; NULL if there is none. */
static const struct parameter *
fields_of(const struct operation *operation)
{
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (operation->parameters[i].type->form == VALUE_FIELDS)
			return &operation->parameters[i];
	return NULL;
}

/* Whether a member without a parameter of its own can be a setting or a field. */
static bool
belongs_to_rest(const struct operation *operation, struct slice name)
{
	if (operation->settings != NULL)
		return settings_find(operation->settings, name) != NULL;
	return fields_of(operation) != NULL && name.size > 0 && slice_find(name, '=') == name.size;
}

static bool
requires_rest(const struct operation *operation)
{
	const struct parameter *fields = fields_of(operation);
	return operation->settings != NULL ? !operation->settings_are_optional
					   : fields != NULL && (fields->flags & PARAMETER_REQUIRED) != 0;
}

static bool
fail_missing(struct manage_request *request, const char *name)
{
	return request_fail(request, PROBLEM_USAGE, pointer_to(request, slice_of(name)), "%s is missing", name);
}

/* Finds the member of each parameter; NULL if it is missing or null. Returns false after answering that a member names an
 * object that the caller may not know of. */
static bool
match(struct manage_request *request, struct members *members, const struct member **matched)
{
	const struct operation *operation = request->operation;
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct parameter *parameter = &operation->parameters[i];
		if (!is_member(request, parameter))
			continue;
		const struct member *member = members_take(members, slice_of(parameter->name));
		matched[i] = member != NULL && member->type != MEMBER_NULL ? member : NULL;
		if (matched[i] != NULL && !sees_all(request, parameter, member))
			return false;
	}
	return true;
}

/* Whether all required members are present, and no unknown ones. */
static bool
is_complete(struct manage_request *request, const struct members *members, const struct member *const *matched)
{
	const struct operation *operation = request->operation;
	bool has_rest = false;
	for (size_t i = 0; i < members->count; i++) {
		const struct slice name = members->list[i].name;
		if (members->list[i].taken)
			continue;
		if (!belongs_to_rest(operation, name))
			return request_fail(request, PROBLEM_UNKNOWN_FIELD, pointer_to(request, name), "there is no field %.*s",
			    SLICE_ARGS(name));
		has_rest = true;
	}
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (matched[i] == NULL && is_member(request, &operation->parameters[i]) &&
		    (operation->parameters[i].flags & PARAMETER_REQUIRED) != 0)
			return fail_missing(request, operation->parameters[i].name);
	return has_rest || !requires_rest(operation) ||
	       request_fail(request, PROBLEM_USAGE, SLICE_NONE, "there is no field to change");
}

static bool
take_rest(struct manage_request *request, const struct members *members)
{
	const struct settings_table *settings = request->operation->settings;
	const struct parameter *fields = fields_of(request->operation);
	struct operation_call *call = &request->call;
	for (size_t i = 0; i < members->count; i++) {
		const struct member *member = &members->list[i];
		struct slice text;
		if (member->taken)
			continue;
		const struct parameter *row = settings != NULL ? settings_find(settings, member->name) : fields;
		if (!list_of(request, member, row->type, &text))
			return false;
		if (!(settings != NULL ? settings_set(call, member->name, text)
				       : parameter_take_pair(call, fields, member->name, text)))
			return false;
	}
	return true;
}

/* An optional subject may be given as a member, such as the account of a list. */
static bool
take_optional_subject(struct manage_request *request, struct members *members)
{
	const struct subject *subject = request->operation->subject;
	struct slice text;
	if (subject == NULL || is_in_path(request, subject->name))
		return true;
	const struct member *member = members_take(members, slice_of(subject->name));
	return member == NULL || member->type == MEMBER_NULL ||
	       (text_of(request, member, &value_text, &text) && take_subject(request, text));
}

bool
request_read_members(struct manage_request *request)
{
	struct members members = { .count = 0 };
	const struct operation *operation = request->operation;
	const bool in_query = operation->method == METHOD_GET || operation->method == METHOD_DELETE;
	const struct member **matched = POOL_ARRAY(request->call.pool, operation->parameter_count + 1, const struct member *);
	if (!(in_query ? request_read_query(request, &members) : request_read_body(request, &members)) ||
	    !take_optional_subject(request, &members) || !match(request, &members, matched) ||
	    !is_complete(request, &members, matched))
		return false;
	for (size_t i = 0; i < operation->parameter_count; i++)
		if (matched[i] != NULL && !take_member(request, &operation->parameters[i], matched[i]))
			return false;
	return take_rest(request, &members);
}
