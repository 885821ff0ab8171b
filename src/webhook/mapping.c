/* SPDX-License-Identifier: MIT */
#include "webhook/mapping.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

/* Far longer than the names of custom fields. */
enum { LEAF_NAME_MAX_BYTES = 256 };

/* Parameters that are not the payload's to choose: the caller and the campaign. */
static const struct slice never[] = { SLICE("action"), SLICE("altcha"), SLICE("api_key"), SLICE("campaign_id"),
	SLICE("campaignid"), SLICE("controller"), SLICE("ip_address"), SLICE("jsonp"), SLICE("kolid"), SLICE("landing_page_id"),
	SLICE("list_id"), SLICE("skip_ar") };
/* The names with an underscore that a sign-up reads; all others it would drop. */
static const struct slice internal[] = { SLICE("__do_not_reset_opt_out"), SLICE("__kid"), SLICE("__ref"), SLICE("__referrer"),
	SLICE("__rid"), SLICE("__session_id"), SLICE("__sid"), SLICE("__source"), MAPPING_TEXT, SLICE("__uid"), SLICE("__url"),
	SLICE("__user_agent") };
/* The others, which are written in lower case. */
static const struct slice plain[] = { SLICE("country_code"), SLICE("email"), SLICE("ip"), SLICE("kid"), SLICE("must_exist"),
	SLICE("phone_number"), SLICE("points"), SLICE("redirect_url"), SLICE("referrer"), SLICE("social_id") };
/* What decides about the lead, or says where it comes from, is taken only where a rule names it. */
static const struct slice only_mapped[] = { SLICE("must_exist"), SLICE("points"), SLICE("redirect_url"), SLICE("ip"),
	SLICE("social_id"), SLICE("__source"), MAPPING_TEXT };
/* Objects that other systems wrap a contact in. */
static const struct slice wrappers[] = { SLICE("data"), SLICE("lead"), SLICE("customer"), SLICE("contact"), SLICE("payload") };

/* Names that are recognized without a rule, in any case, and the parameter that each is. */
static const struct {
	struct slice name, target;
	bool identifies;
} obvious[] = {
	{ SLICE("email"), SLICE("email"), true },
	{ SLICE("phone_number"), SLICE("phone_number"), true },
	{ SLICE("phone"), SLICE("phone_number"), true },
	{ SLICE("country_code"), SLICE("country_code"), false },
	{ SLICE("first_name"), SLICE("first_name"), false },
	{ SLICE("last_name"), SLICE("last_name"), false },
	{ SLICE("name"), SLICE("name"), false },
};

#define EVERYTHING SLICE("*")

static bool
is_one_of_nocase(struct slice name, const struct slice *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal_nocase(name, items[i]))
			return true;
	return false;
}

static bool
is_known_target(struct slice target)
{
	if (slice_starts_with(target, SLICE("_")))
		return slice_is_one_of(target, internal, ARRAY_SIZE(internal));
	return !is_one_of_nocase(target, never, ARRAY_SIZE(never));
}

static bool
is_path(struct slice path)
{
	struct slice part;
	size_t parts = 0;
	while (document_next_part(&path, &part))
		parts++;
	return path.size == 0 && parts > 0 && parts <= DOCUMENT_PARTS_MAX;
}

const char *
mapping_check(struct slice target, struct slice path)
{
	if (target.size == 0 || target.size > MAPPING_TARGET_MAX_BYTES || !utf8_valid(target) || utf8_has_control(target))
		return "must be a name of 1 to 64 bytes";
	if (!is_known_target(target))
		return "is not a parameter of a sign-up that can be mapped";
	if (is_one_of_nocase(target, plain, ARRAY_SIZE(plain)) && !slice_is_one_of(target, plain, ARRAY_SIZE(plain)))
		return "must be written in lower case";
	if (slice_equal(path, EVERYTHING))
		return slice_equal(target, EVERYTHING) ? NULL : "cannot be the whole payload";
	if (path.size > MAPPING_PATH_MAX_BYTES || !utf8_valid(path) || utf8_has_control(path) || !is_path(path))
		return "must be a path such as data.customer.email, of at most 255 bytes and 16 parts";
	return NULL;
}

bool
mapping_add(struct pool *pool, struct payload_map *mapping, struct slice target, struct slice path)
{
	if (mapping->rules == NULL)
		mapping->rules = POOL_ARRAY(pool, MAPPING_RULES_MAX, struct mapping_rule);
	for (size_t i = 0; i < mapping->count; i++) {
		if (slice_equal(mapping->rules[i].target, target)) {
			mapping->rules[i].path = path;
			return true;
		}
	}
	if (mapping->count == MAPPING_RULES_MAX)
		return false;
	mapping->rules[mapping->count++] = (struct mapping_rule){ target, path };
	return true;
}

struct slice
mapping_write(struct pool *pool, const struct payload_map *mapping)
{
	enum { ESCAPED = 6, MARKS = 6 }; /* bytes of an escape, and of quotes, colon and comma */
	struct buffer out;
	struct json_writer writer;
	if (mapping->count == 0)
		return SLICE_NONE;
	buffer_init(&out, MAPPING_RULES_MAX * (ESCAPED * (MAPPING_TARGET_MAX_BYTES + MAPPING_PATH_MAX_BYTES) + MARKS));
	json_writer_init(&writer, &out);
	json_begin_object(&writer);
	for (size_t i = 0; i < mapping->count; i++) {
		json_key(&writer, mapping->rules[i].target);
		json_string(&writer, mapping->rules[i].path);
	}
	json_end_object(&writer);
	const struct slice text = pool_copy(pool, buffer_slice(&out));
	buffer_free(&out);
	return text;
}

bool
mapping_parse(struct pool *pool, struct slice text, struct payload_map *mapping)
{
	struct document_node *root;
	struct slice problem;
	*mapping = (struct payload_map){ .count = 0 };
	if (!slice_present(text))
		return true;
	if (!document_read_json(pool, text, 1, &root, &problem) || root->type != DOCUMENT_OBJECT)
		return false;
	for (const struct document_node *rule = root->first; rule != NULL; rule = rule->next)
		if (rule->type != DOCUMENT_STRING || mapping_check(rule->name, rule->text) != NULL ||
		    !mapping_add(pool, mapping, rule->name, rule->text))
			return false;
	return true;
}

/* ---- Application ---- */

struct result_list {
	struct pool *pool;
	struct mapped_field *fields;
	size_t count, capacity;
	size_t fixed; /* the first ones, which optional ones do not replace */
};

static void
add(struct result_list *list, struct mapped_field field)
{
	if (list->count == MAPPING_FIELDS_MAX)
		return;
	for (size_t i = 0; i < list->fixed; i++) /* `Plan` and `plan` are one custom field */
		if (slice_equal_nocase(list->fields[i].target, field.target))
			return;
	list->fields = pool_grow(list->pool, list->fields, list->count, &list->capacity, sizeof(*list->fields));
	list->fields[list->count++] = field;
	if (!field.optional)
		list->fixed = list->count;
}

/* The name of a leaf as it is made. */
struct leaf_name {
	char text[LEAF_NAME_MAX_BYTES];
	size_t size;
};

/* Returns false, with the name unchanged, when it would be longer than any that is accepted. */
static bool
extend(struct leaf_name *name, struct slice open, struct slice part, struct slice close)
{
	const struct slice pieces[] = { open, part, close };
	if (part.size > sizeof(name->text) - name->size || open.size + part.size + close.size > sizeof(name->text) - name->size)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); name->size += pieces[i++].size)
		if (pieces[i].size > 0)
			memcpy(name->text + name->size, pieces[i].data, pieces[i].size);
	return true;
}

/* The depth is that of the document. Only the name of a leaf is copied: a payload may have one long name, and many containers
 * within. */
static void
add_leaves(struct result_list *list, struct mapped_field field, struct leaf_name *name)
{
	const struct document_node *node = field.value;
	if (document_is_plain(node)) {
		field.target = pool_copy(list->pool, (struct slice){ name->text, name->size });
		add(list, field);
		return;
	}
	size_t index = 0;
	for (const struct document_node *child = node->first; child != NULL && list->count < MAPPING_FIELDS_MAX;
	     child = child->next, index++) {
		const size_t size = name->size;
		char digits[DECIMAL_SIZE];
		const struct slice part = node->type == DOCUMENT_OBJECT ? child->name : encode_decimal(index, digits);
		if (!extend(name, SLICE("["), part, SLICE("]")))
			continue;
		field.value = child;
		add_leaves(list, field, name);
		name->size = size;
	}
}

/* No rule names the leaves themselves. */
static void
add_leaves_of(struct result_list *list, const struct mapping_rule *rule, const struct document_node *value)
{
	struct leaf_name name = { .size = 0 };
	if (extend(&name, SLICE(""), rule->target, SLICE("")))
		add_leaves(list, (struct mapped_field){ .path = rule->path, .value = value, .optional = true }, &name);
}

static bool
has_value(const struct document_node *node)
{
	return document_is_scalar(node) && node->type != DOCUMENT_NULL &&
	       (node->type != DOCUMENT_STRING || node->text.size > 0);
}

static const struct document_node *
find_obvious(const struct document_node *object, struct slice name)
{
	const struct document_node *found = NULL;
	for (const struct document_node *child = object->first; child != NULL; child = child->next)
		if (slice_equal_nocase(child->name, name) && has_value(child))
			found = child;
	return found;
}

static bool
identifies(const struct document_node *object)
{
	if (object == NULL || object->type != DOCUMENT_OBJECT)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(obvious); i++)
		if (obvious[i].identifies && find_obvious(object, obvious[i].name) != NULL)
			return true;
	return false;
}

/* A list with one entry is that entry. */
static const struct document_node *
only_entry(const struct document_node *root)
{
	return root->type == DOCUMENT_ARRAY && root->count == 1 ? root->first : root;
}

/* The object that has an email address or phone number: the payload, or one level below; NULL: none. */
static const struct document_node *
find_contact(const struct document_node *root)
{
	if (identifies(root))
		return root;
	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++) {
		const struct document_node *inner = root->type == DOCUMENT_OBJECT ? document_child(root, wrappers[i]) : NULL;
		if (identifies(inner))
			return inner;
	}
	return NULL;
}

static void
add_obvious(struct result_list *list, const struct document_node *contact, bool identifiers_only)
{
	for (size_t i = 0; i < ARRAY_SIZE(obvious); i++) {
		const struct document_node *found = find_obvious(contact, obvious[i].name);
		if (found != NULL && (obvious[i].identifies || !identifiers_only))
			add(list, (struct mapped_field){ obvious[i].target, found->name, found, .optional = false });
	}
}

static bool
is_obvious(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(obvious); i++)
		if (slice_equal_nocase(name, obvious[i].name))
			return true;
	return false;
}

/* As a plain sign-up would, without what only a rule may choose. */
static void
add_members(struct result_list *list, const struct document_node *object)
{
	if (object->type != DOCUMENT_OBJECT)
		return;
	for (const struct document_node *child = object->first; child != NULL; child = child->next)
		if (document_is_plain(child) && is_known_target(child->name) && !is_obvious(child->name) &&
		    !is_one_of_nocase(child->name, only_mapped, ARRAY_SIZE(only_mapped)))
			add(list, (struct mapped_field){ child->name, child->name, child, .optional = true });
}

static bool
maps_identifier(const struct payload_map *mapping)
{
	for (size_t i = 0; i < mapping->count; i++)
		if (slice_equal(mapping->rules[i].target, SLICE("email")) ||
		    slice_equal(mapping->rules[i].target, SLICE("phone_number")))
			return true;
	return false;
}

static const struct document_node *
at_path(const struct document_node *root, struct slice path)
{
	return slice_equal(path, EVERYTHING) ? only_entry(root) : document_find(root, path);
}

size_t
mapping_apply(
    struct pool *pool, const struct payload_map *mapping, const struct document_node *root, struct mapped_field **fields)
{
	struct result_list list = { .pool = pool };
	const struct document_node *entry = only_entry(root);
	const struct document_node *contact = maps_identifier(mapping) ? NULL : find_contact(entry);
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mapping_rule *rule = &mapping->rules[i];
		const struct document_node *value = at_path(root, rule->path);
		if (value != NULL && document_is_plain(value) && !slice_equal(rule->target, EVERYTHING))
			add(&list, (struct mapped_field){ rule->target, rule->path, value, .optional = false });
	}
	if (contact != NULL)
		add_obvious(&list, contact, mapping->count > 0);
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mapping_rule *rule = &mapping->rules[i];
		const struct document_node *value = at_path(root, rule->path);
		if (value != NULL && slice_equal(rule->target, EVERYTHING))
			add_members(&list, value);
		else if (value != NULL && !document_is_plain(value))
			add_leaves_of(&list, rule, value);
	}
	if (mapping->count == 0)
		add_members(&list, entry);
	*fields = list.fields;
	return list.count;
}
