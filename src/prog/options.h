/* SPDX-License-Identifier: MIT
 * Command lines that have only options. */
#ifndef LEADHOOK_PROG_OPTIONS_H
#define LEADHOOK_PROG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct program_option {
	const char *name; /* without the dashes */
	bool has_value;
};

enum { PROGRAM_OPTIONS_MAX = 16 };

/* Sets values[i] to the argument of options[i]: its value, "" if it takes none, NULL if it was not given. Returns -1 to
 * continue, else the exit status: --help or --version was handled, or the usage was shown. */
int options_read(const char *program, const char *usage, const struct program_option *options, size_t count, int argc,
    char *argv[], const char **values);

#endif
