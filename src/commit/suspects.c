/* SPDX-License-Identifier: MIT
 * During a reload two committers may write at the same time. A lost update costs one more death. */
#include "commit/suspects.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/panic.h"
#include "crypto/digest.h"
#include "os/log.h"

enum { ENTRIES = 512, RECORDS = 8, NAME_SIZE = 16, ID_SIZE = 40, SUBJECT_MAX_BYTES = 64 * 1024 };

/* What identifies a request. */
struct subject {
	unsigned char name[NAME_SIZE];
	uint64_t campaign_id; /* 0: none */
	char id[ID_SIZE];     /* id of its last HTTP request */
};

struct entry {
	struct subject subject;
	int64_t died_ms;
	unsigned deaths; /* after the first death, only deaths while it ran alone; 0: the entry is free */
};

/* The requests that a committer is working on. */
struct record {
	_Atomic(pid_t) pid; /* 0: the record is free */
	_Atomic(size_t) count;
	struct subject subjects[SUSPECTS_BATCH_MAX];
};

struct suspects {
	struct shared {
		_Atomic(int64_t) died_ms; /* the last death; 0: none */
		struct entry entries[ENTRIES];
		struct record records[RECORDS];
	} * shared;
	struct record *own; /* the record of this process; NULL: none is free */
};

struct suspects *
suspects_new(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return NULL;
	struct suspects *suspects = memory_alloc(sizeof(*suspects));
	suspects->shared = shared;
	return suspects;
}

void
suspects_free(struct suspects **suspects)
{
	if (*suspects == NULL)
		return;
	munmap((*suspects)->shared, sizeof(*(*suspects)->shared));
	free(*suspects);
	*suspects = NULL;
}

/* ---- the identity of requests ---- */

static void
add_number(struct buffer *out, uint64_t number)
{
	buffer_add(out, (struct slice){ (const char *)&number, sizeof(number) });
}

static void
add_text(struct buffer *out, struct slice text)
{
	add_number(out, text.size);
	buffer_add(out, text);
}

static void
add_lead(struct buffer *out, const struct lead_reference *lead)
{
	add_number(out, lead->identity);
	add_text(out, lead->value);
	add_number(out, lead->id);
}

static void
add_signup(struct buffer *out, const struct signup *signup)
{
	add_text(out, signup->email_key);
	add_text(out, signup->phone);
	add_text(out, signup->subject);
}

static void
add_command(struct buffer *out, const struct command *command)
{
	add_number(out, command->kind);
	switch (command->kind) {
	case COMMAND_SIGNUP:
		add_signup(out, &command->as.signup);
		break;
	case COMMAND_TAGGING:
		add_signup(out, &command->as.tagging.signup);
		break;
	case COMMAND_POINTS:
		for (size_t i = 0; i < command->as.points.lead_count; i++)
			add_lead(out, &command->as.points.leads[i]);
		break;
	case COMMAND_COMPLETION:
		add_lead(out, &command->as.completion.lead);
		break;
	case COMMAND_CHANGE:
		add_lead(out, &command->as.change.lead);
		break;
	case COMMAND_IMPORT:
		add_signup(out, &command->as.import->signup);
		break;
	}
}

static uint64_t
add_request(struct buffer *out, const struct commit_request *request)
{
	add_number(out, request->kind);
	switch (request->kind) {
	case REQUEST_COMMAND:
		add_number(out, request->as.command.campaign_id);
		add_command(out, &request->as.command);
		return request->as.command.campaign_id;
	case REQUEST_LOOK_UP:
		add_number(out, request->as.look_up.campaign_id);
		add_lead(out, &request->as.look_up.reference);
		return request->as.look_up.campaign_id;
	case REQUEST_KEY:
	case REQUEST_CAMPAIGN:
	case REQUEST_READINESS:
		break;
	}
	add_text(out, commit_directory_name(request));
	return request->kind == REQUEST_CAMPAIGN ? request->as.campaign_id : 0;
}

static struct subject
subject_of(const struct commit_request *request)
{
	struct subject subject = { .campaign_id = 0 };
	struct buffer out;
	buffer_init(&out, SUBJECT_MAX_BYTES); /* leads that exceed the maximum are ignored */
	subject.campaign_id = add_request(&out, request);
	struct slice bytes = buffer_slice(&out);
	struct digest digest = digest_sha256(&bytes, 1);
	buffer_free(&out);
	memcpy(subject.name, digest.bytes, sizeof(subject.name));
	snprintf(subject.id, sizeof(subject.id), "%.*s", SLICE_ARGS(request->id));
	return subject;
}

/* ---- deaths ---- */

static bool
is_expired(const struct entry *entry, int64_t now_ms)
{
	return entry->deaths == 0 || now_ms - entry->died_ms >= 2 * SUSPECTS_REFUSED_MS;
}

static bool
is_refused(const struct entry *entry, int64_t now_ms)
{
	return entry->deaths > 1 && now_ms - entry->died_ms < SUSPECTS_REFUSED_MS;
}

static struct entry *
find(const struct suspects *suspects, const struct subject *subject)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *entry = &suspects->shared->entries[i];
		if (entry->deaths > 0 && memcmp(entry->subject.name, subject->name, NAME_SIZE) == 0)
			return entry;
	}
	return NULL;
}

/* Returns the subject's entry. If it has none, returns a free entry or, if all are used, the one with the oldest death. */
static struct entry *
find_or_choose(const struct suspects *suspects, const struct subject *subject, int64_t now_ms)
{
	struct entry *chosen = find(suspects, subject);
	if (chosen != NULL && !is_expired(chosen, now_ms))
		return chosen;
	for (size_t i = 0; i < ENTRIES && chosen == NULL; i++)
		if (is_expired(&suspects->shared->entries[i], now_ms))
			chosen = &suspects->shared->entries[i];
	for (size_t i = 0; i < ENTRIES && (chosen == NULL || chosen->deaths > 0); i++)
		if (chosen == NULL || suspects->shared->entries[i].died_ms < chosen->died_ms)
			chosen = &suspects->shared->entries[i];
	chosen->deaths = 0;
	return chosen;
}

/* `together`: the requests that died in the same crash. Only one of them is the cause, so after its first death, a request is
 * counted only when it ran alone. */
static void
record_death(struct suspects *suspects, const struct subject *subject, size_t together, int64_t now_ms)
{
	const bool alone = together == 1;
	struct entry *entry = find_or_choose(suspects, subject, now_ms);
	unsigned deaths = entry->deaths == 0 || alone ? entry->deaths + 1 : entry->deaths;
	*entry = (struct entry){ .subject = *subject, .died_ms = now_ms, .deaths = deaths };
	if (alone)
		log_error("request_crashed_committer",
		    LOG_BYTES("request", ((struct slice){ subject->id, strnlen(subject->id, ID_SIZE) })),
		    LOG_UINT("campaign", subject->campaign_id), LOG_UINT("deaths", deaths));
}

static void
record_deaths(struct suspects *suspects, const struct record *record, int64_t now_ms)
{
	const size_t noted = atomic_load(&record->count), count = noted < SUSPECTS_BATCH_MAX ? noted : SUSPECTS_BATCH_MAX;
	for (size_t i = 0; i < count; i++)
		record_death(suspects, &record->subjects[i], count, now_ms);
	if (count > 1)
		log_error(
		    "batch_crashed_committer", LOG_UINT("requests", count), LOG_STR("consequence", "retries run one by one"));
	if (count > 0)
		atomic_store(&suspects->shared->died_ms, now_ms);
}

static bool
is_dead(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}

void
suspects_recover(struct suspects *suspects, int64_t now_ms)
{
	for (size_t i = 0; i < RECORDS; i++) {
		struct record *record = &suspects->shared->records[i];
		pid_t pid = atomic_load(&record->pid);
		if (record == suspects->own || (pid != 0 && !is_dead(pid)))
			continue;
		if (pid == 0 && suspects->own != NULL)
			continue;
		if (!atomic_compare_exchange_strong(&record->pid, &pid, getpid()))
			continue;
		record_deaths(suspects, record, now_ms);
		atomic_store(&record->count, 0);
		if (suspects->own == NULL)
			suspects->own = record;
		else
			atomic_store(&record->pid, 0);
	}
}

/* ---- functions of the committer ---- */

bool
suspects_any(const struct suspects *suspects, int64_t now_ms)
{
	const int64_t died_ms = atomic_load(&suspects->shared->died_ms);
	return died_ms != 0 && now_ms - died_ms < 2 * SUSPECTS_REFUSED_MS;
}

static bool
campaign_is_refused(const struct suspects *suspects, uint64_t campaign_id, int64_t now_ms)
{
	size_t refused = 0;
	for (size_t i = 0; i < ENTRIES && campaign_id != 0; i++) {
		const struct entry *entry = &suspects->shared->entries[i];
		refused += entry->subject.campaign_id == campaign_id && is_refused(entry, now_ms) ? 1 : 0;
	}
	return refused >= SUSPECTS_CAMPAIGN_MAX;
}

enum suspicion
suspects_judge(const struct suspects *suspects, const struct commit_request *request, int64_t now_ms)
{
	const struct subject subject = subject_of(request);
	const struct entry *entry = find(suspects, &subject);
	if (campaign_is_refused(suspects, subject.campaign_id, now_ms) || (entry != NULL && is_refused(entry, now_ms)))
		return SUSPICION_REFUSED;
	return entry == NULL || is_expired(entry, now_ms) ? SUSPICION_NONE : SUSPICION_ALONE;
}

void
suspects_clear(struct suspects *suspects, const struct commit_request *request)
{
	const struct subject subject = subject_of(request);
	struct entry *entry = find(suspects, &subject);
	if (entry != NULL)
		entry->deaths = 0;
}

void
suspects_begin(struct suspects *suspects, const struct commit_request *const *requests, size_t count)
{
	require(count <= SUSPECTS_BATCH_MAX);
	struct record *own = suspects->own;
	if (own == NULL)
		return;
	for (size_t i = 0; i < count && i < SUSPECTS_BATCH_MAX; i++)
		own->subjects[i] = subject_of(requests[i]);
	atomic_store(&own->count, count);
}

void
suspects_end(struct suspects *suspects)
{
	if (suspects->own != NULL)
		atomic_store(&suspects->own->count, 0);
}
