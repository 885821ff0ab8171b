/* SPDX-License-Identifier: MIT
 * Requirements for the server before we authenticate: TLS, and an authentication plugin that does not reveal the password
 * (leadhook.conf(5), tls). */
#pragma once

struct db;

/* The server at the other end of the open connection. */
enum db_peer {
	DB_PEER_SOCKET,   /* a unix socket */
	DB_PEER_LOOPBACK, /* TCP on this host, not verified */
	DB_PEER_REMOTE,   /* TCP to another host, not verified */
	DB_PEER_VERIFIED  /* TLS with a verified certificate */
};
enum db_peer db_peer(const struct db *db);

/* For connection.c: reads the option file, and sets the requirements for the server before the password is sent. Call before
 * setting other options. */
void trust_set_options(struct db *db);
