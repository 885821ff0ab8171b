/* SPDX-License-Identifier: MIT
 * Every setting stands with its default in the example file and in leadhook.conf(5), there with its range, and neither has
 * others. Limits stand with their defaults in docs/api.md. Every parameter stands there, in the section of the calls that read
 * it, and the tables of parameters there have no others.
 *
 * The settings' texts are turned into configuration files and go through the reader of the programs.
 * Modules: conf/setting_table, api/call/param_names. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/call/param_names.h"
#include "base/duration.h"
#include "conf/file.h"
#include "webhook/address_rules.h"

enum { TEXT_BYTES_MAX = 1 << 20 };

/* Appends what a line of the document is in a configuration file, if anything. */
typedef void line_converter(struct slice line, struct buffer *ini);

/* "#key = value" and "#    more of a list" are switched off, "# text" is a comment. */
static void
convert_example_line(struct slice line, struct buffer *ini)
{
	bool off = line.size > 1 && line.data[0] == '#' && (line.data[1] != ' ' || slice_starts_with(line, SLICE("#  ")));
	buffer_add(ini, slice_sub(line, off ? 1 : 0, line.size));
	buffer_add_byte(ini, '\n');
}

/* `.Ss Section NAME` and `.It Ic "KEY = VALUE"`, which "\" at the end of a line continues. */
static void
convert_manual_line(struct slice line, struct buffer *ini)
{
	static const struct slice section = { ".Ss Section ", 12 }, setting = { ".It Ic \"", 8 };
	bool continued = slice_ends_with(buffer_slice(ini), SLICE("\n "));
	struct slice text = SLICE_NONE;
	if (slice_starts_with(line, section)) {
		buffer_printf(ini, "[%.*s]\n", SLICE_ARGS(slice_sub(line, section.size, line.size)));
		return;
	}
	if (continued)
		text = line;
	else if (slice_starts_with(line, setting))
		text = slice_sub(line, setting.size, line.size);
	else
		return;
	buffer_add(ini, slice_sub(text, 0, text.size - 1)); /* without \ or " */
	buffer_add_text(ini, slice_ends_with(text, SLICE("\\")) ? "\n " : "\n");
}

/* "| … | 100 in 60 s, 200 in 180 s (`KEY`) |" of docs/api.md 5, as "KEY = 100/60s 200/180s"; of
 * "none (`KEY`)", "KEY =". */
static void
convert_limit_line(struct slice line, struct buffer *ini)
{
	struct slice rest = line, cell = SLICE_NONE, key, item;
	unsigned limit, seconds;
	for (size_t i = 0; i < 3; i++)
		if (!slice_next(&rest, '|', &cell))
			return;
	if (!slice_ends_with(line, SLICE("`) |")) ||
	    (sscanf(cell.data, " %u in %u s", &limit, &seconds) != 2 && !slice_starts_with(cell, SLICE(" none ("))))
		return;
	if (ini->size == 0)
		buffer_add_text(ini, "[limits]\n");
	struct slice limits = cell;
	if (!slice_next(&cell, '`', &key) || !slice_next(&cell, '`', &key))
		return;
	buffer_printf(ini, "%.*s =", SLICE_ARGS(key));
	while (slice_next(&limits, ',', &item) && sscanf(item.data, " %u in %u s", &limit, &seconds) == 2)
		buffer_printf(ini, " %u/%us", limit, seconds);
	buffer_add_byte(ini, '\n');
}

static void
read_document(const char *name, line_converter *convert, struct buffer *ini)
{
	struct pool *pool = pool_new();
	const char *top = getenv("top_srcdir");
	struct slice path = pool_printf(pool, "%s/%s", top == NULL ? "." : top, name);
	char *bytes = pool_alloc(pool, TEXT_BYTES_MAX);
	FILE *file = fopen(path.data, "r");
	if (file == NULL)
		fail_msg("%s cannot be opened", path.data);
	struct slice rest = { bytes, fread(bytes, 1, TEXT_BYTES_MAX, file) }, line;
	fclose(file);
	while (slice_next(&rest, '\n', &line))
		convert(line, ini);
	pool_free(&pool);
}

/* Through a file, because that is what the reader reads. */
static void
read_settings(const struct buffer *ini, struct pool *pool, struct conf_entries *entries, struct buffer *problems)
{
	char path[] = "documented.XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, ini->data, ini->size), ini->size);
	close(fd);
	assert_true(conf_file_read(path, pool, entries, problems));
	unlink(path);
}

/* As lists are compared: whatever the white space between the words is. */
static bool
same_words(struct slice a, struct slice b)
{
	struct slice word_a, word_b;
	while (slice_next_item(&a, &word_a))
		if (!slice_next_item(&b, &word_b) || !slice_equal(word_a, word_b))
			return false;
	return !slice_next_item(&b, &word_b);
}

static const struct conf_entry *
entry_of(const struct conf_entries *entries, const struct conf_setting *setting)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].setting == setting)
			return &entries->items[i];
	return NULL;
}

static void
check_document(const char *name, line_converter *convert)
{
	struct pool *pool = pool_new();
	struct conf_entries entries = { 0 };
	struct buffer ini, problems;
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	buffer_init(&ini, TEXT_BYTES_MAX);
	buffer_init(&problems, TEXT_BYTES_MAX);
	read_document(name, convert, &ini);
	read_settings(&ini, pool, &entries, &problems); /* reports unknown and repeated settings */
	for (size_t i = 0; i < count; i++) {
		const struct conf_entry *entry = entry_of(&entries, &settings[i]);
		if (entry == NULL)
			buffer_printf(&problems, "%s.%s is missing\n", settings[i].section, settings[i].key);
		else if (!same_words(entry->text, slice_of(settings[i].fallback)))
			buffer_printf(&problems, "%s.%s has another default than \"%s\"\n", settings[i].section,
			    settings[i].key, settings[i].fallback);
	}
	if (problems.size > 0)
		fail_msg("%s:\n%s", name, problems.data);
	buffer_free(&problems);
	buffer_free(&ini);
	pool_free(&pool);
}

static void
the_example_shows_every_setting(void **state)
{
	(void)state;
	check_document("conf-examples/leadhook.conf", convert_example_line);
}

static void
the_manual_explains_every_setting(void **state)
{
	(void)state;
	check_document("man/leadhook.conf.5.in", convert_manual_line);
}

/* docs/api.md 5 */
static void
the_api_document_has_the_limits(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	struct conf_entries entries = { 0 };
	struct buffer ini, problems;
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	buffer_init(&ini, TEXT_BYTES_MAX);
	buffer_init(&problems, TEXT_BYTES_MAX);
	read_document("docs/api.md", convert_limit_line, &ini);
	read_settings(&ini, pool, &entries, &problems);
	for (size_t i = 0; i < count; i++) {
		const struct conf_entry *entry = entry_of(&entries, &settings[i]);
		const bool limit = slice_equal(slice_of(settings[i].section), SLICE("limits")) && settings[i].type == CONF_LIST;
		if (limit && (entry == NULL || !same_words(entry->text, slice_of(settings[i].fallback))))
			buffer_printf(&problems, "%s is not documented as \"%s\"\n", settings[i].key, settings[i].fallback);
	}
	if (problems.size > 0)
		fail_msg("docs/api.md:\n%s", problems.data);
	assert_int_equal(entries.count, 15);
	buffer_free(&problems);
	buffer_free(&ini);
	pool_free(&pool);
}

/* docs/deliveries.md 3: "at once, then after 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h" */
static void
the_schedule_is_as_promised(void **state)
{
	(void)state;
	assert_string_equal(conf_setting_find("dispatch", "schedule")->fallback, "5s 1m 5m 30m 2h 5h 10h 14h 20h 24h");
}

/* ---- Parameters ---- */

static const struct {
	const char *heading;
	unsigned groups; /* that the section specifies */
} sections[] = {
	{ "### 1.1 ", GROUP_CAMPAIGN },
	{ "## 3 ", GROUP_KEY },
	{ "#### 4.1.1 ", GROUP_LEAD },
	{ "#### 4.1.2 ", GROUP_FILTER | GROUP_LEADERS },
	{ "#### 4.1.3 ", GROUP_POINTS | GROUP_ACTION },
	{ "#### 4.1.4 ", GROUP_LEADS | GROUP_TAG | GROUP_TAGS | GROUP_CHANNEL | GROUP_REASON },
	{ "#### 4.1.5 ", GROUP_ONE_CLICK },
	{ "#### 4.1.6 ", GROUP_CALLBACK },
	{ "#### 4.1.7 ", GROUP_WEBHOOK_URL | GROUP_WEBHOOK | GROUP_INBOUND | GROUP_INBOUND_NAME },
	{ "#### 4.1.8 ", GROUP_PASSWORD },
	{ "#### 4.1.9 ", GROUP_CODE },
	{ "#### 4.1.12 ", GROUP_CONFIRM },
	{ "### 4.4 ",
	    GROUP_SIGNUP | GROUP_SIGNUP_POINTS | GROUP_VIEW | GROUP_IGNORED | GROUP_ANSWER | GROUP_OWNER | GROUP_BOTS },
};

static void
add_line(struct slice line, struct buffer *text)
{
	buffer_add(text, line);
	buffer_add_byte(text, '\n');
}

/* From the heading to the next one. */
static struct slice
find_section(struct slice text, const char *heading)
{
	const char *begin = NULL;
	struct slice rest = text, line;
	while (slice_next(&rest, '\n', &line)) {
		if (begin != NULL && slice_starts_with(line, SLICE("#")))
			return (struct slice){ begin, (size_t)(line.data - begin) };
		if (slice_starts_with(line, slice_of(heading)))
			begin = line.data;
	}
	fail_msg("docs/api.md has no section %s", heading);
	return SLICE_NONE;
}

/* Sizes in the largest unit that divides them. */
static void
add_number(const struct conf_setting *setting, int64_t number, struct buffer *out)
{
	const unsigned shift = setting->type != CONF_SIZE || number == 0 ? 0
			       : number % (1 << 20) == 0                 ? 20
			       : number % (1 << 10) == 0                 ? 10
									 : 0;
	if (setting->type == CONF_DURATION) {
		duration_add(out, number);
		return;
	}
	buffer_add_i64(out, number >> shift);
	buffer_add_text(out, shift == 20 ? "M" : shift == 10 ? "k" : "");
}

/* What stands in the manual below the setting's ".It Ic", up to the next one. */
static struct slice
find_item(struct slice manual, const struct conf_setting *setting, struct pool *pool)
{
	const struct slice names[] = { pool_printf(pool, ".Ss Section %s\n", setting->section),
		pool_printf(pool, "\n.It Ic \"%s =", setting->key) };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *begin = memmem(manual.data, manual.size, names[i].data, names[i].size);
		if (begin == NULL)
			fail_msg("leadhook.conf(5) has no %s.%s", setting->section, setting->key);
		manual = slice_sub(manual, (size_t)(begin - manual.data) + names[i].size, manual.size);
	}
	for (size_t i = 0; i + 4 <= manual.size; i++)
		if (memcmp(manual.data + i, "\n.It", 4) == 0 || memcmp(manual.data + i, "\n.El", 4) == 0)
			return slice_sub(manual, 0, i + 1);
	return manual;
}

static void
the_manual_has_every_range(void **state)
{
	(void)state;
	struct pool *pool = pool_new();
	struct buffer text, problems, range;
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	buffer_init(&text, TEXT_BYTES_MAX);
	buffer_init(&problems, TEXT_BYTES_MAX);
	read_document("man/leadhook.conf.5.in", add_line, &text);
	for (size_t i = 0; i < count; i++) {
		const enum conf_type type = settings[i].type;
		if (type != CONF_INTEGER && type != CONF_WORKERS && type != CONF_SIZE && type != CONF_DURATION)
			continue;
		buffer_init(&range, TEXT_BYTES_MAX);
		buffer_add_text(&range, "\nRange: ");
		add_number(&settings[i], settings[i].minimum, &range);
		buffer_add_text(&range, " to ");
		add_number(&settings[i], settings[i].maximum, &range);
		buffer_add_text(&range, ".\n");
		const struct slice item = find_item(buffer_slice(&text), &settings[i], pool), wanted = buffer_slice(&range);
		if (memmem(item.data, item.size, wanted.data, wanted.size) == NULL)
			buffer_printf(&problems, "%s.%s lacks:%.*s", settings[i].section, settings[i].key, SLICE_ARGS(wanted));
		buffer_free(&range);
	}
	if (problems.size > 0)
		fail_msg("leadhook.conf(5):\n%s", problems.data);
	buffer_free(&problems);
	buffer_free(&text);
	pool_free(&pool);
}

/* Takes the next word between backticks. `inside` is the caller's. */
static bool
next_code_word(struct slice *rest, bool *inside, struct slice *word)
{
	while (rest->size > 0) {
		if (rest->data[0] == '`')
			*inside = !*inside;
		size_t size = 0;
		while (*inside && size < rest->size && memchr("` \n", rest->data[size], 3) == NULL)
			size++;
		*word = slice_sub(*rest, 0, size);
		*rest = slice_sub(*rest, size > 0 ? size : 1, rest->size);
		if (size > 0)
			return true;
	}
	return false;
}

static bool
has_code_word(struct slice text, struct slice wanted)
{
	struct slice word;
	bool inside = false;
	while (next_code_word(&text, &inside, &word))
		if (slice_equal(word, wanted))
			return true;
	return false;
}

static bool
is_parameter_of(struct slice name, unsigned groups)
{
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; (param_table[i].groups & groups) != 0 && param_has_name(&param_table[i], k); k++)
			if (slice_equal(param_table[i].names[k], name))
				return true;
	return false;
}

/* Each name that the section's calls read stands there. */
static void
check_names(struct slice section, unsigned groups, const char *heading, struct buffer *problems)
{
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; (param_table[i].groups & groups) != 0 && param_has_name(&param_table[i], k); k++)
			if (!has_code_word(section, param_table[i].names[k]))
				buffer_printf(
				    problems, "%.*s is missing in section %s\n", SLICE_ARGS(param_table[i].names[k]), heading);
}

/* The first column of a table of parameters has no other names; "utm_…" stands for many. */
static void
check_table(struct slice section, unsigned groups, struct buffer *problems)
{
	struct slice line, word;
	bool in_table = false;
	while (slice_next(&section, '\n', &line)) {
		in_table = slice_starts_with(line, SLICE("|")) && (in_table || slice_starts_with(line, SLICE("| Parameter ")));
		struct slice cell = slice_sub(line, 0, in_table ? 1 + slice_find(slice_sub(line, 1, line.size), '|') : 0);
		bool inside = false;
		while (next_code_word(&cell, &inside, &word))
			if (slice_is_ascii(word) && !is_parameter_of(word, groups))
				buffer_printf(problems, "%.*s is not read\n", SLICE_ARGS(word));
	}
}

static void
the_api_document_has_every_parameter(void **state)
{
	(void)state;
	struct buffer text, problems;
	unsigned specified = 0;
	buffer_init(&text, TEXT_BYTES_MAX);
	buffer_init(&problems, TEXT_BYTES_MAX);
	read_document("docs/api.md", add_line, &text);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct slice section = find_section(buffer_slice(&text), sections[i].heading);
		specified |= sections[i].groups;
		check_names(section, sections[i].groups, sections[i].heading, &problems);
		check_table(section, sections[i].groups, &problems);
	}
	for (size_t i = 0; i < PARAMS; i++)
		if ((param_table[i].groups & ~specified) != 0)
			buffer_printf(
			    &problems, "%.*s has a group that no section specifies\n", SLICE_ARGS(param_table[i].names[0]));
	if (problems.size > 0)
		fail_msg("docs/api.md:\n%s", problems.data);
	buffer_free(&problems);
	buffer_free(&text);
}

/* docs/api.md 4.4, "Names that begin with `_` are never fields, nor are …": those of the table, and no others. */
static void
the_api_document_lists_the_reserved_names(void **state)
{
	(void)state;
	static const char before[] = "are never\nfields, nor are ";
	struct buffer text;
	struct pool *pool = pool_new();
	buffer_init(&text, TEXT_BYTES_MAX);
	read_document("docs/api.md", add_line, &text);
	struct slice section = find_section(buffer_slice(&text), "### 4.4 ");
	const char *begin = memmem(section.data, section.size, before, strlen(before));
	assert_non_null(begin);
	struct slice list = { begin, (size_t)(section.data + section.size - begin) }, rest = list, word;
	bool inside = false;
	while (next_code_word(&rest, &inside, &word))
		if (!param_is_reserved(word))
			fail_msg("%.*s can be a custom field", SLICE_ARGS(word));
	for (size_t i = 0; i < PARAMS; i++)
		for (size_t k = 0; (param_table[i].groups & GROUPS_RESERVED) != 0 && param_has_name(&param_table[i], k); k++) {
			struct slice name = pool_copy_lower(pool, param_table[i].names[k]);
			if (!slice_starts_with(name, SLICE("_")) && !has_code_word(list, name))
				fail_msg("%.*s is not listed", SLICE_ARGS(name));
		}
	buffer_free(&text);
	pool_free(&pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_shows_every_setting),
		cmocka_unit_test(the_manual_explains_every_setting),
		cmocka_unit_test(the_manual_has_every_range),
		cmocka_unit_test(the_api_document_has_the_limits),
		cmocka_unit_test(the_schedule_is_as_promised),
		cmocka_unit_test(the_api_document_has_every_parameter),
		cmocka_unit_test(the_api_document_lists_the_reserved_names),
	};
	return cmocka_run_group_tests_name("checks/documented", tests, NULL, NULL);
}
