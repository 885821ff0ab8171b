/* SPDX-License-Identifier: MIT
 * Hashes by which limits count the addresses that mails and texts go to. They are HMACs with the installation's secret, so the
 * stored hashes reveal no address. */
#pragma once

#include "base/pool.h"
#include "base/slice.h"

enum { ADDRESS_HASH_SIZE = 16 };
struct address_hash {
	unsigned char bytes[ADDRESS_HASH_SIZE];
};

/* The hash of the mailbox of an email address (a key). */
struct address_hash address_hash_mailbox(struct pool *pool, struct slice server_secret, struct slice email_key);
/* The hash of a phone number in E.164, and that of the 10,000 numbers that differ from it only in the last four digits. */
struct address_hash address_hash_number(struct slice server_secret, struct slice number);
struct address_hash address_hash_prefix(struct slice server_secret, struct slice number);
