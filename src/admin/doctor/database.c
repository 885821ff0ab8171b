/* SPDX-License-Identifier: MIT
 * The database: the findings of `leadhook check`, with the line that corrects each. */
#include <unistd.h>

#include "admin/doctor/doctor.h"
#include "os/clock.h"
#include "store/operator/check_findings.h"
#include "store/operator/installation_check.h"
#include "store/schema.h"

#define OPTION_FOLDER "/etc/mysql/mariadb.conf.d"

/* The file of Debian's server for options of one's own. */
static struct slice
option_file(void)
{
	return access(OPTION_FOLDER, F_OK) == 0 ? SLICE(OPTION_FOLDER "/60-leadhook.cnf") : SLICE("/etc/mysql/my.cnf");
}

void
database_option(struct doctor *doctor, struct slice line)
{
	doctor_line(doctor, option_file(), SLICE("[mariadbd]"), line);
}

/* Lines of the server's option file, or commands. Findings without a row have their hint as the reason. */
static const struct {
	struct slice what;
	struct slice line, command;
} corrections[] = {
	{ SLICE("durability"), SLICE("innodb_flush_log_at_trx_commit = 1"), SLICE_NONE },
	{ SLICE("binlog_durability"), SLICE("sync_binlog = 1"), SLICE_NONE },
	{ SLICE("packet_size"), SLICE("max_allowed_packet = 16M"), SLICE_NONE },
	{ SLICE("sync_wait"), SLICE("wsrep_sync_wait = 1"), SLICE_NONE },
	{ SLICE("clock"), SLICE_NONE, SLICE("timedatectl set-ntp true") },
	{ SLICE("partitions"), SLICE_NONE, SLICE("leadhook upgrade") },
};

/* A statement for the server's administrator. It has no "'". */
static void
add_statement(struct doctor *doctor, struct slice statement)
{
	doctor_command(doctor, SLICE_NONE, pool_printf(doctor->pool, "mariadb -e '%.*s'", SLICE_ARGS(statement)));
}

static void
add_connections(struct doctor *doctor, struct slice hint)
{
	const struct connection_needs needs = doctor->call->wiring->connection_needs(doctor->conf);
	const unsigned responders = needs.workers == 0 ? 1 : needs.workers + needs.committer;
	const unsigned all = responders + needs.dispatcher + needs.command;
	struct server_facts server;
	if (!slice_starts_with(hint, SLICE("raise max_user_connections")))
		database_option(doctor, pool_printf(doctor->pool, "max_connections = %u", all));
	else if (store_read_server(doctor->call->store, doctor->pool, &server) == RESULT_OK)
		add_statement(doctor,
		    pool_printf(doctor->pool, "ALTER USER %.*s WITH MAX_USER_CONNECTIONS %u", SLICE_ARGS(server.account), all));
}

/* The command that the hint has; none where newer programs are to be installed. */
static void
add_upgrade(struct doctor *doctor, struct slice hint)
{
	static const struct slice commands[] = { SLICE("leadhook install"), SLICE("leadhook upgrade") };
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (slice_contains(hint, commands[i]))
			doctor_command(doctor, SLICE_NONE, commands[i]);
}

static void
add_correction(struct doctor *doctor, const struct finding *finding)
{
	for (size_t i = 0; i < ARRAY_SIZE(corrections); i++) {
		if (!slice_equal(corrections[i].what, finding->what))
			continue;
		if (slice_present(corrections[i].line))
			database_option(doctor, corrections[i].line);
		else
			doctor_command(doctor, SLICE_NONE, corrections[i].command);
	}
	if (slice_equal(finding->what, SLICE("rights")))
		add_statement(doctor, finding->hint);
	else if (slice_equal(finding->what, SLICE("schema_version")))
		add_upgrade(doctor, finding->hint);
	else if (slice_equal(finding->what, SLICE("connection_limit")))
		add_connections(doctor, finding->hint);
	else if (slice_equal(finding->what, SLICE("read_host")))
		doctor_setting(doctor, "database", "read_host", SLICE("")); /* lists are read from database.host then */
	else if (slice_equal(finding->what, SLICE("database_host")))
		doctor_setting(doctor, "database", "host", SLICE("(hosts that run)"));
	else if (slice_equal(finding->what, SLICE("database_tls")))
		connection_protection(doctor, finding);
	else if (slice_equal(finding->what, SLICE("connection")))
		connection_remedies(doctor, finding);
}

/* For the checks that follow. */
static void
read_database(struct doctor *doctor)
{
	const struct payload_settings *settings;
	struct server_facts server;
	uint32_t found;
	if (store_ready(doctor->call->store, &found) != RESULT_OK)
		return;
	doctor->has_database = store_read_server(doctor->call->store, doctor->pool, &server) == RESULT_OK;
	if (!doctor->has_database)
		return;
	doctor->ahead_ms = server.now_ms - clock_wall_ms();
	if (store_payload_settings(doctor->call->store, &settings) == RESULT_OK)
		doctor->secret = settings->server_secret;
}

void
check_database(struct doctor *doctor)
{
	struct finding *findings;
	size_t count;
	const struct connection_needs needs = doctor->call->wiring->connection_needs(doctor->conf);
	store_check(doctor->call->store, doctor->pool, &needs, CHECK_QUICK, &findings, &count);
	for (size_t i = 0; i < count; i++) {
		const struct slice detail =
		    slice_equal(findings[i].what, SLICE("connection"))
			? pool_printf(doctor->pool, "%.*s (%.*s)", SLICE_ARGS(findings[i].detail), SLICE_ARGS(findings[i].hint))
			: findings[i].detail;
		doctor_find_because(doctor, pool_string(doctor->pool, findings[i].what), detail, findings[i].hint);
		add_correction(doctor, &findings[i]);
	}
	read_database(doctor);
}
