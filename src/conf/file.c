/* SPDX-License-Identifier: MIT
 * The only user of inih. As distributions build it, inih silently truncates lines after 200 bytes, and passwords at " ;",
 * because it allows inline comments. Therefore it gets one line at a time, and lines that it would truncate are refused. */
#include "conf/file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct reader {
	FILE *file;
	const char *path;
	struct pool *pool;
	struct conf_entries *entries;
	struct buffer *problems;
	char *line;
	size_t capacity;
	size_t number;   /* of the line, from 1 */
	bool in_setting; /* there is a setting above in this section: an indented line continues it */
	bool continues;  /* this line continues it */
	bool known;      /* that setting is valid and not a duplicate: it is the last entry */
};

static void
add_problem(struct reader *reader, const char *what)
{
	buffer_printf(reader->problems, "%s:%zu: %s\n", reader->path, reader->number, what);
}

/* The group may read a secret, so that the programs' account can read a file owned by root. Neither group nor others may write:
 * whoever can write could make the programs store everything in another database. */
enum { OTHERS_WRITE = S_IWGRP | S_IWOTH, OTHERS_READ = S_IROTH };

/* Whether the file is /dev/null, which everyone may use. */
static bool
lets_others(FILE *file, mode_t access)
{
	struct stat status;
	return fstat(fileno(file), &status) == 0 && !S_ISCHR(status.st_mode) && (status.st_mode & access) != 0;
}

/* Whether the line is a comment. With inih's defaults, comments begin only at the start of a line. */
static bool
is_comment(struct slice text)
{
	return text.size > 0 && (text.data[0] == '#' || text.data[0] == ';');
}

static bool
has_inline_comment(struct slice text)
{
	for (size_t i = 1; i < text.size; i++)
		if (text.data[i] == ';' && ascii_is_space(text.data[i - 1]))
			return true;
	return false;
}

/* An error in a line that can be found before the line is parsed, or NULL. `room`: inih's maximum line size. */
static const char *
line_problem(struct slice line, size_t room)
{
	struct slice text = slice_trim(line);
	if (slice_find(line, '\0') < line.size)
		return "contains a NUL byte";
	if (is_comment(text))
		return NULL;
	if (line.size > room)
		return "is too long (a list may continue on lines that begin with a blank)";
	if (has_inline_comment(text))
		return "has a comment after the value: put it on a separate line";
	return NULL;
}

/* Applies inih's rule for continuation lines, so that the handler can distinguish them from duplicate settings. */
static void
note_kind(struct reader *reader, struct slice line)
{
	struct slice text = slice_trim(line);
	bool indented = line.size > 0 && ascii_is_space(line.data[0]);
	reader->continues = indented && reader->in_setting;
	if (!reader->continues && slice_starts_with(text, SLICE("[")))
		reader->in_setting = false;
}

/* Takes the place of fgets in inih. Lines that inih must not parse become empty ones, so that line numbers match. */
static char *
next_line(char *out, int size, void *context)
{
	struct reader *reader = context;
	ssize_t got = getline(&reader->line, &reader->capacity, reader->file);
	if (got < 0)
		return NULL;
	struct slice line = { reader->line, (size_t)got };
	reader->number++;
	const char *problem = line_problem(line, (size_t)size - 1);
	if (problem != NULL)
		add_problem(reader, problem);
	if (problem != NULL || is_comment(slice_trim(line)))
		line = SLICE("\n");
	note_kind(reader, line);
	memcpy(out, line.data, line.size);
	out[line.size] = '\0';
	return out;
}

static void
continue_value(struct reader *reader, const char *value)
{
	struct conf_entry *entry = reader->known ? &reader->entries->items[reader->entries->count - 1] : NULL;
	if (entry == NULL)
		return; /* the line was refused at its start */
	if (entry->setting->type == CONF_LIST)
		entry->text = pool_printf(reader->pool, "%.*s %s", SLICE_ARGS(entry->text), value);
	else
		add_problem(reader, "begins with a blank: only a list may go on in a further line");
}

static const struct conf_entry *
find_entry(const struct conf_entries *entries, const struct conf_setting *setting)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].setting == setting)
			return &entries->items[i];
	return NULL;
}

/* The name with control characters escaped, because terminals would interpret them. */
static const char *
shown(struct reader *reader, const char *name)
{
	char *copy = pool_string(reader->pool, slice_of(name));
	for (char *c = copy; *c != '\0'; c++)
		if (slice_has_control((struct slice){ c, 1 }))
			*c = '?';
	return copy;
}

static void
begin_value(struct reader *reader, const char *section, const char *key, const char *value)
{
	struct conf_entries *entries = reader->entries;
	const struct conf_setting *setting = conf_setting_find(section, key);
	const struct conf_entry *before = setting == NULL ? NULL : find_entry(entries, setting);
	reader->in_setting = true;
	reader->known = setting != NULL && before == NULL;
	if (setting == NULL) {
		buffer_printf(reader->problems, "%s:%zu: %s.%s: unknown setting\n", reader->path, reader->number,
		    shown(reader, section), shown(reader, key));
	} else if (before != NULL) {
		buffer_printf(reader->problems, "%s:%zu: %s.%s: is already set in line %zu\n", reader->path, reader->number,
		    section, key, before->line);
	} else {
		entries->items =
		    pool_grow(reader->pool, entries->items, entries->count, &entries->capacity, sizeof(*entries->items));
		entries->items[entries->count++] =
		    (struct conf_entry){ setting, pool_copy(reader->pool, slice_of(value)), reader->number };
	}
}

/* inih's handler. Returns 1 to continue, so that all errors are reported at once. */
static int
take_value(void *context, const char *section, const char *key, const char *value)
{
	struct reader *reader = context;
	if (reader->continues)
		continue_value(reader, value);
	else
		begin_value(reader, section, key, value);
	return 1;
}

static void
check_secrecy(struct reader *reader)
{
	bool has_secret = false;
	for (size_t i = 0; i < reader->entries->count; i++) {
		const struct conf_entry *entry = &reader->entries->items[i];
		if (entry->setting->type != CONF_SECRET || entry->text.size == 0)
			continue;
		has_secret = true;
		if (lets_others(reader->file, OTHERS_WRITE | OTHERS_READ))
			buffer_printf(reader->problems, "%s:%zu: %s.%s: others can read or change this file: chmod 640 %s\n",
			    reader->path, entry->line, entry->setting->section, entry->setting->key, reader->path);
	}
	if (!has_secret && lets_others(reader->file, OTHERS_WRITE))
		buffer_printf(reader->problems, "%s: others can change this file: chmod go-w %s\n", reader->path, reader->path);
}

bool
conf_file_read(const char *path, struct pool *pool, struct conf_entries *entries, struct buffer *problems)
{
	struct reader reader = { .path = path, .pool = pool, .entries = entries, .problems = problems };
	reader.file = fopen(path, "re");
	if (reader.file == NULL && errno == ENOENT)
		return false;
	if (reader.file == NULL) {
		buffer_printf(problems, "%s: %s\n", path, strerror(errno));
		return true;
	}
	int first_bad = ini_parse_stream(next_line, &reader, take_value, &reader);
	if (ferror(reader.file))
		buffer_printf(problems, "%s: cannot be read\n", path);
	else if (first_bad < 0)
		memory_exhausted();
	else if (first_bad > 0)
		buffer_printf(problems, "%s:%d: is neither [section] nor key = value nor a comment\n", path, first_bad);
	check_secrecy(&reader);
	free(reader.line);
	fclose(reader.file);
	return true;
}

/* Returns NULL, with a line in `problems`, on errors. */
static FILE *
open_secret(const char *path, const char *origin, struct buffer *problems)
{
	FILE *file = fopen(path, "re");
	if (file == NULL) {
		buffer_printf(problems, "%s: %s: %s\n", origin, path, strerror(errno));
	} else if (lets_others(file, OTHERS_WRITE | OTHERS_READ)) {
		buffer_printf(problems, "%s: others can read or change the file: chmod 640 %s\n", origin, path);
		fclose(file);
		file = NULL;
	}
	return file;
}

void
conf_secret_check(const char *path, const char *origin, struct buffer *problems)
{
	FILE *file = open_secret(path, origin, problems);
	if (file != NULL)
		fclose(file);
}

struct slice
conf_secret_read(const char *path, const char *origin, size_t maximum, struct pool *pool, struct buffer *problems)
{
	struct slice secret = SLICE_NONE;
	size_t room = maximum + 2; /* for a newline, and a byte that shows that the file is larger */
	FILE *file = open_secret(path, origin, problems);
	if (file == NULL)
		return secret;
	char *bytes = pool_alloc(pool, room);
	struct slice text = { bytes, fread(bytes, 1, room, file) };
	if (slice_ends_with(text, SLICE("\n")))
		text.size--;
	if (ferror(file))
		buffer_printf(problems, "%s: %s: cannot be read\n", origin, path);
	else if (text.size > maximum || slice_find(text, '\0') < text.size)
		buffer_printf(problems, "%s: %s: contains a NUL byte or more than %zu bytes\n", origin, path, maximum);
	else
		secret = text;
	fclose(file);
	return secret;
}
