/* SPDX-License-Identifier: MIT */
#include "admin/doctor/database.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "admin/doctor/account.h"
#include "admin/doctor/web.h"
#include "os/clock.h"
#include "os/loopback.h"
#include "store/operator/check_findings.h"
#include "store/operator/installation_check.h"
#include "store/operator/sealing.h"
#include "store/schema.h"

#define OPTION_FOLDER "/etc/mysql/mariadb.conf.d"

/* A line for the server's option file; Debian has a folder for files with local options. */
static void
add_option(struct doctor *doctor, struct slice line)
{
	const bool is_debian = access(OPTION_FOLDER, F_OK) == 0;
	doctor_line(doctor, is_debian ? SLICE(OPTION_FOLDER "/60-leadhook.cnf") : SLICE("/etc/mysql/my.cnf"),
	    SLICE("[mariadbd]"), line);
}

/* ---- a connection that is not made, or not protected ---- */

static const struct slice server_socket = SLICE("(the socket of the server)");

/* Adds a line for the option file if the value comes from there, otherwise a line for the setting. `own`: the value of the
 * setting. */
static void
add_line(struct doctor *doctor, const char *key, const char *own, struct slice value)
{
	const char *option_file = doctor->conf->database.option_file;
	if (*option_file != '\0' && *own == '\0')
		doctor_line(doctor, slice_of(option_file), SLICE("[leadhook]"),
		    pool_printf(doctor->pool, "%s = %.*s", key, SLICE_ARGS(value)));
	else
		doctor_setting(doctor, "database", key, value);
}

/* Whether the first host is this one. Without a host, the connection uses the socket or localhost. */
static bool
host_is_here(const struct conf_database *database)
{
	struct slice list = slice_of(database->host), item, host;
	uint64_t port;
	if (!slice_next_item(&list, &item) || !slice_split_port(item, &host, &port))
		return true;
	return host_is_loopback(host);
}

/* The server offers no TLS, or its certificate is not trusted. */
static void
add_tls(struct doctor *doctor, struct slice detail)
{
	const struct conf_database *database = &doctor->conf->database;
	if (!slice_contains(detail, SLICE("does not support"))) {
		doctor_setting(doctor, "database", "tls_ca", SLICE("(the certificate of the server's authority)"));
	} else if (host_is_here(database)) {
		doctor_setting(doctor, "database", "tls", SLICE("off"));
	} else {
		add_option(doctor, SLICE("ssl_cert = (the certificate of database.host)"));
		add_option(doctor, SLICE("ssl_key = (its key)"));
	}
}

/* If the folder of the socket does not exist, the setting must be wrong: no server can have its socket there. */
static void
add_server(struct doctor *doctor)
{
	const struct conf_database *database = &doctor->conf->database;
	struct stat status;
	if (*database->socket != '\0' && stat(account_folder_of(doctor->pool, database->socket), &status) != 0)
		doctor_setting(doctor, "database", "socket", server_socket);
	else if (!host_is_here(database))
		add_line(doctor, "host", database->host, SLICE("(a database server that answers)"));
	else
		DOCTOR_COMMAND(doctor, NULL, "service mariadb start");
}

/* Adds a statement for the server's administrator to type. */
static void
add_statement_text(struct doctor *doctor, struct slice statement)
{
	doctor_line(doctor, SLICE("the client mariadb"), SLICE_NONE, statement);
}

/* Accounts at localhost may use the socket, but not TCP if the server does not resolve names. */
static void
add_host(struct doctor *doctor)
{
	if (host_is_here(&doctor->conf->database)) {
		doctor_setting(doctor, "database", "host", SLICE(""));
		doctor_setting(doctor, "database", "socket", server_socket);
	} else {
		add_statement_text(doctor,
		    SLICE("GRANT ALL ON (the database).* TO (the account)@'(this host)' IDENTIFIED BY '(its password)';"));
	}
}

static void
correct_connection(struct doctor *doctor, const struct finding *finding)
{
	static const struct slice away = SLICE("check that the server is running");
	const struct conf_database *database = &doctor->conf->database;
	switch (store_denial(doctor->call->store)) {
	case DENIAL_ACCOUNT:
		add_line(doctor, "password", database->password, SLICE("(the password of this account)"));
		break;
	case DENIAL_DATABASE:
		doctor_setting(doctor, "database", "name", SLICE("(a database that this account may use)"));
		break;
	case DENIAL_TLS:
		add_tls(doctor, finding->detail);
		break;
	case DENIAL_HOST:
		add_host(doctor);
		break;
	case DENIAL_PLUGIN:
		add_statement_text(doctor,
		    SLICE("ALTER USER (the account) IDENTIFIED VIA mysql_native_password USING PASSWORD('(its password)');"));
		break;
	case DENIAL_NONE:
		if (slice_starts_with(finding->hint, away))
			add_server(doctor);
		break;
	}
}

/* A connection to a server on this host needs no TLS if it uses the server's socket. */
static void
protect_connection(struct doctor *doctor, const struct finding *finding)
{
	struct server_facts server;
	struct stat status;
	if (slice_contains(finding->detail, SLICE("another host"))) {
		doctor_setting(doctor, "database", "tls", SLICE("verify"));
		return;
	}
	if (store_read_server(doctor->call->store, doctor->pool, &server) == RESULT_OK && slice_present(server.socket) &&
	    stat(pool_string(doctor->pool, server.socket), &status) == 0 && S_ISSOCK(status.st_mode)) {
		doctor_setting(doctor, "database", "host", SLICE(""));
		doctor_setting(doctor, "database", "socket", server.socket);
	} else {
		doctor_setting(doctor, "database", "tls", SLICE("off"));
	}
}

/* ---- findings of `leadhook check` ---- */

/* Adds a command with a statement for the server's administrator; the statement contains no "'". */
static void
add_statement(struct doctor *doctor, struct slice statement)
{
	DOCTOR_COMMAND(doctor, NULL, "mariadb -e '%.*s'", SLICE_ARGS(statement));
}

static void
add_rights(struct doctor *doctor, const struct finding *finding)
{
	add_statement(doctor, finding->hint);
}

static void
add_connections(struct doctor *doctor, const struct finding *finding)
{
	const struct connection_needs needs = doctor->call->wiring->connection_needs(doctor->conf);
	const unsigned responders = needs.workers == 0 ? 1 : needs.workers * needs.per_worker + needs.committer;
	const unsigned all = responders + needs.dispatcher + needs.command;
	struct server_facts server;
	if (!slice_starts_with(finding->hint, SLICE("raise max_user_connections")))
		add_option(doctor, pool_printf(doctor->pool, "max_connections = %u", all));
	else if (store_read_server(doctor->call->store, doctor->pool, &server) == RESULT_OK)
		add_statement(doctor,
		    pool_printf(doctor->pool, "ALTER USER %.*s WITH MAX_USER_CONNECTIONS %u", SLICE_ARGS(server.account), all));
}

/* Adds the command that the hint contains. It contains none if newer programs must be installed. */
static void
add_upgrade(struct doctor *doctor, const struct finding *finding)
{
	static const struct slice commands[] = { SLICE("leadhook install"), SLICE("leadhook upgrade") };
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (slice_contains(finding->hint, commands[i]))
			doctor_command(doctor, NULL, commands[i]);
}

/* What corrects each finding. For findings without a row, the hint says what to do. */
static const struct {
	struct slice what;
	struct slice option; /* of the server */
	struct slice command;
	const char *key; /* of a setting in the section database */
	struct slice value;
	void (*correct)(struct doctor *doctor, const struct finding *finding);
} corrections[] = {
	{ SLICE("durability"), .option = SLICE("innodb_flush_log_at_trx_commit = 1") },
	{ SLICE("binlog_durability"), .option = SLICE("sync_binlog = 1") },
	{ SLICE("packet_size"), .option = SLICE("max_allowed_packet = 16M") },
	{ SLICE("sync_wait"), .option = SLICE("wsrep_sync_wait = 1") },
	{ SLICE("clock"), .command = SLICE("timedatectl set-ntp true") },
	{ SLICE("partitions"), .command = SLICE("leadhook upgrade") },
	{ SLICE("read_host"), .key = "read_host", .value = SLICE("") }, /* lists are then read from database.host */
	{ SLICE("database_host"), .key = "host", .value = SLICE("(hosts that run)") },
	{ SLICE("rights"), .correct = add_rights },
	{ SLICE("schema_version"), .correct = add_upgrade },
	{ SLICE("connection_limit"), .correct = add_connections },
	{ SLICE("database_tls"), .correct = protect_connection },
	{ SLICE("connection"), .correct = correct_connection },
};

static void
add_correction(struct doctor *doctor, const struct finding *finding)
{
	size_t i = 0;
	while (i < ARRAY_SIZE(corrections) && !slice_equal(corrections[i].what, finding->what))
		i++;
	if (i == ARRAY_SIZE(corrections))
		return;
	if (slice_present(corrections[i].option))
		add_option(doctor, corrections[i].option);
	if (slice_present(corrections[i].command))
		doctor_command(doctor, NULL, corrections[i].command);
	if (corrections[i].key != NULL)
		doctor_setting(doctor, "database", corrections[i].key, corrections[i].value);
	if (corrections[i].correct != NULL)
		corrections[i].correct(doctor, finding);
}

/* Reads what later checks need. */
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

/* ---- secrets ---- */

/* Secrets that cannot be opened are a finding of `leadhook check`. */
void
check_secrets(struct doctor *doctor)
{
	struct secret_counts counts;
	if (!doctor_has_read(doctor, store_count_secrets(doctor->call->store, doctor->pool, &counts)))
		return;
	if (counts.plain > 0) {
		DOCTOR_FIND(
		    doctor, "secrets_not_sealed", "%" PRIu64 " secrets in the database are not encrypted", counts.plain);
		if (!store_has_secrets_key(doctor->call->store)) {
			DOCTOR_SETTING(doctor, "server", "secrets_key", "(64 hexadecimal digits: openssl rand -hex 32)");
			web_server_start_program(doctor, PROGRAM_RESTART);
		}
		DOCTOR_COMMAND(doctor, NULL, "leadhook secrets seal");
	}
	if (counts.old > 0) {
		DOCTOR_FIND(doctor, "secrets_old_key",
		    "%" PRIu64 " secrets in the database are sealed with a key that is not the first one", counts.old);
		DOCTOR_COMMAND(doctor, NULL, "leadhook secrets seal");
	}
}
