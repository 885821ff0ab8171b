/* SPDX-License-Identifier: MIT
 * Every setting stands with its default in the example file and in leadhook.conf(5), and neither has others.
 *
 * Both texts are turned into configuration files and go through the reader of the programs. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/file.h"
#include "webhook/address.h"

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
	conf_file_read(path, false, pool, entries, problems);
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
	read_settings(&ini, pool, &entries, &problems); /* tells unknown settings and those that stand there twice */
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

/* The rules of core have the same defaults, for callers without a configuration. */
static void
the_rules_have_the_same_defaults(void **state)
{
	(void)state;
	assert_string_equal(conf_setting_find("dispatch", "deny_ports")->fallback, ADDRESS_DENY_PORTS);
}

/* docs/deliveries.md 3: "at once, then after 5 s, 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h" */
static void
the_schedule_is_as_promised(void **state)
{
	(void)state;
	assert_string_equal(conf_setting_find("dispatch", "schedule")->fallback, "5s 1m 5m 30m 2h 5h 10h 14h 20h 24h");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_shows_every_setting),
		cmocka_unit_test(the_manual_explains_every_setting),
		cmocka_unit_test(the_rules_have_the_same_defaults),
		cmocka_unit_test(the_schedule_is_as_promised),
	};
	return cmocka_run_group_tests_name("documented", tests, NULL, NULL);
}
