/* SPDX-License-Identifier: MIT */
#include "bots/challenge.h"

#include <string.h>

#include "base/duration.h"
#include "base/encode.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "os/clock.h"
#include "json/reader.h"
#include "json/writer.h"

/* ---- difficulty ---- */

/* An iteration costs an attacker's program as much time as a browser, but a browser adds some time to each try. With at least
 * COST_MIN iterations for each try, that share stays small. There are at most eight times as many, because the server makes one
 * try for each solution. */
enum { COST_MIN = 1000, DOUBLINGS = 4, DIGITS_MIN = 2, RISE_FACTOR = 4 };

struct challenge_work
challenge_work(unsigned level)
{
	const unsigned step = level < 1 ? 0 : level > DIFFICULTY_LEVELS ? DIFFICULTY_LEVELS - 1 : level - 1;
	/* one more digit is as much work as four doublings */
	return (struct challenge_work){ (uint32_t)COST_MIN << step % DOUBLINGS, DIGITS_MIN + step / DOUBLINGS };
}

unsigned
difficulty_level(unsigned level, uint32_t per_minute)
{
	uint64_t rate = DIFFICULTY_CALM;
	unsigned rise = 0;
	for (; rise < DIFFICULTY_RISE_MAX && per_minute >= rate; rise++)
		rate *= RISE_FACTOR;
	return level + rise < DIFFICULTY_LEVELS ? level + rise : DIFFICULTY_LEVELS;
}

/* ---- writing a challenge ---- */

enum {
	JSON_MAX = 512,
	COUNTER_SIZE = 4,
	DEPTH = 4, /* the depth of the campaign: challenge, parameters, data */
	PATH_MAX_BYTES = 64,
	DIGITS_MAX = 8
};
#define ALGORITHM SLICE("PBKDF2/SHA-256")

/* The text that is signed: the parameters with sorted names and without white space, as every library of this format writes
 * them. The campaign is a text because JavaScript has no integers of that size. */
static struct slice
write_parameters(struct buffer *out, struct pool *pool, const struct challenge *challenge)
{
	char campaign[DECIMAL_SIZE];
	const size_t begin = out->size;
	struct json_writer writer;
	json_writer_init(&writer, out);
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("algorithm"), ALGORITHM);
	json_put_u64(&writer, SLICE("cost"), challenge->work.cost);
	json_name(&writer, SLICE("data"));
	json_begin_object(&writer);
	json_put_text(&writer, SLICE("campaign"), encode_decimal(challenge->campaign_id, campaign));
	json_end_object(&writer);
	json_put_i64(&writer, SLICE("expiresAt"), challenge->expires_s);
	json_put_u64(&writer, SLICE("keyLength"), DIGEST_SIZE);
	json_put_text(&writer, SLICE("keyPrefix"), slice_sub(SLICE("00000000"), 0, challenge->work.digits));
	json_put_text(
	    &writer, SLICE("nonce"), encode_hex(pool, (struct slice){ (const char *)challenge->nonce, CHALLENGE_NONCE_SIZE }));
	json_put_text(
	    &writer, SLICE("salt"), encode_hex(pool, (struct slice){ (const char *)challenge->salt, CHALLENGE_NONCE_SIZE }));
	json_end_object(&writer);
	return slice_sub(buffer_slice(out), begin, out->size);
}

/* The signature. The signed text begins with a brace, unlike all other texts that are signed with this secret. */
static struct slice
sign(struct pool *pool, struct slice server_secret, struct slice parameters)
{
	const struct digest digest = digest_hmac_sha256(server_secret, &parameters, 1);
	return encode_hex(pool, digest_slice(&digest));
}

struct slice
challenge_write(struct pool *pool, struct slice server_secret, const struct challenge *challenge)
{
	struct buffer out;
	buffer_init(&out, JSON_MAX);
	buffer_add(&out, SLICE("{\"parameters\":"));
	const struct slice signature = sign(pool, server_secret, write_parameters(&out, pool, challenge));
	buffer_add(&out, SLICE(",\"signature\":\""));
	buffer_add(&out, signature);
	buffer_add(&out, SLICE("\"}"));
	const struct slice written = buffer_ok(&out) ? pool_copy(pool, buffer_slice(&out)) : SLICE_NONE;
	buffer_free(&out);
	return written;
}

/* ---- reading a solution ---- */

/* The members that are read. All are required. The parameters must have no others, because every parameter is signed. */
enum member { ALGORITHM_NAME, COST, CAMPAIGN, EXPIRY, KEY_LENGTH, KEY_PREFIX, NONCE, SALT, SIGNATURE, COUNTER, KEY, MEMBERS };
#define PARAMETERS "challenge/parameters/"
static const struct {
	const char *path;
	enum json_type type;
} members[MEMBERS] = {
	[ALGORITHM_NAME] = { PARAMETERS "algorithm", JSON_STRING },
	[COST] = { PARAMETERS "cost", JSON_NUMBER },
	[CAMPAIGN] = { PARAMETERS "data/campaign", JSON_STRING },
	[EXPIRY] = { PARAMETERS "expiresAt", JSON_NUMBER },
	[KEY_LENGTH] = { PARAMETERS "keyLength", JSON_NUMBER },
	[KEY_PREFIX] = { PARAMETERS "keyPrefix", JSON_STRING },
	[NONCE] = { PARAMETERS "nonce", JSON_STRING },
	[SALT] = { PARAMETERS "salt", JSON_STRING },
	[SIGNATURE] = { "challenge/signature", JSON_STRING },
	[COUNTER] = { "solution/counter", JSON_NUMBER },
	[KEY] = { "solution/derivedKey", JSON_STRING },
};

struct solution_reader {
	struct pool *pool;
	struct slice values[MEMBERS]; /* absent: not found yet */
	char path[PATH_MAX_BYTES];
	size_t ends[DEPTH + 1]; /* of the path, for each depth */
};

static struct slice
path_of(const struct solution_reader *reader, size_t depth)
{
	return (struct slice){ reader->path, reader->ends[depth] };
}

/* Appends the name of a member at this depth. A path that is too long for the buffer is not in the table. */
static bool
enter(struct solution_reader *reader, size_t depth, struct slice name)
{
	size_t end = reader->ends[depth - 1];
	if (end + name.size + 1 > sizeof(reader->path))
		return false;
	if (end > 0)
		reader->path[end++] = '/';
	if (name.size > 0)
		memcpy(reader->path + end, name.data, name.size);
	reader->ends[depth] = end + name.size;
	return true;
}

static bool
note(struct solution_reader *reader, const struct json_event *event)
{
	const struct slice path = path_of(reader, event->depth);
	for (size_t i = 0; i < MEMBERS; i++) {
		if (!slice_equal(path, slice_of(members[i].path)))
			continue;
		if (event->type != members[i].type || slice_present(reader->values[i]))
			return false;
		reader->values[i] = pool_copy(reader->pool, event->text);
		return true;
	}
	return !slice_starts_with(path, SLICE(PARAMETERS));
}

static bool
may_begin(struct slice path)
{
	return !slice_starts_with(path, SLICE(PARAMETERS)) || slice_equal(path, SLICE(PARAMETERS "data"));
}

static bool
read_event(void *context, const struct json_event *event)
{
	struct solution_reader *reader = context;
	switch (event->type) {
	case JSON_KEY:
		return enter(reader, event->depth, event->text);
	case JSON_ARRAY_BEGIN:
		return false;
	case JSON_OBJECT_BEGIN:
		return may_begin(path_of(reader, event->depth));
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		return true;
	default:
		return note(reader, event);
	}
}

/* Converts a fixed number of lower-case hexadecimal digits to bytes. */
static bool
read_hex(struct pool *pool, struct slice text, unsigned char *out, size_t size)
{
	struct slice bytes;
	if (text.size != 2 * size || !decode_hex(pool, text, &bytes) || !slice_equal(encode_hex(pool, bytes), text))
		return false;
	memcpy(out, bytes.data, size);
	return true;
}

struct solution {
	struct slice signature;
	uint64_t counter;
	unsigned char key[DIGEST_SIZE];
};

static bool
read_values(struct pool *pool, const struct slice *values, struct challenge *challenge, struct solution *solution)
{
	uint64_t cost, expiry;
	const struct slice prefix = values[KEY_PREFIX];
	for (size_t i = 0; i < MEMBERS; i++)
		if (!slice_present(values[i]))
			return false;
	challenge->work.digits = (unsigned)prefix.size;
	solution->signature = values[SIGNATURE];
	if (!slice_equal(values[ALGORITHM_NAME], ALGORITHM) || !slice_equal(values[KEY_LENGTH], SLICE("32")) ||
	    prefix.size > DIGITS_MAX || !slice_starts_with(SLICE("00000000"), prefix) ||
	    !slice_to_u64(values[COST], UINT32_MAX, &cost) ||
	    !slice_to_u64(values[EXPIRY], CLOCK_END_MS / SECOND_MS, &expiry) ||
	    !slice_to_u64(values[CAMPAIGN], INT64_MAX, &challenge->campaign_id) ||
	    !slice_to_u64(values[COUNTER], UINT32_MAX, &solution->counter))
		return false;
	challenge->work.cost = (uint32_t)cost;
	challenge->expires_s = (int64_t)expiry;
	return read_hex(pool, values[NONCE], challenge->nonce, sizeof(challenge->nonce)) &&
	       read_hex(pool, values[SALT], challenge->salt, sizeof(challenge->salt)) &&
	       read_hex(pool, values[KEY], solution->key, sizeof(solution->key));
}

static bool
read_solution(struct pool *pool, struct slice text, struct challenge *challenge, struct solution *solution)
{
	struct solution_reader reader = { .pool = pool };
	struct json_problem problem;
	struct slice json;
	*challenge = (struct challenge){ .campaign_id = 0 };
	return text.size <= SOLUTION_MAX_BYTES && base64_decode(pool, text, &json) &&
	       json_read(json, DEPTH, read_event, &reader, &problem) && read_values(pool, reader.values, challenge, solution);
}

/* Checks the signature over the parameters, which are written again, so that it covers exactly what was read. */
static bool
is_signed(struct pool *pool, struct slice server_secret, const struct challenge *challenge, struct slice signature)
{
	struct buffer out;
	buffer_init(&out, JSON_MAX);
	const struct slice wanted = sign(pool, server_secret, write_parameters(&out, pool, challenge));
	const bool same = buffer_ok(&out) && digest_equal(signature, wanted);
	buffer_free(&out);
	return same;
}

static bool
begins_with_zeros(const struct digest *key, unsigned digits)
{
	for (unsigned i = 0; i < digits; i++)
		if ((i % 2 == 0 ? key->bytes[i / 2] >> 4 : key->bytes[i / 2] & 0xf) != 0)
			return false;
	return true;
}

static bool
is_solved(const struct challenge *challenge, const struct solution *solution)
{
	unsigned char password[CHALLENGE_NONCE_SIZE + COUNTER_SIZE];
	memcpy(password, challenge->nonce, CHALLENGE_NONCE_SIZE);
	for (size_t i = 0; i < COUNTER_SIZE; i++)
		password[CHALLENGE_NONCE_SIZE + i] = (unsigned char)(solution->counter >> 8 * (COUNTER_SIZE - 1 - i));
	const struct digest key = digest_pbkdf2((struct slice){ (const char *)password, sizeof(password) },
	    (struct slice){ (const char *)challenge->salt, CHALLENGE_NONCE_SIZE }, challenge->work.cost);
	return begins_with_zeros(&key, challenge->work.digits) && memcmp(key.bytes, solution->key, DIGEST_SIZE) == 0;
}

enum solution_verdict
solution_check(struct pool *pool, struct slice text, struct slice server_secret, uint64_t campaign_id, int64_t now_s,
    struct challenge *challenge)
{
	struct solution solution;
	if (!read_solution(pool, text, challenge, &solution))
		return SOLUTION_MALFORMED;
	if (!is_signed(pool, server_secret, challenge, solution.signature))
		return SOLUTION_FORGED;
	if (challenge->expires_s < now_s)
		return SOLUTION_EXPIRED;
	if (challenge->campaign_id != campaign_id)
		return SOLUTION_FOREIGN;
	return is_solved(challenge, &solution) ? SOLUTION_GOOD : SOLUTION_WRONG;
}
