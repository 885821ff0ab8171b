/* SPDX-License-Identifier: MIT
 * The command line of a program that has options only. */
#ifndef LEADHOOK_PROG_OPTIONS_H
#define LEADHOOK_PROG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct program_option {
	const char *name; /* without the dashes */
	bool has_value;
};

enum { PROGRAM_OPTIONS_MAX = 16 };

/* Sets values[i] to what was given for options[i]: its value, "" where it takes none, NULL where it was not given. Answers -1
 * to go on, else the status to exit with: --help and --version were answered, or the usage was shown. */
int options_read(const char *program, const char *usage, const struct program_option *options, size_t count, int argc,
    char *argv[], const char **values);

#endif
