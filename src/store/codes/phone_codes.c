/* SPDX-License-Identifier: MIT */
#include "store/codes/phone_codes.h"

#include "base/encode.h"
#include "base/random.h"
#include "crypto/digest.h"
#include "store/query.h"
#include "store/statements.h"
#include "store/transaction.h"

DB_STATEMENT(sql_put_phone_code, "INSERT INTO {prefix}phone_codes (lead_id, number_hash, code_hash, expires_ms, tries)"
				 " VALUES (?, ?, ?, " NOW " + ?, 0)"
				 " ON DUPLICATE KEY UPDATE number_hash = VALUES(number_hash), code_hash = VALUES(code_hash),"
				 " expires_ms = VALUES(expires_ms), tries = 0");
DB_STATEMENT(sql_lock_phone_code, "SELECT number_hash, code_hash, expires_ms, tries"
				  " FROM {prefix}phone_codes"
				  " WHERE lead_id = ? AND expires_ms > " NOW " FOR UPDATE");
DB_STATEMENT(sql_count_try, "UPDATE {prefix}phone_codes SET tries = tries + 1 WHERE lead_id = ?");
DB_STATEMENT(sql_delete_phone_code, "DELETE FROM {prefix}phone_codes WHERE lead_id = ? AND code_hash = ?");

store_statement_list sql_of_phone_codes = { &sql_put_phone_code, &sql_lock_phone_code, &sql_count_try, &sql_delete_phone_code,
	NULL };

enum { NUMBER_HASH, CODE_HASH, EXPIRES_MS, TRIES };

/* What the stored code is bound to. */
struct hashes {
	struct digest number, code;
};

static enum result
hashes_of(struct store *store, uint64_t lead_id, struct slice number, struct slice code, struct hashes *hashes)
{
	const struct payload_settings *settings;
	char digits[DECIMAL_SIZE];
	const enum result result = store_payload_settings(store, &settings);
	if (result != RESULT_OK)
		return result;
	/* the first piece separates them from each other, and from opt-out tokens */
	const struct slice id = encode_decimal(lead_id, digits);
	const struct slice of_number[] = { SLICE("leadhook phone number v1:"), id, SLICE(":"), number };
	const struct slice of_code[] = { SLICE("leadhook phone code v1:"), id, SLICE(":"), number, SLICE(":"), code };
	hashes->number = digest_hmac_sha256(settings->server_secret, of_number, ARRAY_SIZE(of_number));
	hashes->code = digest_hmac_sha256(settings->server_secret, of_code, ARRAY_SIZE(of_code));
	return RESULT_OK;
}

enum result
phone_code_make(
    struct store *store, struct pool *pool, uint64_t lead_id, struct slice number, struct slice *code, int64_t *expires_ms)
{
	struct hashes hashes;
	struct db_rows rows;
	*code = pool_printf(pool, "%0*u", PHONE_CODE_DIGITS, (unsigned)random_below(1000000));
	const enum result result = hashes_of(store, lead_id, number, *code, &hashes);
	if (result != RESULT_OK)
		return result;
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn)) {
		txn.result = store_run(store, &sql_put_phone_code, DB_U64(lead_id), db_bytes(digest_slice(&hashes.number)),
		    db_bytes(digest_slice(&hashes.code)), DB_I64(PHONE_CODE_MS));
		if (txn.result == RESULT_OK)
			txn.result = store_query_one(store, txn.pool, &rows, &sql_lock_phone_code, DB_U64(lead_id));
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
	return text.size == PHONE_CODE_DIGITS;
}

/* Reads the stored code, and counts a try. *stored: a copy of its hash. */
static enum result
count_try(struct store *store, struct pool *pool, uint64_t lead_id, const struct hashes *hashes, bool counts,
    struct digest *stored, enum phone_code_verdict *verdict)
{
	struct db_rows rows;
	*verdict = PHONE_CODE_MISSING;
	const enum result result = store_query(store, pool, &rows, &sql_lock_phone_code, DB_U64(lead_id));
	if (result != RESULT_OK || rows.count == 0 || db_get_u64(&rows, 0, TRIES) >= PHONE_CODE_TRIES ||
	    !digest_equal(db_get_bytes(&rows, 0, NUMBER_HASH), digest_slice(&hashes->number)))
		return result;
	*verdict = PHONE_CODE_WRONG;
	if (!counts)
		return RESULT_OK;
	const struct slice hash = db_get_bytes(&rows, 0, CODE_HASH);
	memcpy(stored->bytes, hash.data, sizeof(stored->bytes)); /* BINARY(32) */
	return store_change_one(store, &sql_count_try, DB_U64(lead_id));
}

enum result
phone_code_try(struct store *store, uint64_t lead_id, struct slice number, struct slice code, enum phone_code_verdict *verdict)
{
	struct hashes hashes;
	struct digest stored;
	const bool counts = is_code(code);
	const enum result result = hashes_of(store, lead_id, number, code, &hashes);
	if (result != RESULT_OK)
		return result;
	/* of an unknown outcome the try may count twice, never not at all */
	struct transaction txn = store_transaction(store, REPEAT_UNKNOWN);
	while (store_runs(&txn))
		txn.result = count_try(store, txn.pool, lead_id, &hashes, counts, &stored, verdict);
	if (txn.result == RESULT_OK && *verdict == PHONE_CODE_WRONG && counts &&
	    digest_equal(digest_slice(&stored), digest_slice(&hashes.code)))
		*verdict = PHONE_CODE_RIGHT;
	return txn.result;
}

enum result
phone_code_remove(struct store *store, uint64_t lead_id, struct slice number, struct slice code)
{
	struct hashes hashes;
	const enum result result = hashes_of(store, lead_id, number, code, &hashes);
	return result == RESULT_OK
		   ? store_run(store, &sql_delete_phone_code, DB_U64(lead_id), db_bytes(digest_slice(&hashes.code)))
		   : result;
}
