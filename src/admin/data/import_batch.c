/* SPDX-License-Identifier: MIT */
#include "admin/data/import_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "admin/data/repeat.h"
#include "base/utf8.h"
#include "engine/failure.h"
#include "os/clock.h"
#include "os/fiber.h"
#include "os/random.h"
#include "store/batch.h"
#include "transfer/row_reader.h"

/* The limits of a transaction, during which the campaign is locked: rows, their bytes, their tags and actions. */
enum { BATCH_ROWS = 250, BATCH_BYTES = 2 * 1024 * 1024, BATCH_NAMES = 2500 };
/* A call over HTTP must be short: after PART_MS, or with PART_SHOWN rows in its answer, it takes no more records. After twice
 * PART_MS, it no longer retries those whose referrer was not there yet. */
enum { PART_MS = 1000, PART_SHOWN = 1000 };
/* The maximum number of remarks of each kind in the answer: about rows with a value that was left out, or with another
 * encoding. */
enum { REMARKS_MAX = 100 };

enum {
	BATCH_MS = 30000, /* time for a batch, including repeated attempts to run it */
	REASONS_SHOWN = 10,
	WORK_MS = 200, /* of work; then the import pauses */
	PAUSE_MS = 12, /* longer than a committer waits before it tries again to get the lock */
};

struct import_row {
	struct record_place place;
	struct import import;
};

static int
fail_file(const struct import_run *run)
{
	return operation_fail(run->call, PROBLEM_IO, "the file could not be read: %s", strerror(errno));
}

uint64_t
import_line(const struct import_run *run, uint64_t line)
{
	const uint64_t first = run->arguments->first_line;
	return first == 0 || line < run->begin_line ? line : line - run->begin_line + first;
}

static void
add_place(struct import_run *run, struct output *output, const struct record_place *place)
{
	run->shown++;
	output_record(output);
	output_u64(output, "line", place->line);
	output_u64(output, "offset", place->offset - run->begin);
	output_u64(output, "size", place->size);
}

static void
show_reason(struct import_run *run, const struct record_place *place, struct slice text, const char *reason)
{
	struct pool *pool = run->call->pool;
	add_place(run, run->reasons, place);
	output_text(run->reasons, "reason", slice_of(pool_string(pool, slice_of(reason))));
	output_text(run->reasons, "record", pool_copy(pool, utf8_sanitized(pool, text)));
	/* the referrer may be in another part of the file */
	output_boolean(run->reasons, "waits", run->pass == IMPORT_REJECTS);
}

/* Notes a row that is imported, but not exactly as it is in the file. */
static void
remark(struct import_run *run, const struct record_place *place, const char *what, struct slice value, uint64_t *count)
{
	if (++*count > REMARKS_MAX)
		return;
	add_place(run, run->remarks, place);
	output_text(run->remarks, "remark", slice_of(what));
	output_text(run->remarks, "value", pool_copy(run->call->pool, value));
}

static void
reject(struct import_run *run, const struct record_place *place, struct slice text, const char *reason)
{
	run->counts.rejected++;
	if (run->reasons != NULL)
		show_reason(run, place, text, reason);
	else if (run->rejects != NULL)
		rejects_add(run->rejects, place->line, text, reason);
	else if (run->counts.rejected <= REASONS_SHOWN)
		operation_fail(run->call, PROBLEM_INVALID, "line %" PRIu64 ": %s", place->line, reason);
}

static int
reject_at(struct import_run *run, const struct record_place *place, const char *reason)
{
	struct slice text;
	if (records_at(run->records, place->offset, place->size, &text) != RECORD_GOOD)
		return fail_file(run);
	reject(run, place, text, reason);
	return EX_OK;
}

/* Sign-ups wait for the lock of the campaign, so the import pauses from time to time. */
static void
pause_for_others(struct import_run *run, int64_t took_ms)
{
	run->worked_ms += took_ms;
	if (run->worked_ms < WORK_MS)
		return;
	fiber_pause(PAUSE_MS);
	run->worked_ms = 0;
}

/* Returns a status after reporting a failure that ends the whole import; EX_OK if the failure is about one row. */
static int
fails_whole(const struct import_run *run, enum failure failure)
{
	switch (failure) {
	case FAILURE_CAMPAIGN_NOT_FOUND:
		return operation_fail(run->call, PROBLEM_NOT_FOUND, "there is no such campaign");
	case FAILURE_CAMPAIGN_ENDED:
		return operation_fail(
		    run->call, PROBLEM_CONFLICT, "the campaign has ended: reopen it, import, and end it again");
	case FAILURE_ACCOUNT_SUSPENDED:
		return operation_fail(run->call, PROBLEM_CONFLICT, "the account of the campaign is suspended");
	case FAILURE_UNAVAILABLE:
		return operation_fail(
		    run->call, PROBLEM_BUSY, "the database is out of reach; run the same command again later: it goes on");
	default:
		return EX_OK;
	}
}

/* ---- the leads that a dry run, which stores nothing, has seen in the file ---- */

enum { SEEN_FIRST_SIZE = 1024 };

/* The identities in the file, to find repeated rows and unknown referrers: a hash table with open addressing, at most half
 * full; 0 is a free place. The keys of email addresses, phone numbers and social ids never have the same text. */
struct seen {
	uint64_t *places;
	size_t count, size; /* a power of two */
	uint64_t seed;
};

static struct seen *
seen_new(struct pool *pool)
{
	struct seen *seen = POOL_NEW(pool, struct seen);
	seen->size = SEEN_FIRST_SIZE;
	seen->places = memory_alloc(SEEN_FIRST_SIZE * sizeof(*seen->places));
	random_bytes(&seen->seed, sizeof(seen->seed));
	return seen;
}

/* FNV-1a, with a random seed, so that nobody can make a file whose hashes collide. */
static uint64_t
hash_of(const struct seen *seen, struct slice identity)
{
	static const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t hash = seen->seed * prime;
	for (size_t i = 0; i < identity.size; i++)
		hash = (hash ^ (unsigned char)identity.data[i]) * prime;
	hash ^= hash >> 32;
	return hash == 0 ? 1 : hash;
}

static size_t
place_of_hash(const struct seen *seen, uint64_t hash)
{
	size_t place = (size_t)hash & (seen->size - 1);
	while (seen->places[place] != 0 && seen->places[place] != hash)
		place = (place + 1) & (seen->size - 1);
	return place;
}

static void
grow(struct seen *seen)
{
	uint64_t *old = seen->places;
	const size_t size = seen->size;
	seen->size *= 2;
	seen->places = memory_alloc(seen->size * sizeof(*seen->places));
	for (size_t i = 0; i < size; i++)
		if (old[i] != 0)
			seen->places[place_of_hash(seen, old[i])] = old[i];
	free(old);
}

static void
seen_add(struct seen *seen, struct slice identity)
{
	if (!slice_present(identity))
		return;
	if (2 * (seen->count + 1) > seen->size)
		grow(seen);
	const uint64_t hash = hash_of(seen, identity);
	const size_t place = place_of_hash(seen, hash);
	seen->count += seen->places[place] == 0 ? 1 : 0;
	seen->places[place] = hash;
}

static bool
seen_has(const struct seen *seen, struct slice identity)
{
	return slice_present(identity) && seen->places[place_of_hash(seen, hash_of(seen, identity))] != 0;
}

/* ---- batches ---- */

static int
take_outcome(struct import_run *run, const struct import_row *row, const struct outcome *outcome)
{
	const char *reason = "the database refused the row; see the log";
	if (outcome->failure == FAILURE_NONE) {
		run->counts.imported += outcome->created ? 1 : 0;
		run->counts.unchanged += outcome->created ? 0 : 1;
		run->counts.tagged += outcome->tagged ? 1 : 0;
		run->counts.opted_out += outcome->opted_out ? 1 : 0;
		run->counts.unknown_names += outcome->created ? row->import.unknown_names : 0;
		return EX_OK;
	}
	if (outcome->failure == FAILURE_LEAD_NOT_FOUND && run->seen != NULL &&
	    (seen_has(run->seen, row->import.referrer_email) || seen_has(run->seen, row->import.signup.referrer_id))) {
		run->counts.imported++;
		return EX_OK;
	}
	if (outcome->failure == FAILURE_LEAD_NOT_FOUND)
		return deferred_add(run->deferred, &row->place)
			   ? EX_OK
			   : operation_fail(run->call, PROBLEM_IO, "the temporary file: %s", strerror(errno));
	const int status = fails_whole(run, outcome->failure);
	if (status != EX_OK)
		return status;
	if (slice_present(outcome->detail))
		reason = pool_string(run->pool, outcome->detail);
	return reject_at(run, &row->place, reason);
}

static bool
any_unavailable(const struct outcome *outcomes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (outcomes[i].failure == FAILURE_UNAVAILABLE)
			return true;
	return false;
}

/* The rows may be run again: those that are already committed then count as unchanged. */
static void
execute(struct import_run *run, const struct command *const *commands, struct outcome *outcomes)
{
	struct execution execution = { .commands = commands, .count = run->row_count, .outcomes = outcomes };
	unsigned failures = 0;
	do {
		execution.deadline_ms = clock_monotonic_ms() + BATCH_MS;
		store_execute(run->call->store, run->pool, &execution);
	} while (any_unavailable(outcomes, run->row_count) && !run->call->is_remote && repeat_later(&failures));
}

/* Whether a remote call must leave the remaining records to the next one: it has run for `ms`, or its answer has PART_SHOWN
 * rows, and it has taken at least one record. */
static bool
is_late(const struct import_run *run, int64_t ms)
{
	return run->call->is_remote && run->counts.rows > 0 &&
	       (clock_monotonic_ms() - run->began_ms >= ms || run->shown >= PART_SHOWN);
}

/* Imports the collected rows. */
static int
flush_batch(struct import_run *run)
{
	const int64_t began_ms = clock_monotonic_ms();
	struct command *commands = POOL_ARRAY(run->pool, run->row_count, struct command);
	const struct command **pointers = POOL_ARRAY(run->pool, run->row_count, const struct command *);
	struct outcome *outcomes = POOL_ARRAY(run->pool, run->row_count, struct outcome);
	int status = EX_OK;
	for (size_t i = 0; i < run->row_count; i++) {
		run->rows[i].import.last_number = run->last_number;
		run->rows[i].import.events = run->arguments->events;
		run->rows[i].import.adds_tags = run->arguments->add_tags;
		commands[i] = (struct command){ .kind = COMMAND_IMPORT,
			.trial = run->arguments->dry_run,
			.rights = caller_rights(run->call->caller),
			.campaign_id = run->call->id,
			.as.import = &run->rows[i].import };
		pointers[i] = &commands[i];
	}
	if (run->row_count > 0)
		execute(run, pointers, outcomes);
	for (size_t i = 0; i < run->row_count && status == EX_OK; i++)
		status = take_outcome(run, &run->rows[i], &outcomes[i]);
	for (size_t i = 0; i < run->row_count && run->seen != NULL; i++) {
		const struct signup *row = &run->rows[i].import.signup;
		if (outcomes[i].failure != FAILURE_NONE && outcomes[i].failure != FAILURE_LEAD_NOT_FOUND)
			continue;
		seen_add(run->seen, row->email_key);
		seen_add(run->seen, row->phone);
		seen_add(run->seen, row->subject);
	}
	if (run->row_count > 0)
		progress_show(
		    &run->progress, run->counts.imported + run->counts.unchanged, run->rows[run->row_count - 1].place.offset);
	run->row_count = run->taken = run->taken_bytes = run->taken_names = 0;
	pool_reset(run->pool);
	run->rows = POOL_ARRAY(run->pool, BATCH_ROWS, struct import_row);
	pause_for_others(run, clock_monotonic_ms() - began_ms);
	return status;
}

const char *
import_read_row(
    const struct import_run *run, struct pool *pool, struct slice text, struct row_notes *notes, struct import *import)
{
	struct csv_fields fields;
	if (run->format == RECORDS_NDJSON)
		return row_from_json(pool, &run->limits, text, notes, import);
	const char *problem = csv_split(pool, text, run->delimiter, &fields);
	if (problem != NULL)
		return pool_printf(pool, "the record %s", problem).data;
	return row_from_csv(
	    pool, &run->limits, &(struct row_columns){ run->columns, run->column_count }, &fields, notes, import);
}

bool
import_is_empty(const struct import_run *run, struct pool *pool, struct slice text)
{
	return run->format == RECORDS_CSV && csv_is_empty(pool, text, run->delimiter);
}

/* In the pass IMPORT_IN_ORDER, a row may be imported without its referrer. A dry run takes only one of several rows of a lead.
 */
static int
add_row(struct import_run *run, const struct record_place *place, struct slice text)
{
	const bool is_first = run->pass == IMPORT_ALL;
	struct import_row *row = &run->rows[run->row_count];
	struct row_notes notes = { 0 };
	const char *problem = import_read_row(run, run->pool, text, &notes, &row->import);
	row->import.drop_unknown_referrer = run->pass == IMPORT_IN_ORDER && run->arguments->drop_unknown_referrers;
	const struct signup *lead = &row->import.signup;
	row->place = *place;
	if (notes.is_left_out)
		run->counts.left_out++;
	else if (problem != NULL)
		reject(run, place, text, problem);
	else if (is_first && run->seen != NULL &&
		 (seen_has(run->seen, lead->email_key) || seen_has(run->seen, lead->phone) ||
		     seen_has(run->seen, lead->subject)))
		run->counts.unchanged++;
	else
		run->row_count++;
	const bool remarks = is_first && problem == NULL && !notes.is_left_out;
	if (remarks && slice_present(notes.phone_number))
		remark(run, place, "phone_number is not valid and is left out", notes.phone_number, &run->counts.phone_numbers);
	if (remarks && slice_present(notes.emails))
		remark(
		    run, place, "there are several email addresses: the first one is taken", notes.emails, &run->counts.emails);
	run->taken++;
	run->taken_bytes += text.size;
	run->taken_names += problem == NULL ? row->import.name_count : 0;
	const bool is_full = run->taken == BATCH_ROWS || run->taken_bytes >= BATCH_BYTES || run->taken_names >= BATCH_NAMES;
	return is_full ? flush_batch(run) : EX_OK;
}

static int
take_record(struct import_run *run, const struct record *record)
{
	const struct record_place place = { record->offset, import_line(run, record->line), record->size };
	if (import_is_empty(run, run->pool, record->text))
		return EX_OK;
	run->counts.rows++;
	if (record->other)
		remark(run, &place, "the row is not in the encoding of the file", record->text, &run->counts.other_encoding);
	if (record->problem == NULL)
		return add_row(run, &place, record->text);
	reject(run, &place, record->text, record->problem);
	return EX_OK;
}

/* The pass IMPORT_ALL: takes every record, until a remote call is late. */
static int
take_records(struct import_run *run)
{
	struct record record;
	int status = EX_OK;
	records_seek(run->records, run->begin, run->begin_line);
	while (status == EX_OK && !run->is_late) {
		const enum record_state state = records_next(run->records, &record);
		if (state == RECORD_FAILED)
			return fail_file(run);
		run->is_late = state != RECORD_END && is_late(run, PART_MS);
		if (state == RECORD_END)
			break;
		if (run->is_late) {
			run->next_offset = record.offset;
			run->next_line = record.line;
		} else {
			status = take_record(run, &record);
		}
	}
	if (!run->is_late)
		records_place(run->records, &run->next_offset, &run->next_line);
	return status;
}

static int
read_deferred(struct import_run *run, struct deferred *from, uint64_t at, struct record_place *place, struct slice *text)
{
	const bool read =
	    deferred_get(from, at, place) && records_at(run->records, place->offset, place->size, text) == RECORD_GOOD;
	return read ? EX_OK : fail_file(run);
}

/* Tries a deferred record again; if the call is late, defers it again. */
static int
retry_deferred(struct import_run *run, struct deferred *from, uint64_t at)
{
	struct record_place place;
	struct slice text;
	const int status = read_deferred(run, from, at, &place, &text);
	if (status == EX_OK && is_late(run, 2 * PART_MS))
		return deferred_add(run->deferred, &place) ? EX_OK : fail_file(run);
	return status == EX_OK ? add_row(run, &place, text) : status;
}

/* Tries the last record first: in a file that begins with the newest lead, referrers come after the leads that they referred.
 */
static int
run_backwards(struct import_run *run, struct deferred *from)
{
	int status = EX_OK;
	run->pass = IMPORT_BACKWARDS;
	for (uint64_t at = deferred_count(from); at > 0 && status == EX_OK; at--)
		status = retry_deferred(run, from, at - 1);
	return status == EX_OK ? flush_batch(run) : status;
}

static int
reject_deferred(struct import_run *run, struct deferred *from)
{
	int status = EX_OK;
	run->pass = IMPORT_REJECTS;
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++) {
		struct record_place place;
		if (!deferred_get(from, i, &place))
			return fail_file(run);
		status = reject_at(run, &place, "its referrer is not a lead of the campaign");
	}
	return status;
}

static int
read_chains(struct import_run *run, struct deferred *from, struct chains *chains)
{
	static const struct import nothing = { .created_ms = -1 };
	int status = EX_OK;
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++) {
		struct record_place place = { 0 };
		struct slice text;
		struct import import = nothing;
		struct row_notes notes;
		status = read_deferred(run, from, i, &place, &text);
		if (status == EX_OK && import_read_row(run, run->pool, text, &notes, &import) != NULL)
			import = nothing; /* the file was changed: the row is rejected when it is added */
		chains_add(chains, &import, place.line);
		pool_reset(run->pool);
	}
	run->rows = POOL_ARRAY(run->pool, BATCH_ROWS, struct import_row);
	return status;
}

/* Tries each record after its referrer. A referrer that is still unknown then is not in the file, or was rejected. */
static int
run_in_order(struct import_run *run, struct deferred *from)
{
	struct chains *chains = chains_new(run->call->pool);
	int status = read_chains(run, from, chains);
	const size_t *order = chains_sort(chains);
	run->pass = IMPORT_IN_ORDER;
	for (uint64_t i = 0; i < deferred_count(from) && status == EX_OK; i++)
		status = retry_deferred(run, from, order[i]);
	return status == EX_OK ? flush_batch(run) : status;
}

static struct deferred *
new_deferred(const struct import_run *run)
{
	return deferred_new(run->call->pool, run->call->is_remote ? DEFERRED_IN_MEMORY : DEFERRED_IN_FILE);
}

typedef int deferred_pass(struct import_run *run, struct deferred *from);

/* Runs a pass over the deferred records; those whose referrer is still not there are deferred again. */
static int
take_deferred(struct import_run *run, deferred_pass *pass)
{
	struct deferred *from = run->deferred;
	if (deferred_count(from) == 0)
		return EX_OK;
	run->deferred = new_deferred(run);
	if (run->deferred == NULL) {
		run->deferred = from;
		return fail_file(run);
	}
	const int status = pass(run, from);
	deferred_close(from);
	return status;
}

/* The pass IMPORT_IN_ORDER needs memory for each deferred record, but few records are usually left for it. */
static int
import_all(struct import_run *run)
{
	run->began_ms = clock_monotonic_ms();
	int status = take_records(run);
	if (status == EX_OK)
		status = flush_batch(run);
	if (status == EX_OK)
		status = take_deferred(run, run_backwards);
	if (status == EX_OK)
		status = take_deferred(run, run_in_order);
	return status == EX_OK ? reject_deferred(run, run->deferred) : status;
}

int
import_run(struct import_run *run)
{
	int status = EX_OK;
	run->rows = POOL_ARRAY(run->pool, BATCH_ROWS, struct import_row);
	run->deferred = new_deferred(run);
	run->seen = run->arguments->dry_run ? seen_new(run->call->pool) : NULL;
	run->progress = progress_begin(run->call->errors, "rows", (uint64_t)run->file.st_size);
	status = run->deferred == NULL ? fail_file(run) : import_all(run);
	progress_end(&run->progress);
	if (run->rejects == NULL && run->reasons == NULL && run->counts.rejected > REASONS_SHOWN)
		operation_fail(run->call, PROBLEM_INVALID,
		    "%" PRIu64 " more rows are rejected; --rejects FILE writes all of them to a file",
		    run->counts.rejected - REASONS_SHOWN);
	deferred_close(run->deferred);
	if (run->seen != NULL)
		free(run->seen->places);
	return status;
}
