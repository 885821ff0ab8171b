/* SPDX-License-Identifier: MIT
 * The configuration, as --check-config reads it: each of its lines about an error becomes a finding. */
#include "admin/doctor/doctor.h"
#include "conf/setting_table.h"

/* The lines of conf/file.c about files that others can read or change end so, with the mode and the file. */
#define CHANGES_MODE SLICE("chmod ")

static size_t
find(struct slice text, struct slice part)
{
	const char *at = part.size > text.size ? NULL : memmem(text.data, text.size, part.data, part.size);
	return at == NULL ? text.size : (size_t)(at - text.data);
}

/* Splits "FILE:LINE: section.key: …" or "VARIABLE: …". What is missing is absent. */
static void
read_origin(
    struct pool *pool, struct slice problem, struct slice *file, struct slice *line, const struct conf_setting **setting)
{
	struct slice first = slice_sub(problem, 0, find(problem, SLICE(": ")));
	struct slice rest = slice_sub(problem, first.size + 2, problem.size);
	const size_t colon = slice_find_last(first, ':');
	uint64_t number;
	*file = *line = SLICE_NONE;
	*setting = NULL;
	if (colon < first.size && slice_to_u64(slice_sub(first, colon + 1, first.size), INT32_MAX, &number)) {
		*file = pool_copy(pool, slice_sub(first, 0, colon));
		*line = pool_copy(pool, slice_sub(first, colon + 1, first.size));
		first = slice_sub(rest, 0, find(rest, SLICE(": ")));
	}
	const size_t dot = slice_find(first, '.');
	if (dot < first.size)
		*setting = conf_setting_find(
		    pool_string(pool, slice_sub(first, 0, dot)), pool_string(pool, slice_sub(first, dot + 1, first.size)));
}

static void
add_problem(struct doctor *doctor, struct slice problem)
{
	const size_t mode = find(problem, CHANGES_MODE);
	struct slice file, line;
	const struct conf_setting *setting;
	if (mode < problem.size) {
		const struct slice command = slice_sub(problem, mode, problem.size);
		const struct slice words = slice_sub(command, CHANGES_MODE.size, command.size);
		doctor_find(doctor, "file_mode", problem);
		doctor_command(doctor, slice_sub(words, slice_find(words, ' ') + 1, words.size), command);
		return;
	}
	read_origin(doctor->pool, problem, &file, &line, &setting);
	doctor_find(doctor, "configuration", problem);
	if (slice_starts_with(problem, SLICE("LEADHOOK_")))
		doctor_line(doctor, SLICE("the environment of the programs"), SLICE_NONE,
		    pool_printf(
			doctor->pool, "(correct or remove %.*s)", SLICE_ARGS(slice_sub(problem, 0, slice_find(problem, ':')))));
	if (!slice_present(file) && setting == NULL)
		return;
	const struct slice place = setting != NULL && slice_present(line)
				       ? pool_printf(doctor->pool, "[%s], line %.*s", setting->section, SLICE_ARGS(line))
				   : setting != NULL ? pool_printf(doctor->pool, "[%s]", setting->section)
						     : pool_printf(doctor->pool, "line %.*s", SLICE_ARGS(line));
	/* a good value is not known: the default is one, unless it is none */
	doctor_line(doctor, slice_present(file) ? file : doctor->file, place,
	    setting == NULL ? SLICE("(remove or correct this line)")
			    : pool_printf(doctor->pool, "%s = %s", setting->key,
				  *setting->fallback == '\0' ? "(a value as described)" : setting->fallback));
}

void
check_configuration(struct doctor *doctor)
{
	struct slice rest = doctor->call->problems, problem;
	while (slice_next(&rest, '\n', &problem))
		if (problem.size > 0)
			add_problem(doctor, pool_copy(doctor->pool, problem));
	if (doctor->conf != NULL && doctor->conf->absent_file != NULL)
		DOCTOR_SKIP(doctor, "there is no %s: defaults and LEADHOOK_ variables hold", doctor->conf->absent_file);
}
