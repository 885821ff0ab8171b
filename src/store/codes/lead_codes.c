/* SPDX-License-Identifier: MIT */
#include "store/codes/lead_codes.h"

#include "base/encode.h"
#include "crypto/digest.h"
#include "os/random.h"
#include "store/query.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_put_code, "INSERT INTO {prefix}lead_codes (lead_id, channel, address_hash, code_hash, expires_ms, tries)"
			   " VALUES (?, ?, ?, ?, " NOW " + ?, 0)"
			   " ON DUPLICATE KEY UPDATE address_hash = VALUES(address_hash), code_hash = VALUES(code_hash),"
			   " expires_ms = VALUES(expires_ms), tries = IF(?, tries, 0)");
DB_STATEMENT(sql_lock_code, "SELECT address_hash, code_hash, expires_ms, tries"
			    " FROM {prefix}lead_codes WHERE lead_id = ? AND channel = ? AND expires_ms > " NOW " FOR UPDATE");
DB_STATEMENT(sql_count_try, "UPDATE {prefix}lead_codes SET tries = tries + 1 WHERE lead_id = ? AND channel = ?");
DB_STATEMENT(sql_delete_code, "DELETE FROM {prefix}lead_codes WHERE lead_id = ? AND channel = ? AND code_hash = ?");

enum { ADDRESS_HASH, CODE_HASH, EXPIRES_MS, TRIES };

/* The first part of the hashed text makes these hashes differ from each other, and from opt-out tokens. */
static const struct {
	struct slice address_piece, code_piece;
	int64_t valid_ms;
} channels[] = {
	[CHANNEL_EMAIL] = { SLICE("leadhook email address v1:"), SLICE("leadhook email code v1:"), EMAIL_CODE_MS },
	[CHANNEL_PHONE] = { SLICE("leadhook phone number v1:"), SLICE("leadhook phone code v1:"), PHONE_CODE_MS },
};

/* What the stored code is bound to. */
struct hashes {
	struct digest address, code;
};

static enum result
hashes_of(struct store *store, const struct lead_code *code, struct slice digits, struct hashes *hashes)
{
	const struct payload_settings *settings;
	char decimal[DECIMAL_SIZE];
	const enum result result = store_payload_settings(store, &settings);
	if (result != RESULT_OK)
		return result;
	const struct slice id = encode_decimal(code->lead_id, decimal), address = code->address;
	const struct slice of_address[] = { channels[code->channel].address_piece, id, SLICE(":"), address };
	const struct slice of_code[] = { channels[code->channel].code_piece, id, SLICE(":"), address, SLICE(":"), digits };
	hashes->address = digest_hmac_sha256(settings->server_secret, of_address, ARRAY_SIZE(of_address));
	hashes->code = digest_hmac_sha256(settings->server_secret, of_code, ARRAY_SIZE(of_code));
	return RESULT_OK;
}

struct slice
lead_code_random(struct pool *pool)
{
	return pool_printf(pool, "%0*u", LEAD_CODE_DIGITS, (unsigned)random_below(1000000));
}

static enum result
put_row(struct store *store, enum lead_channel channel, uint64_t id, const struct hashes *hashes, enum lead_code_tries tries)
{
	return store_run(store, &sql_put_code, DB_U64(id), DB_U64(channel), db_bytes(digest_slice(&hashes->address)),
	    db_bytes(digest_slice(&hashes->code)), DB_I64(channels[channel].valid_ms), DB_BOOL(tries == CODE_KEEPS_TRIES));
}

enum result
lead_code_put(struct store *store, const struct lead_code *code, struct slice digits, enum lead_code_tries tries)
{
	struct hashes hashes;
	const enum result result = hashes_of(store, code, digits, &hashes);
	return result == RESULT_OK ? put_row(store, code->channel, code->lead_id, &hashes, tries) : result;
}

enum result
lead_code_make(struct store *store, struct pool *pool, const struct lead_code *code, enum lead_code_tries tries,
    struct slice *digits, int64_t *expires_ms)
{
	struct db_rows rows;
	*digits = lead_code_random(pool);
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = lead_code_put(store, code, *digits, tries);
		if (txn.result == RESULT_OK)
			txn.result = store_query_one(
			    store, txn.pool, &rows, &sql_lock_code, DB_U64(code->lead_id), DB_U64(code->channel));
		if (txn.result == RESULT_OK)
			*expires_ms = db_get_i64(&rows, 0, EXPIRES_MS);
	}
	return txn.result;
}

static bool
is_code(struct slice text)
{
	for (size_t i = 0; i < text.size; i++)
		if (!ascii_is_digit(text.data[i]))
			return false;
	return text.size == LEAD_CODE_DIGITS;
}

/* Compares the hashes with the stored ones. */
static enum result
compare(struct store *store, struct pool *pool, const struct lead_code *code, const struct hashes *hashes,
    enum lead_code_verdict *verdict)
{
	struct db_rows rows;
	*verdict = LEAD_CODE_MISSING;
	const enum result result =
	    store_query(store, pool, &rows, &sql_lock_code, DB_U64(code->lead_id), DB_U64(code->channel));
	if (result == RESULT_OK && rows.count > 0 && db_get_u64(&rows, 0, TRIES) < LEAD_CODE_TRIES &&
	    digest_equal(db_get_bytes(&rows, 0, ADDRESS_HASH), digest_slice(&hashes->address)))
		*verdict = digest_equal(db_get_bytes(&rows, 0, CODE_HASH), digest_slice(&hashes->code)) ? LEAD_CODE_RIGHT
													: LEAD_CODE_WRONG;
	return result;
}

/* If there is no code whose tries could be counted, writes a row that belongs to no lead, so that the answer takes as long: the
 * time must not show which addresses belong to leads. The row expires like a code. */
static enum result
write_in_vain(struct store *store, const struct lead_code *code, const struct hashes *hashes)
{
	const uint64_t beyond_leads = UINT64_C(1) << 63;
	uint64_t id;
	memcpy(&id, hashes->address.bytes, sizeof(id));
	return put_row(store, code->channel, id | beyond_leads, hashes, CODE_RESETS_TRIES);
}

enum result
lead_code_try(struct store *store, const struct lead_code *code, struct slice digits, enum lead_code_verdict *verdict)
{
	struct hashes hashes;
	const bool counts = is_code(digits);
	const enum result result = hashes_of(store, code, digits, &hashes);
	if (result != RESULT_OK)
		return result;
	/* if the outcome is unknown, the try may be counted twice, but it is always counted */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = compare(store, txn.pool, code, &hashes, verdict);
		if (txn.result == RESULT_OK && *verdict != LEAD_CODE_MISSING && counts)
			txn.result = store_change_one(store, &sql_count_try, DB_U64(code->lead_id), DB_U64(code->channel));
	}
	if (txn.result == RESULT_OK && *verdict == LEAD_CODE_MISSING && counts)
		return write_in_vain(store, code, &hashes);
	return txn.result;
}

enum result
lead_code_remove(struct store *store, const struct lead_code *code, struct slice digits)
{
	struct hashes hashes;
	const enum result result = hashes_of(store, code, digits, &hashes);
	return result == RESULT_OK ? store_run(store, &sql_delete_code, DB_U64(code->lead_id), DB_U64(code->channel),
					 db_bytes(digest_slice(&hashes.code)))
				   : result;
}
