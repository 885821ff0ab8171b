/* SPDX-License-Identifier: MIT
 * Hashes by which limits of mails and texts count the addresses that they go to: HMACs with the installation's secret, so that
 * what is stored shows no address. */
#ifndef LEADHOOK_IDENTITY_ADDRESS_HASH_H
#define LEADHOOK_IDENTITY_ADDRESS_HASH_H

#include "base/pool.h"
#include "base/slice.h"

enum { ADDRESS_HASH_SIZE = 16 };
struct address_hash {
	unsigned char bytes[ADDRESS_HASH_SIZE];
};

/* Of the mailbox that an email address (a key) is a spelling of. */
struct address_hash address_hash_mailbox(struct pool *pool, struct slice server_secret, struct slice email_key);
/* Of a phone number in E.164, and of the 10,000 numbers that differ from it in the last four digits alone. */
struct address_hash address_hash_number(struct slice server_secret, struct slice number);
struct address_hash address_hash_prefix(struct slice server_secret, struct slice number);

#endif
