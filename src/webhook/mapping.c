/* SPDX-License-Identifier: MIT */
#include "webhook/mapping.h"

#include <string.h>

#include "base/encode.h"
#include "base/utf8.h"

/* Far longer than the names of custom fields. */
enum { LEAF_NAME_MAX_BYTES = 256 };

/* Parameters that a payload may not choose, such as those that identify the caller and the campaign. */
static const struct slice never[] = { SLICE("action"), SLICE("altcha"), SLICE("api_key"), SLICE("campaign_id"),
	SLICE("campaignid"), SLICE("controller"), SLICE("ip_address"), SLICE("jsonp"), SLICE("kolid"), SLICE("landing_page_id"),
	SLICE("list_id"), SLICE("skip_ar") };
/* The names with an underscore that a sign-up reads; it would ignore all others. */
static const struct slice internal[] = { SLICE("__do_not_reset_opt_out"), SLICE("__kid"), SLICE("__language"), SLICE("__ref"),
	SLICE("__referrer"), MAPPING_OPT_OUT, MAPPING_RESET, SLICE("__rid"), SLICE("__session_id"), SLICE("__sid"),
	SLICE("__source"), SLICE("__strict"), MAPPING_TEXT, SLICE("__uid"), SLICE("__url"), SLICE("__user_agent") };
/* The other parameters of a sign-up, which are written in lower case. */
static const struct slice plain[] = { SLICE("country_code"), SLICE("email"), SLICE("ip"), SLICE("kid"), SLICE("must_exist"),
	SLICE("phone_number"), SLICE("points"), SLICE("redirect_url"), SLICE("referrer"), SLICE("social_id") };
/* Parameters that decide about the lead, or state where it comes from: they are used only if a rule names them. */
static const struct slice only_mapped[] = { SLICE("must_exist"), SLICE("points"), SLICE("redirect_url"), SLICE("ip"),
	SLICE("social_id"), SLICE("__source"), SLICE("__strict"), MAPPING_OPT_OUT, MAPPING_RESET, MAPPING_TEXT };
/* Targets that cannot be constant: otherwise every payload would be about the same person. */
static const struct slice never_constant[] = { SLICE("email"), SLICE("phone_number"), MAPPING_TEXT, SLICE("*") };
/* Objects in which other systems wrap a contact. */
static const struct slice wrappers[] = { SLICE("data"), SLICE("lead"), SLICE("customer"), SLICE("contact"), SLICE("payload"),
	SLICE("body"), SLICE("fields"), SLICE("subscriber"), SLICE("person") };

/* Names that are recognized without a rule, in upper or lower case and with any separators, and the parameter that each stands
 * for. */
static const struct {
	struct slice name, target;
	bool identifies;
} obvious[] = {
	{ SLICE("email"), SLICE("email"), true },
	{ SLICE("emailaddress"), SLICE("email"), true },
	{ SLICE("youremail"), SLICE("email"), true },
	{ SLICE("phonenumber"), SLICE("phone_number"), true },
	{ SLICE("phone"), SLICE("phone_number"), true },
	{ SLICE("countrycode"), SLICE("country_code"), false },
	{ SLICE("firstname"), SLICE("first_name"), false },
	{ SLICE("lastname"), SLICE("last_name"), false },
	{ SLICE("name"), SLICE("name"), false },
	{ SLICE("fullname"), SLICE("name"), false },
	{ SLICE("yourname"), SLICE("name"), false },
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

/* `"DE"` is a text that is the same for every payload. A name with quotes is written `["DE"]`. */
static bool
is_constant(struct slice path)
{
	return path.size > 2 && path.data[0] == '"' && path.data[path.size - 1] == '"';
}

static bool
is_path(struct slice path)
{
	struct path_part part;
	size_t parts = 0, lists = 0;
	for (; document_next_part(&path, &part); parts++) {
		lists += part.kind == PATH_EACH;
		if (part.kind == PATH_SELECTION && !is_path(part.name))
			return false;
	}
	return path.size == 0 && parts > 0 && parts <= DOCUMENT_PARTS_MAX && lists <= 1;
}

/* Splits a path at its `[]` into the path of the list and the path of a value in each entry. Returns false if there is no `[]`.
 */
static bool
split_at_list(struct slice path, struct slice *list, struct slice *value)
{
	struct path_part part;
	*value = path;
	while (document_next_part(value, &part)) {
		if (part.kind != PATH_EACH)
			continue;
		*list = slice_sub(path, 0, (size_t)(part.text.data - 1 - path.data));
		if (slice_ends_with(*list, SLICE(".")))
			*list = slice_sub(*list, 0, list->size - 1);
		return true;
	}
	return false;
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
	if (is_constant(path) && slice_is_one_of(target, never_constant, ARRAY_SIZE(never_constant)))
		return "cannot be the same in every payload";
	if (path.size > MAPPING_PATH_MAX_BYTES || !utf8_valid(path) || utf8_has_control(path) ||
	    !(is_constant(path) || is_path(path)))
		return "must be a path such as data.customer.email, of at most 255 bytes and 16 parts, with [] once at "
		       "most, or a text in double quotes";
	return NULL;
}

/* Whether a rule of the map goes through a different list than this path: leads are made from the entries of one list only. */
static bool
has_other_list(const struct payload_map *mapping, struct slice path)
{
	struct slice list, other, value;
	if (!split_at_list(path, &list, &value))
		return false;
	for (size_t i = 0; i < mapping->count; i++)
		if (split_at_list(mapping->rules[i].path, &other, &value) && !slice_equal(list, other))
			return true;
	return false;
}

const char *
mapping_add(struct pool *pool, struct payload_map *mapping, struct slice target, struct slice path)
{
	size_t i = 0;
	if (mapping->rules == NULL)
		mapping->rules = POOL_ARRAY(pool, MAPPING_RULES_MAX, struct mapping_rule);
	if (has_other_list(mapping, path))
		return "goes through another list than the paths with [] before it";
	while (i < mapping->count && !slice_equal(mapping->rules[i].target, target))
		i++;
	if (i == MAPPING_RULES_MAX)
		return "is one too many: a map has at most 50 parameters";
	mapping->rules[i] = (struct mapping_rule){ target, path };
	mapping->count += i == mapping->count;
	return NULL;
}

struct slice
mapping_write(struct pool *pool, const struct payload_map *mapping)
{
	enum { ESCAPED = 6, MARKS = 6 }; /* maximum bytes of an escaped character, and of quotes, colon and comma */
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
		    mapping_add(pool, mapping, rule->name, rule->text) != NULL)
			return false;
	return true;
}

/* ---- Application ---- */

struct result_list {
	struct pool *pool;
	struct mapped_field *fields;
	size_t count, capacity;
	size_t fixed; /* how many fields, from the first, are not replaced by optional ones */
};

static void
add(struct result_list *list, struct mapped_field field)
{
	if (list->count == MAPPING_FIELDS_MAX)
		return;
	for (size_t i = 0; i < list->fixed; i++) /* `Plan` and `plan` are the same custom field */
		if (slice_equal_nocase(list->fields[i].target, field.target))
			return;
	*POOL_ADD(list->pool, list->fields, list->count, list->capacity) = field;
	if (!field.optional)
		list->fixed = list->count;
}

/* The name of a leaf while it is being built. */
struct leaf_name {
	char text[LEAF_NAME_MAX_BYTES];
	size_t size;
};

/* Returns false, with the name unchanged, when it would be longer than any accepted name. */
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

/* Recursion is only as deep as the document. Only names of leaves are copied: a payload may have one long name, with many
 * containers below it. */
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

/* Adds the leaves of a value as optional fields, because no rule names them. */
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
	if (node->type == DOCUMENT_ARRAY && node->count == 1)
		node = node->first;
	return document_is_scalar(node) && node->type != DOCUMENT_NULL &&
	       (node->type != DOCUMENT_STRING || node->text.size > 0);
}

/* Whether the name is another spelling of the obvious name, as `First Name` and `first_name` are of `firstname`. */
static bool
is_spelling_of(struct slice name, struct slice obvious_name)
{
	size_t matched = 0;
	for (size_t i = 0; i < name.size; i++) {
		if (name.data[i] == ' ' || name.data[i] == '-' || name.data[i] == '_')
			continue;
		if (matched == obvious_name.size || ascii_lower(name.data[i]) != obvious_name.data[matched++])
			return false;
	}
	return matched == obvious_name.size && !slice_starts_with(name, SLICE("_"));
}

static const struct document_node *
find_obvious(const struct document_node *object, struct slice name)
{
	const struct document_node *found = NULL;
	for (const struct document_node *child = object->first; child != NULL; child = child->next)
		if (is_spelling_of(child->name, name) && has_value(child))
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

/* The object with an email address or phone number: the entry itself, or a wrapper in it; NULL: none. */
static const struct document_node *
find_contact(struct pool *pool, const struct document_node *entry)
{
	if (identifies(entry))
		return entry;
	for (size_t i = 0; i < ARRAY_SIZE(wrappers) && entry->type == DOCUMENT_OBJECT; i++) {
		struct document_node *inner = document_child(entry, wrappers[i]);
		if (inner != NULL && identifies(document_open(pool, inner)))
			return document_open(pool, inner);
	}
	return NULL;
}

/* Which obvious names of a contact are added. */
enum obvious_names { IDENTIFIERS, ALL_NAMES };

static void
add_obvious(struct result_list *list, const struct document_node *contact, enum obvious_names names)
{
	for (size_t i = 0; i < ARRAY_SIZE(obvious) && contact->type == DOCUMENT_OBJECT; i++) {
		const struct document_node *found = find_obvious(contact, obvious[i].name);
		if (found != NULL && (obvious[i].identifies || names == ALL_NAMES))
			add(list, (struct mapped_field){ obvious[i].target, found->name, found, .optional = false });
	}
}

static bool
is_obvious(struct slice name)
{
	for (size_t i = 0; i < ARRAY_SIZE(obvious); i++)
		if (is_spelling_of(name, obvious[i].name))
			return true;
	return false;
}

/* Adds members as a plain sign-up would take them, except for those that only a rule may choose, and the obvious names, which
 * were handled before. */
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
is_identifier(struct slice target)
{
	return slice_equal(target, SLICE("email")) || slice_equal(target, SLICE("phone_number"));
}

static bool
maps_identifier(const struct payload_map *mapping)
{
	for (size_t i = 0; i < mapping->count; i++)
		if (is_identifier(mapping->rules[i].target))
			return true;
	return false;
}

/* ---- Entries ---- */

static bool
is_number(struct slice name)
{
	uint64_t index;
	return slice_to_u64(name, UINT32_MAX, &index);
}

/* True for an array, and for the object that results from form names such as `items[0][email]`. */
static bool
is_list(const struct document_node *node)
{
	if (node->type != DOCUMENT_OBJECT || node->count == 0)
		return node->type == DOCUMENT_ARRAY && node->count > 0;
	for (const struct document_node *child = node->first; child != NULL; child = child->next)
		if (!is_number(child->name))
			return false;
	return true;
}

static bool
has_object(const struct document_node *list)
{
	for (const struct document_node *child = list->first; child != NULL; child = child->next)
		if (child->type == DOCUMENT_OBJECT)
			return true;
	return false;
}

static bool
begins_with_index(const struct payload_map *mapping)
{
	struct path_part part;
	for (size_t i = 0; i < mapping->count; i++) {
		struct slice rest = mapping->rules[i].path;
		if (document_next_part(&rest, &part) && part.kind == PATH_NAME && is_number(part.text))
			return true;
	}
	return false;
}

/* Whether a rule names a list; sets *list to its path. */
static bool
names_list(const struct payload_map *mapping, struct slice *list)
{
	struct slice value;
	for (size_t i = 0; i < mapping->count; i++)
		if (split_at_list(mapping->rules[i].path, list, &value))
			return true;
	return false;
}

struct payload_list
mapping_entries(struct pool *pool, const struct payload_map *mapping, struct document_node *root)
{
	struct slice path;
	const bool named = names_list(mapping, &path);
	struct payload_list payload = { .root = root, .is_named = named };
	struct document_node *list = named ? document_find(pool, root, path) : root, *entry = root;
	if (named && list != NULL)
		list = entry = document_open(pool, list);
	else if (named)
		entry = document_new(pool);
	if (list != NULL &&
	    (named ? is_list(list) : list->type == DOCUMENT_ARRAY && has_object(list) && !begins_with_index(mapping)))
		payload.list = list;
	payload.count = payload.list == NULL ? 1 : list->count;
	payload.entries = POOL_ARRAY(pool, payload.count, struct document_node *);
	payload.entries[0] = entry;
	if (payload.list == NULL)
		return payload;
	size_t i = 0;
	for (struct document_node *child = list->first; child != NULL; child = child->next)
		payload.entries[i++] = child;
	return payload;
}

/* ---- Fields ---- */

static struct document_node *
constant_of(struct pool *pool, struct slice path)
{
	struct document_node *node = document_new(pool);
	node->type = DOCUMENT_STRING;
	node->text = slice_sub(path, 1, path.size - 1);
	return node;
}

/* Values outside the list apply to every entry. */
static struct document_node *
value_of(struct pool *pool, const struct payload_list *payload, struct document_node *entry, struct slice path)
{
	struct slice list, value;
	if (is_constant(path))
		return constant_of(pool, path);
	if (slice_equal(path, EVERYTHING))
		return entry;
	if (split_at_list(path, &list, &value))
		return document_find(pool, entry, value);
	return document_find(pool, payload->is_named ? payload->root : entry, path);
}

size_t
mapping_apply(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload, size_t number,
    struct mapped_field **fields)
{
	struct result_list list = { .pool = pool };
	struct document_node *entry = document_open(pool, payload->entries[number]), *values[MAPPING_RULES_MAX];
	const struct document_node *contact = maps_identifier(mapping) ? NULL : find_contact(pool, entry);
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mapping_rule *rule = &mapping->rules[i];
		values[i] = value_of(pool, payload, entry, rule->path);
		if (values[i] != NULL && document_is_plain(values[i]) && !slice_equal(rule->target, EVERYTHING))
			add(&list, (struct mapped_field){ rule->target, rule->path, values[i], .optional = false });
	}
	if (contact != NULL)
		add_obvious(&list, contact, mapping->count == 0 ? ALL_NAMES : IDENTIFIERS);
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mapping_rule *rule = &mapping->rules[i];
		if (values[i] != NULL && slice_equal(rule->target, EVERYTHING)) {
			add_obvious(&list, document_open(pool, values[i]), ALL_NAMES);
			add_members(&list, document_open(pool, values[i]));
		} else if (values[i] != NULL && !document_is_plain(values[i]))
			add_leaves_of(&list, rule, values[i]);
	}
	if (mapping->count == 0)
		add_members(&list, entry);
	*fields = list.fields;
	return list.count;
}

/* ---- Notes ---- */

enum { NOTES_MAX_BYTES = 2048 };

static bool
has_path(const struct mapped_field *fields, size_t count, struct slice path)
{
	for (size_t i = 0; i < count; i++)
		if (slice_equal(fields[i].path, path))
			return true;
	return false;
}

/* The list with several entries from which the path takes only one, by its index; NULL: there is none. */
static const struct document_node *
taken_from(struct pool *pool, const struct payload_list *payload, struct slice path)
{
	struct path_part part;
	struct slice rest = path;
	while (document_next_part(&rest, &part)) {
		const size_t before = (size_t)(part.text.data - path.data);
		struct slice above = slice_sub(path, 0, before > 0 ? before - 1 : 0);
		if (part.kind != PATH_NAME || !is_number(part.text))
			continue;
		if (slice_ends_with(above, SLICE(".")))
			above = slice_sub(above, 0, above.size - 1);
		struct document_node *list = document_find(pool, payload->root, above);
		list = list == NULL ? NULL : document_open(pool, list);
		if (list != NULL && list->type == DOCUMENT_ARRAY && list->count > 1 && has_object(list))
			return list;
	}
	return NULL;
}

static void
add_note(struct slice *notes, struct pool *pool, struct slice note)
{
	if (notes->size + note.size > NOTES_MAX_BYTES)
		return;
	*notes = notes->size == 0 ? note : POOL_JOIN(pool, *notes, SLICE("; "), note);
}

struct slice
mapping_notes(struct pool *pool, const struct payload_map *mapping, const struct payload_list *payload,
    const struct mapped_field *fields, size_t count)
{
	struct slice notes = SLICE_NONE;
	for (size_t i = 0; i < mapping->count; i++) {
		const struct mapping_rule *rule = &mapping->rules[i];
		if (slice_equal(rule->target, EVERYTHING))
			continue;
		if (!has_path(fields, count, rule->path))
			add_note(&notes, pool, POOL_JOIN(pool, SLICE("no value at "), rule->path));
		const struct document_node *list =
		    is_identifier(rule->target) && payload->list == NULL ? taken_from(pool, payload, rule->path) : NULL;
		if (list != NULL)
			add_note(&notes, pool,
			    pool_printf(pool, "%.*s takes one of %zu entries, a path with [] in place of the number all",
				SLICE_ARGS(rule->path), list->count));
	}
	return notes;
}
