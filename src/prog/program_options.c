/* SPDX-License-Identifier: MIT */
#include "prog/program_options.h"

#include <stdio.h>
#include <sysexits.h>

int
program_options_read(
    const char *program, const char *usage, const struct option *options, int argc, char *argv[], const char **values)
{
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case PROGRAM_HELP:
			fputs(usage, stdout);
			return EX_OK;
		case PROGRAM_VERSION:
			printf("%s %s\n", program, LEADHOOK_VERSION);
			return EX_OK;
		case '?':
			fputs(usage, stderr);
			return EX_USAGE;
		default:
			values[option] = optarg != NULL ? optarg : "";
		}
	}
	if (optind == argc)
		return -1;
	fputs(usage, stderr);
	return EX_USAGE;
}
