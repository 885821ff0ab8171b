/* SPDX-License-Identifier: MIT
 * Captures what the code under test logs. */
#pragma once

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"
#include "os/log.h"

enum { CAPTURED_LOG_MAX = 64 * 1024 };

static char captured_log_path[] = "/tmp/leadhook-log-XXXXXX";

/* Captures all lines from now on; what was captured before is dropped. */
static inline void
capture_log(void)
{
	strcpy(captured_log_path + strlen(captured_log_path) - 6, "XXXXXX");
	int fd = mkstemp(captured_log_path);
	assert_true(fd >= 0);
	close(fd);
	log_init("test", LOG_LEVEL_DEBUG);
	struct log_file *file = log_open(captured_log_path);
	assert_non_null(file);
	log_use(file);
}

/* Ends the capture and returns what was logged, which is valid until the next capture. */
static inline const char *
captured_log(void)
{
	static char text[CAPTURED_LOG_MAX];
	FILE *file = fopen(captured_log_path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(captured_log_path);
	log_init("test", LOG_LEVEL_INFO);
	log_use(NULL);
	return text;
}

static inline size_t
count_in(const char *text, const char *part)
{
	size_t count = 0;
	for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
		count++;
	return count;
}
