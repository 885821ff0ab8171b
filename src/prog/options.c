/* SPDX-License-Identifier: MIT */
#include "prog/options.h"

#include <getopt.h>
#include <stdio.h>
#include <sysexits.h>

#include "base/panic.h"

/* After the numbers of the table. */
enum { SHOW_HELP = PROGRAM_OPTIONS_MAX, SHOW_VERSION };

int
options_read(const char *program, const char *usage, const struct program_option *options, size_t count, int argc, char *argv[],
    const char **values)
{
	struct option known[PROGRAM_OPTIONS_MAX + 3] = { 0 };
	int option;
	if (count > PROGRAM_OPTIONS_MAX)
		panic("too many options");
	for (size_t i = 0; i < count; i++) {
		known[i] =
		    (struct option){ options[i].name, options[i].has_value ? required_argument : no_argument, NULL, (int)i };
		values[i] = NULL;
	}
	known[count] = (struct option){ "help", no_argument, NULL, SHOW_HELP };
	known[count + 1] = (struct option){ "version", no_argument, NULL, SHOW_VERSION };
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == SHOW_HELP) {
			fputs(usage, stdout);
			return EX_OK;
		}
		if (option == SHOW_VERSION) {
			printf("%s %s\n", program, LEADHOOK_VERSION);
			return EX_OK;
		}
		if (option < 0 || (size_t)option >= count) {
			fputs(usage, stderr);
			return EX_USAGE;
		}
		values[option] = optarg != NULL ? optarg : "";
	}
	if (optind < argc) {
		fputs(usage, stderr);
		return EX_USAGE;
	}
	return -1;
}
