/* SPDX-License-Identifier: MIT */
#include "prog/wiring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "base/log.h"
#include "core/retry.h"

/* How long one answer of the database may take. */
enum { IO_TIMEOUT_S = 20, MS_PER_S = 1000 };

struct conf *
wiring_load(const char *program, const char *path)
{
	struct conf *conf;
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	if (!conf_load(path, &conf, &problems)) {
		fprintf(stderr, "%s: the configuration is not usable\n%.*s", program, SLICE_ARGS(buffer_slice(&problems)));
		conf = NULL;
	}
	buffer_free(&problems);
	if (conf == NULL)
		return NULL;
	log_init(program, conf->log.level);
	if (*conf->log.file != '\0' && !log_to_file(conf->log.file)) {
		fprintf(stderr, "%s: log.file: %s: %s\n", program, conf->log.file, strerror(errno));
		conf_free(&conf);
	}
	return conf;
}

struct store *
wiring_store(const struct conf *conf)
{
	const struct store_options options = {
		.host = conf->database.host,
		.socket = conf->database.socket,
		.user = conf->database.user,
		.password = conf->database.password,
		.database = conf->database.name,
		.option_file = conf->database.option_file,
		.prefix = conf->database.prefix,
		.port = conf->database.port,
		.connect_timeout_s = (unsigned)(conf->database.connect_timeout / MS_PER_S),
		.io_timeout_s = IO_TIMEOUT_S,
		.base_url = conf->server.base_url,
		.avatar_url = conf->lead.avatar_url,
		.form_hosts = conf->dispatch.form_hosts,
		.custom_fields = { conf->limits.custom_fields, conf->limits.custom_fields_bytes },
	};
	return store_new(&options);
}

static bool
tell(const char *setting, struct slice bad)
{
	log_error("bad_setting", LOG_STR("setting", setting), LOG_BYTES("item", bad));
	return false;
}

bool
wiring_address_rules(const struct conf *conf, struct pool *pool, struct address_rules *rules)
{
	struct slice bad;
	return address_rules_parse(
		   pool, slice_of(conf->dispatch.allow_networks), slice_of(conf->dispatch.deny_ports), rules, &bad) ||
	       tell("dispatch.allow_networks or dispatch.deny_ports", bad);
}

bool
wiring_trusted_proxies(const struct conf *conf, struct pool *pool, struct network_list *proxies)
{
	struct slice bad;
	return network_list_parse(pool, slice_of(conf->server.trusted_proxies), proxies, &bad) ||
	       tell("server.trusted_proxies", bad);
}

bool
wiring_schema_fits(struct store *store)
{
	uint32_t found;
	if (store_ready(store, &found) != RESULT_INVALID)
		return true;
	log_error("wrong_schema", LOG_UINT("found", found), LOG_UINT("wanted", store_schema_wanted()),
	    LOG_STR("mend", found == 0 ? "run leadhook install" : "run leadhook upgrade"));
	return false;
}

int
wiring_check(const struct conf *conf)
{
	struct pool *pool = pool_new();
	struct address_rules rules;
	struct network_list proxies;
	struct retry_schedule schedule;
	struct slice bad;
	bool good = wiring_address_rules(conf, pool, &rules);
	good = wiring_trusted_proxies(conf, pool, &proxies) && good;
	good = (retry_schedule_parse(slice_of(conf->dispatch.schedule), &schedule, &bad) || tell("dispatch.schedule", bad)) &&
	       good;
	pool_free(&pool);
	return good ? EX_OK : EX_CONFIG;
}
