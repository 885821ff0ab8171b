/* SPDX-License-Identifier: MIT */
#include "db/trust.h"

#include <string.h>
#include <sys/socket.h>

#include "base/panic.h"
#include "db/connection_state.h"
#include "os/loopback.h"

/* The server chooses the plugin, and Connector/C loads whichever it names, including those that send the password in clear
 * text. These two never send it. Connector/C also accepts substrings of this list, so no name here may contain the name of a
 * weaker plugin. */
#define PLUGINS_SECRET "mysql_native_password,client_ed25519"
/* This one sends the password when the server asks for it: only over TLS to a verified server. */
#define PLUGINS_VERIFIED PLUGINS_SECRET ",caching_sha2_password"

/* TCP cannot connect to it. */
#define NOWHERE "255.255.255.255"

static bool
is_set(const char *text)
{
	return text != NULL && *text != '\0';
}

/* Connector/C reads the option file when it connects, and its lines override earlier options: a line could disable
 * verification, or name a host that we have not checked. So the file is read in a connection attempt that cannot succeed and
 * has no password. */
static void
read_option_file(MYSQL *mysql, const char *path)
{
	mysql_options(mysql, MYSQL_READ_DEFAULT_FILE, path);
	mysql_options(mysql, MYSQL_READ_DEFAULT_GROUP, "leadhook");
	mysql_real_connect(mysql, NOWHERE, "", "", NULL, 1, NULL, CLIENT_REMEMBER_OPTIONS);
}

/* Without a host, Connector/C uses the unix socket or localhost. mysql_get_option() does not return the host of the option
 * file. */
static bool
host_is_remote(const struct db *db)
{
	const char *own = db->hosts[db->host].name, *host = is_set(own) ? own : db->mysql->options.host;
	return is_set(host) && !host_is_loopback(slice_of(host));
}

static bool
demands_tls(const struct db *db)
{
	const char *tls = db->options->tls;
	return is_set(tls) ? strcmp(tls, "verify") == 0 : host_is_remote(db);
}

void
trust_set_options(struct db *db)
{
	const struct db_options *o = db->options;
	const my_bool yes = 1;
	const unsigned no = 0;
	if (is_set(o->option_file))
		read_option_file(db->mysql, o->option_file);
	/* has precedence over the option file: a server could request any file */
	mysql_options(db->mysql, MYSQL_OPT_LOCAL_INFILE, &no);
	bool tls = demands_tls(db);
	if (tls) {
		mysql_options(db->mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(db->mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
	}
	if (tls && is_set(o->tls_ca))
		mysql_options(db->mysql, MYSQL_OPT_SSL_CA, o->tls_ca);
	mysql_options(db->mysql, MARIADB_OPT_RESTRICTED_AUTH, tls ? PLUGINS_VERIFIED : PLUGINS_SECRET);
}

static bool
by_unix_socket(const struct db *db)
{
	struct sockaddr_storage own = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof(own);
	return getsockname(mysql_get_socket(db->mysql), (struct sockaddr *)&own, &size) == 0 && own.ss_family == AF_UNIX;
}

enum db_peer
db_peer(const struct db *db)
{
	require(db->mysql != NULL);
	my_bool verified = 0;
	if (mysql_get_ssl_cipher(db->mysql) != NULL &&
	    mysql_get_option(db->mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verified) == 0 && verified)
		return DB_PEER_VERIFIED;
	if (by_unix_socket(db))
		return DB_PEER_SOCKET;
	return host_is_remote(db) ? DB_PEER_REMOTE : DB_PEER_LOOPBACK;
}
