/* SPDX-License-Identifier: MIT */
#include "prog/wiring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* How long one answer of the database may take. */
enum { IO_TIMEOUT_S = 20, MS_PER_S = 1000 };

static bool
parse_webhook_addresses(struct wiring *wiring, struct slice *bad)
{
	const struct conf_dispatch *dispatch = &wiring->conf->dispatch;
	return address_rules_parse(
	    wiring->pool, slice_of(dispatch->allow_networks), slice_of(dispatch->deny_ports), &wiring->webhook_addresses, bad);
}

static bool
parse_trusted_proxies(struct wiring *wiring, struct slice *bad)
{
	return network_list_parse(wiring->pool, slice_of(wiring->conf->server.trusted_proxies), &wiring->trusted_proxies, bad);
}

static bool
parse_schedule(struct wiring *wiring, struct slice *bad)
{
	return retry_schedule_parse(slice_of(wiring->conf->dispatch.schedule), &wiring->schedule, bad);
}

/* What conf knows only as a list of words, and the layer whose rule it is. */
static const struct {
	bool (*parse)(struct wiring *wiring, struct slice *bad);
	const char *setting, *expected;
} parts[] = {
	{ parse_webhook_addresses, "dispatch.allow_networks or dispatch.deny_ports", "networks and ports" },
	{ parse_trusted_proxies, "server.trusted_proxies", "networks" },
	{ parse_schedule, "dispatch.schedule", "durations from 1s to 7d" },
};

bool
wiring_read(const char *path, struct wiring *wiring, struct buffer *problems)
{
	struct slice bad;
	*wiring = (struct wiring){ .pool = pool_new() };
	bool good = conf_load(path, &wiring->conf, problems);
	for (size_t i = 0; wiring->conf != NULL && i < ARRAY_SIZE(parts); i++) {
		if (parts[i].parse(wiring, &bad))
			continue;
		buffer_printf(problems, "%s: \"%.*s\" is not usable: expected %s\n", parts[i].setting, SLICE_ARGS(bad),
		    parts[i].expected);
		good = false;
	}
	if (!good)
		wiring_free(wiring);
	return good;
}

void
wiring_free(struct wiring *wiring)
{
	conf_free(&wiring->conf);
	pool_free(&wiring->pool);
}

bool
wiring_load(const char *program, const char *path, struct wiring *wiring)
{
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	bool good = wiring_read(path, wiring, &problems);
	if (!good)
		fprintf(stderr, "%s: the configuration is not usable\n%.*s", program, SLICE_ARGS(buffer_slice(&problems)));
	buffer_free(&problems);
	if (!good)
		return false;
	const struct conf_log *log = &wiring->conf->log;
	log_init(program, log->level);
	/* also away from a file, when a new configuration has none */
	if (log_to_file(*log->file == '\0' ? NULL : log->file))
		return true;
	fprintf(stderr, "%s: log.file: %s: %s\n", program, log->file, strerror(errno));
	wiring_free(wiring);
	return false;
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

bool
wiring_schema_fits(struct store *store)
{
	return store_demand_schema(store) != RESULT_INVALID;
}
