/* SPDX-License-Identifier: MIT
 * A connection to the database that is not made, or not protected: the lines that correct it. */
#include <sys/stat.h>

#include "admin/doctor/doctor.h"
#include "identity/network.h"
#include "store/operator/check_findings.h"
#include "store/operator/installation_check.h"
#include "store/store.h"

static const struct slice server_socket = SLICE("(the socket of the server)");

/* A line of the option file, if that has the value; else a setting. `own` is the setting's value. */
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

/* Of the first host; without one, it is the socket or localhost. */
static bool
host_is_here(const struct conf_database *database)
{
	struct slice list = slice_of(database->host), item, host;
	struct ip_address address;
	uint64_t port;
	if (!slice_next_item(&list, &item) || !slice_split_port(item, &host, &port))
		return true;
	return slice_equal(host, SLICE("localhost")) || (ip_address_parse(host, &address) && ip_address_is_loopback(&address));
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
		database_option(doctor, SLICE("ssl_cert = (the certificate of database.host)"));
		database_option(doctor, SLICE("ssl_key = (its key)"));
	}
}

/* A socket in a folder that does not exist is not that of a server. */
static void
add_server(struct doctor *doctor)
{
	const struct conf_database *database = &doctor->conf->database;
	struct stat status;
	if (*database->socket != '\0' && stat(account_folder_of(doctor->pool, database->socket).data, &status) != 0)
		doctor_setting(doctor, "database", "socket", server_socket);
	else if (!host_is_here(database))
		add_line(doctor, "host", database->host, SLICE("(a database server that answers)"));
	else
		doctor_command(doctor, SLICE_NONE, SLICE("service mariadb start"));
}

/* For the server's administrator. */
static void
add_statement_text(struct doctor *doctor, struct slice statement)
{
	doctor_line(doctor, SLICE("the client mariadb"), SLICE_NONE, statement);
}

/* Accounts at localhost may use the socket, not TCP where the server resolves no names. */
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

void
connection_remedies(struct doctor *doctor, const struct finding *finding)
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

/* On this host, the server's socket needs no TLS. */
void
connection_protection(struct doctor *doctor, const struct finding *finding)
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
