/* SPDX-License-Identifier: MIT
 * Command lines that have only options. */
#pragma once

#include <getopt.h>
#include <stddef.h>

/* In the table of options for getopt_long(3), `val` is the index of the option. The table ends with PROGRAM_OPTIONS. */
enum { PROGRAM_HELP = 256, PROGRAM_VERSION };
#define PROGRAM_OPTIONS                                                                                 \
	{ "help", no_argument, NULL, PROGRAM_HELP }, { "version", no_argument, NULL, PROGRAM_VERSION }, \
	{                                                                                               \
		0                                                                                       \
	}

/* Sets values[i] of each given option to its value, or to "" if it takes none. Returns -1 to continue, or the exit status after
 * --help, --version or wrong usage. */
int program_options_read(
    const char *program, const char *usage, const struct option *options, int argc, char *argv[], const char **values);
