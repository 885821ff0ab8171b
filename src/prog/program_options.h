/* SPDX-License-Identifier: MIT
 * Command lines that have only options. */
#pragma once

#include <getopt.h>
#include <stddef.h>

/* In the table of options of getopt_long(3), `val` is the option's index. The table ends with PROGRAM_OPTIONS. */
enum { PROGRAM_HELP = 256, PROGRAM_VERSION };
#define PROGRAM_OPTIONS                                                                                 \
	{ "help", no_argument, NULL, PROGRAM_HELP }, { "version", no_argument, NULL, PROGRAM_VERSION }, \
	{                                                                                               \
		0                                                                                       \
	}

/* Sets values[i] of each option given to its value, or to "" if it takes none. Returns -1 to continue, else the exit status:
 * --help or --version was handled, or the usage was shown. */
int program_options_read(
    const char *program, const char *usage, const struct option *options, int argc, char *argv[], const char **values);
