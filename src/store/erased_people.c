/* SPDX-License-Identifier: MIT */
#include "store/erased_people.h"

#include "base/encode.h"
#include "crypto/digest.h"
#include "engine/decide/working_set.h"
#include "store/query.h"
#include "store/state.h"
#include "store/statements.h"

DB_STATEMENT(sql_insert_erased, "INSERT IGNORE INTO {prefix}erased_people (hash, erased_ms) VALUES (?, " NOW ")");
DB_STATEMENT(sql_delete_erased, "DELETE FROM {prefix}erased_people WHERE hash = ?");
DB_STATEMENT(sql_select_any_erased, "SELECT 1 FROM {prefix}erased_people LIMIT 1");
DB_STATEMENT(sql_select_erased, "SELECT hash FROM {prefix}erased_people WHERE hash IN ({list})");

enum { HASH_SIZE = 16, HASHES = 4 /* hashes for an import: email and number, for its campaign and for all campaigns */ };

static struct db_value
hash_of(struct slice secret, struct pool *pool, uint64_t campaign_id, enum lead_channel channel, struct slice address)
{
	char digits[DECIMAL_SIZE];
	const struct slice pieces[] = { SLICE("leadhook erased v1:"), encode_decimal(campaign_id, digits), SLICE(":"),
		lead_channel_name(channel), SLICE(":"), address };
	const struct digest digest = digest_hmac_sha256(secret, pieces, ARRAY_SIZE(pieces));
	return db_bytes(pool_copy(pool, slice_sub(digest_slice(&digest), 0, HASH_SIZE)));
}

enum result
store_note_erased(struct store *store, struct pool *pool, uint64_t campaign_id, enum lead_channel channel, struct slice address,
    enum erased_state state)
{
	const struct payload_settings *settings;
	const enum result result = store_payload_settings(store, &settings);
	return result == RESULT_OK ? store_run(store, state == PERSON_ERASED ? &sql_insert_erased : &sql_delete_erased,
					 hash_of(settings->server_secret, pool, campaign_id, channel, address))
				   : result;
}

/* Returns the number of hashes. */
static size_t
hashes_of(struct slice secret, struct pool *pool, const struct command *command, struct db_value hashes[HASHES])
{
	const struct slice addresses[] = {
		[CHANNEL_EMAIL] = command->as.import->signup.email_key, [CHANNEL_PHONE] = command->as.import->signup.phone
	};
	size_t count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		if (!slice_present(addresses[i]))
			continue;
		hashes[count++] = hash_of(secret, pool, command->campaign_id, (enum lead_channel)i, addresses[i]);
		hashes[count++] = hash_of(secret, pool, 0, (enum lead_channel)i, addresses[i]);
	}
	return count;
}

static bool
is_among(const struct db_rows *rows, const struct db_value *hashes, size_t count)
{
	for (size_t i = 0; i < rows->count; i++)
		for (size_t k = 0; k < count; k++)
			if (slice_equal(db_get_bytes(rows, i, 0), hashes[k].as.bytes))
				return true;
	return false;
}

enum result
store_load_erased(
    struct store *store, struct pool *pool, const struct command *const *commands, size_t count, struct working_set *set)
{
	const struct payload_settings *settings;
	struct db_rows rows;
	bool any = false;
	for (size_t i = 0; i < count; i++)
		any = any || commands[i]->kind == COMMAND_IMPORT;
	enum result result = any ? store_exists(store, &sql_select_any_erased) : RESULT_NOT_FOUND;
	if (result != RESULT_OK)
		return result == RESULT_NOT_FOUND ? RESULT_OK : result;
	struct db_value *hashes = POOL_ARRAY(pool, count * HASHES, struct db_value);
	size_t *counts = POOL_ARRAY(pool, count, size_t), total = 0;
	result = store_payload_settings(store, &settings);
	for (size_t i = 0; i < count && result == RESULT_OK; i++)
		if (commands[i]->kind == COMMAND_IMPORT)
			total += counts[i] = hashes_of(settings->server_secret, pool, commands[i], hashes + total);
	if (result == RESULT_OK)
		result = store_query_lists(store, pool, &sql_select_erased, &(struct db_list){ hashes, total }, 1, &rows);
	if (result != RESULT_OK)
		return result;
	set->erased = POOL_ARRAY(pool, count, const struct import *);
	for (size_t i = 0; i < count; hashes += counts[i++])
		if (is_among(&rows, hashes, counts[i]))
			set->erased[set->erased_count++] = commands[i]->as.import;
	return RESULT_OK;
}
