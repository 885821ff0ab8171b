/* SPDX-License-Identifier: MIT
 * A configuration file (leadhook.conf(5)): either all of it is valid, with each value within its setting's limits, or
 * the errors are reported. */
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/setting_table.h"
#include "fuzz.h"

static int64_t
number_at(const struct conf *conf, const struct conf_setting *setting)
{
	const char *at = (const char *)conf + setting->offset;
	unsigned integer;
	size_t bytes;
	int64_t ms;
	switch (setting->type) {
	case CONF_SIZE:
		memcpy(&bytes, at, sizeof(bytes));
		return (int64_t)bytes;
	case CONF_DURATION:
		memcpy(&ms, at, sizeof(ms));
		return ms;
	default:
		memcpy(&integer, at, sizeof(integer));
		return integer;
	}
}

static void
require_text(const struct conf *conf, const struct conf_setting *setting)
{
	const char *text;
	memcpy(&text, (const char *)conf + setting->offset, sizeof(text));
	REQUIRE(text != NULL);
	if (setting->type == CONF_PATH)
		REQUIRE(text[0] == '\0' || text[0] == '/');
	if (setting->type != CONF_LIST)
		REQUIRE((int64_t)strlen(text) <= setting->maximum);
	if (setting->rule != NULL && setting->type == CONF_TEXT)
		REQUIRE(conf_rule_holds(setting->rule, slice_of(text)));
}

static void
require_values(const struct conf *conf)
{
	size_t count;
	const struct conf_setting *settings = conf_settings(&count);
	for (size_t i = 0; i < count; i++) {
		const struct conf_setting *setting = &settings[i];
		REQUIRE(strlen(conf_origin(conf, setting->section, setting->key)) > 0);
		if (setting->type <= CONF_LIST) {
			require_text(conf, setting);
			continue;
		}
		int64_t number = number_at(conf, setting);
		if (setting->type == CONF_INTEGER || setting->type == CONF_SIZE || setting->type == CONF_DURATION)
			REQUIRE(number >= setting->minimum && number <= setting->maximum);
		if (setting->type == CONF_WORKERS)
			REQUIRE(number <= setting->maximum || number == CONF_WORKERS_AUTO);
	}
}

/* Complete lines, without control characters. */
static void
require_problems(struct slice problems)
{
	struct slice line;
	REQUIRE(problems.size > 0 && slice_ends_with(problems, SLICE("\n")));
	while (slice_next(&problems, '\n', &line))
		REQUIRE(line.size > 0 && !slice_has_control(line));
}

/* Without the environment, whose settings would apply as well. */
static bool
load(const char *path, struct conf **conf, struct buffer *problems)
{
	char *none[] = { NULL }, **whole = environ;
	environ = none;
	bool loaded = conf_load(path, conf, problems);
	environ = whole;
	return loaded;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct conf *conf;
	struct buffer problems;
	int file = memfd_create("leadhook.conf", MFD_CLOEXEC);
	REQUIRE(file >= 0 && fchmod(file, S_IRUSR) == 0 && write(file, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	bool loaded = load(path, &conf, &problems);
	REQUIRE(loaded == (conf != NULL));
	if (loaded)
		require_values(conf);
	REQUIRE(!loaded || (problems.size == 0 && conf->absent_file == NULL));
	if (!loaded)
		REQUIRE(!buffer_ok(&problems) || problems.size > 0);
	if (!loaded && buffer_ok(&problems))
		require_problems(buffer_slice(&problems));
	conf_free(&conf);
	buffer_free(&problems);
	close(file);
	return 0;
}
