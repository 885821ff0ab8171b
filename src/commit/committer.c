/* SPDX-License-Identifier: MIT */
#include "commit/committer.h"

#include <string.h>
#include <sysexits.h>

#include "commit/commit_directory.h"
#include "commit/receiver.h"
#include "commit/turns.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/batch.h"

enum {
	HEARTBEAT_MS = 1000, /* interval of checks for an idle connection to the database, and of reports (companion_stuck) */
	TRIM_BYTES = 256 * 1024, /* a cycle whose pools free more than this is large */
	TRIM_DELAY_MS = 1000,    /* from the last large cycle until memory is returned to the system */
	LOCKED_DELAY_MS = 10,    /* delay before the requests of a locked campaign are retried */
	PAUSE_MS = 1,            /* pause before a large command, so that responders that got an answer can continue */
	PAUSES_MAX = 3           /* before a batch: a responder needs a key and a campaign before it sends its command */
};

struct committer {
	const struct committer_options *options;
	struct store *store;
	struct receiver receiver;
	const struct request_batch *batch; /* the batch during store_execute */
	struct commit_directory *directory;
	struct turns *turns;
	/* the peers that are next: for directory requests, and for look-ups of leads */
	size_t next_directory, next_look_up;
	int64_t trim_ms; /* when to return memory to the system; 0: none to return */
	unsigned pauses; /* number of pauses since the last batch of commands */
	/* counted in one cycle */
	size_t answers;                           /* answers to directory requests */
	size_t reads;                             /* reads from the database */
	bool unreachable;                         /* the database failed: further requests fail at once */
	struct api_key used[COMMITTER_READS_MAX]; /* keys that were read */
	size_t used_count;
};

/* Requests of one kind that run together. */
struct request_batch {
	struct peer *peers[COMMITTER_BATCH_MAX];
	const struct commit_request *requests[COMMITTER_BATCH_MAX];
	size_t count;
	int64_t deadline_ms; /* the latest of all requests */
};

enum kind { KIND_NONE, KIND_DIRECTORY, KIND_LOOK_UP, KIND_COMMAND, KIND_SUSPECT };

/* The kind of a waiting request, by the codec's first byte. Unknown types count as KIND_DIRECTORY and fail in decoding. */
static enum kind
kind_of(const struct peer *peer)
{
	if (peer->state != PEER_WAITING || peer->delayed_until_ms > clock_monotonic_ms())
		return KIND_NONE;
	if (peer->suspect)
		return KIND_SUSPECT;
	struct slice content = frame_content(&peer->in);
	if (content.size > 0 && content.data[0] == REQUEST_COMMAND)
		return KIND_COMMAND;
	return content.size > 0 && content.data[0] == REQUEST_LOOK_UP ? KIND_LOOK_UP : KIND_DIRECTORY;
}

/* The request is in the pool. Returns NULL when it was refused, or its peer was closed. */
static struct commit_request *
read_request(struct committer *committer, struct pool *pool, struct peer *peer)
{
	struct commit_request *request = POOL_NEW(pool, struct commit_request);
	if (!commit_decode_request(pool, frame_content(&peer->in), request)) {
		log_error("committer_request_broken", LOG_UINT("bytes", frame_content(&peer->in).size));
		peer->state = PEER_CLOSED;
		return NULL;
	}
	if (request->deadline_ms > clock_monotonic_ms())
		return request;
	peer_answer(&committer->receiver.peers, peer, &commit_refused);
	return NULL;
}

static void
report(const struct committer *committer, enum committer_state state)
{
	committer->options->report(committer->options->context, state);
}

/* Refuses requests that crashed a committer twice; marks suspects for separate execution. */
static void
check_suspects(struct committer *committer, struct pool *pool)
{
	struct suspects *suspects = committer->options->suspects;
	const int64_t now_ms = clock_monotonic_ms();
	suspects_recover(suspects, now_ms);
	for (size_t i = 0; i < committer->receiver.peers.count && suspects_any(suspects, now_ms); i++) {
		struct peer *peer = committer->receiver.peers.items[i];
		if (kind_of(peer) == KIND_NONE)
			continue;
		const struct commit_request *request = read_request(committer, pool, peer);
		if (request == NULL)
			continue;
		const enum suspicion suspicion = suspects_judge(suspects, request, now_ms);
		peer->suspect = suspicion == SUSPICION_ALONE;
		if (suspicion != SUSPICION_REFUSED)
			continue;
		log_error("request_refused", LOG_BYTES("request", request->id),
		    LOG_STR("reason", "this request or others of its campaign crashed the committer twice"));
		const struct commit_answer answer = commit_failed_answer(request, FAILURE_INTERNAL, RESULT_FAILED);
		peer_answer(&committer->receiver.peers, peer, &answer);
	}
}

/* Records the requests that a crash would be attributed to. */
static void
begin_work(struct committer *committer, const struct commit_request *const *requests, size_t count)
{
	report(committer, COMMITTER_BUSY);
	suspects_begin(committer->options->suspects, requests, count);
	log_work(count == 1 ? LOG_BYTES("request", requests[0]->id) : LOG_UINT("requests", count));
}

static void
end_work(struct committer *committer)
{
	log_work_done();
	suspects_end(committer->options->suspects);
}

static void
read_directory(
    struct committer *committer, struct pool *pool, const struct commit_request *request, struct commit_answer *answer)
{
	begin_work(committer, &request, 1);
	store_set_deadline(committer->store, request->deadline_ms);
	commit_directory_read(committer->directory, pool, request, answer);
	end_work(committer);
	committer->reads++;
	committer->unreachable = answer->result == RESULT_UNAVAILABLE;
	if (answer->result == RESULT_OK && request->kind == REQUEST_KEY)
		committer->used[committer->used_count++] = answer->as.key;
}

/* Answers from the cache or the database. Returns false when the request has to wait for the next cycle. */
static bool
answer_directory_request(
    struct committer *committer, struct pool *pool, struct peer *peer, const struct commit_request *request)
{
	struct commit_answer answer;
	if (!commit_directory_find_cached(committer->directory, pool, request, &answer)) {
		if (committer->reads == COMMITTER_READS_MAX)
			return false;
		if (committer->unreachable)
			answer = commit_failed_answer(request, FAILURE_UNAVAILABLE, RESULT_UNAVAILABLE);
		else
			read_directory(committer, pool, request, &answer);
	}
	peer_answer(&committer->receiver.peers, peer, &answer);
	committer->answers++;
	return true;
}

/* Answers directory requests. */
static void
answer_directory_requests(struct committer *committer, struct pool *pool)
{
	struct peers *peers = &committer->receiver.peers;
	committer->answers = committer->reads = committer->used_count = 0;
	committer->unreachable = false;
	for (size_t i = 0; i < peers->count; i++) {
		size_t at = (committer->next_directory + i) % peers->count;
		if (kind_of(peers->items[at]) != KIND_DIRECTORY)
			continue;
		const struct commit_request *request = read_request(committer, pool, peers->items[at]);
		if (request != NULL && !answer_directory_request(committer, pool, peers->items[at], request)) {
			committer->next_directory = at;
			break;
		}
	}
}

/* Called after the answers, so that no request waits for it. */
static void
note_used_keys(struct committer *committer)
{
	enum result result = RESULT_OK;
	report(committer, COMMITTER_BUSY);
	for (size_t i = 0; i < committer->used_count && result == RESULT_OK; i++)
		result = store_touch_key(committer->store, &committer->used[i]); /* store_touch_key logs failures */
	committer->used_count = 0;
}

static void
add_request(struct request_batch *batch, struct peer *peer, const struct commit_request *request)
{
	batch->peers[batch->count] = peer;
	batch->requests[batch->count++] = request;
	if (request->deadline_ms > batch->deadline_ms)
		batch->deadline_ms = request->deadline_ms;
}

/* Collects the waiting look-ups, starting with the peer that is next. */
static void
gather_look_ups(struct committer *committer, struct pool *pool, struct request_batch *batch)
{
	struct peers *peers = &committer->receiver.peers;
	for (size_t i = 0; i < peers->count; i++) {
		size_t at = (committer->next_look_up + i) % peers->count;
		if (kind_of(peers->items[at]) != KIND_LOOK_UP)
			continue;
		if (batch->count == COMMITTER_BATCH_MAX) {
			committer->next_look_up = at;
			break;
		}
		const struct commit_request *request = read_request(committer, pool, peers->items[at]);
		if (request != NULL)
			add_request(batch, peers->items[at], request);
	}
}

/* The waiting commands. */
struct waiting_commands {
	struct peer **peers;
	const struct commit_request **requests; /* NULL: not read in this cycle */
	const struct turn **turns;
	size_t count;
};

/* Reads each new command; if a command is already waiting, its turn is known. */
static struct waiting_commands
find_waiting(struct committer *committer, struct pool *pool)
{
	const struct peers *peers = &committer->receiver.peers;
	struct waiting_commands waiting = { POOL_ARRAY(pool, peers->count, struct peer *),
		POOL_ARRAY(pool, peers->count, const struct commit_request *),
		POOL_ARRAY(pool, peers->count, const struct turn *), 0 };
	for (size_t i = 0; i < peers->count; i++) {
		struct peer *peer = peers->items[i];
		const struct commit_request *request = NULL;
		if (kind_of(peer) != KIND_COMMAND)
			continue;
		if (!peer->has_turn) {
			request = read_request(committer, pool, peer);
			if (request == NULL)
				continue;
			peer->turn = turn_of(&request->as.command, peer->arrival);
			peer->has_turn = true;
		}
		waiting.peers[waiting.count] = peer;
		waiting.requests[waiting.count] = request;
		waiting.turns[waiting.count++] = &peer->turn;
	}
	return waiting;
}

/* Whether to wait for commands of other accounts when only large ones are waiting: a request whose key and campaign were just
 * looked up would otherwise wait for a large command at each of its steps. */
static bool
pauses(struct committer *committer, const struct waiting_commands *waiting)
{
	if (waiting->count == 0 || committer->answers == 0 || committer->pauses == PAUSES_MAX)
		return false;
	for (size_t i = 0; i < waiting->count; i++)
		if (turns_expect(committer->turns, waiting->turns[i]) <= TURNS_LARGE_WORK)
			return false;
	committer->pauses++;
	return true;
}

/* Collects the commands whose turn it is. */
static void
gather_commands(struct committer *committer, struct pool *pool, struct request_batch *batch)
{
	static const struct turns_limits limits = { COMMITTER_BATCH_MAX, COMMITTER_LEADS_MAX };
	const struct waiting_commands waiting = find_waiting(committer, pool);
	size_t chosen[COMMITTER_BATCH_MAX];
	if (pauses(committer, &waiting))
		return;
	committer->pauses = 0;
	const size_t count = turns_choose(committer->turns, pool, waiting.turns, waiting.count, limits, chosen);
	for (size_t i = 0; i < count; i++) {
		struct peer *peer = waiting.peers[chosen[i]];
		const struct commit_request *request = waiting.requests[chosen[i]];
		if (request == NULL)
			request = read_request(committer, pool, peer);
		if (request != NULL)
			add_request(batch, peer, request);
	}
}

/* Requests whose campaign is locked (`locked`; NULL: none) keep waiting. */
static void
answer_batch(struct committer *committer, const struct request_batch *batch, const struct outcome *outcomes, const bool *locked)
{
	for (size_t i = 0; i < batch->count; i++) {
		if (locked != NULL && locked[i]) {
			batch->peers[i]->delayed_until_ms = clock_monotonic_ms() + LOCKED_DELAY_MS;
			continue;
		}
		const struct commit_answer answer = { .kind = ANSWER_OUTCOME, .as.outcome = outcomes[i] };
		peer_answer(&committer->receiver.peers, batch->peers[i], &answer);
	}
}

/* Ignores failures: they cause no work, and would make the next commands look cheap. */
static void
learn(struct committer *committer, const struct command *const *commands, const struct outcome *outcomes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct turn turn = turn_of(commands[i], 0);
		if (outcomes[i].failure == FAILURE_NONE)
			turns_learn(committer->turns, &turn, outcomes[i].work);
	}
}

/* This function and the next are called in store_execute. */
static void
begin_unknown(void *context)
{
	struct committer *committer = context;
	receiver_begin_refusing(&committer->receiver, committer->batch->peers, committer->batch->count);
}

static void
end_unknown(void *context)
{
	struct committer *committer = context;
	receiver_end_refusing(&committer->receiver, committer->batch->peers, committer->batch->count);
}

static void
execute(struct committer *committer, struct pool *pool, const struct request_batch *batch)
{
	const struct command *commands[COMMITTER_BATCH_MAX];
	struct outcome outcomes[COMMITTER_BATCH_MAX];
	bool locked[COMMITTER_BATCH_MAX];
	struct execution execution = { .commands = commands,
		.count = batch->count,
		.deadline_ms = batch->deadline_ms,
		.outcomes = outcomes,
		.locked = locked,
		.unknown_begins = begin_unknown,
		.unknown_ends = end_unknown,
		.context = committer };
	for (size_t i = 0; i < batch->count; i++)
		commands[i] = &batch->requests[i]->as.command;
	begin_work(committer, batch->requests, batch->count);
	committer->batch = batch;
	metrics_observe(METRIC_BATCH, (int64_t)batch->count);
	store_execute(committer->store, pool, &execution);
	end_work(committer);
	learn(committer, commands, outcomes, batch->count);
	answer_batch(committer, batch, outcomes, locked);
	if (execution.made_deliveries) /* after the answers, so that responders do not compete with it for a processor */
		wake_send(committer->options->dispatcher);
	if (execution.made_messages)
		wake_send(committer->options->mailer);
}

static void
look_up(struct committer *committer, struct pool *pool, const struct request_batch *batch)
{
	const struct look_up *look_ups[COMMITTER_BATCH_MAX];
	struct outcome outcomes[COMMITTER_BATCH_MAX];
	for (size_t i = 0; i < batch->count; i++)
		look_ups[i] = &batch->requests[i]->as.look_up;
	begin_work(committer, batch->requests, batch->count);
	store_set_deadline(committer->store, batch->deadline_ms);
	store_answer_look_ups(committer->store, pool, look_ups, batch->count, outcomes);
	end_work(committer);
	answer_batch(committer, batch, outcomes, NULL);
}

static void
run_look_ups(struct committer *committer, struct pool *pool)
{
	struct request_batch batch = { .count = 0 };
	gather_look_ups(committer, pool, &batch);
	if (batch.count > 0)
		look_up(committer, pool, &batch);
}

static void
run_commands(struct committer *committer, struct pool *pool)
{
	struct request_batch batch = { .count = 0 };
	gather_commands(committer, pool, &batch);
	if (batch.count > 0)
		execute(committer, pool, &batch);
}

static void
try_suspect(struct committer *committer, struct pool *pool, struct peer *peer)
{
	const struct commit_request *request = read_request(committer, pool, peer);
	struct request_batch alone = { .count = 0 };
	if (request == NULL)
		return;
	add_request(&alone, peer, request);
	if (request->kind == REQUEST_COMMAND)
		execute(committer, pool, &alone);
	else if (request->kind == REQUEST_LOOK_UP)
		look_up(committer, pool, &alone);
	else if (!answer_directory_request(committer, pool, peer, request))
		return;
	if (peer->state != PEER_WAITING)
		suspects_clear(committer->options->suspects, request);
}

/* Runs one suspect per cycle, after all other requests. */
static void
answer_suspect(struct committer *committer, struct pool *pool)
{
	for (size_t i = 0; i < committer->receiver.peers.count; i++)
		if (kind_of(committer->receiver.peers.items[i]) == KIND_SUSPECT) {
			try_suspect(committer, pool, committer->receiver.peers.items[i]);
			return;
		}
}

/* Milliseconds until a waiting peer can be served, at most HEARTBEAT_MS. */
static int
idle_ms(const struct committer *committer)
{
	int64_t now_ms = clock_monotonic_ms(), ms = HEARTBEAT_MS;
	for (size_t i = 0; i < committer->receiver.peers.count; i++) {
		const struct peer *peer = committer->receiver.peers.items[i];
		int64_t left = peer->delayed_until_ms > now_ms ? peer->delayed_until_ms - now_ms : 0;
		if (peer->state == PEER_WAITING && left < ms)
			ms = left;
	}
	return (int)ms;
}

/* The next batch may need the memory of this one, so memory is returned only some time after the last large batch. */
static void
release_memory(struct committer *committer)
{
	const size_t freed = memory_freed();
	if (freed <= TRIM_BYTES && committer->trim_ms == 0)
		return;
	const int64_t now_ms = clock_monotonic_ms();
	if (freed > TRIM_BYTES) {
		committer->trim_ms = now_ms + TRIM_DELAY_MS;
	} else if (now_ms >= committer->trim_ms) {
		committer->trim_ms = 0;
		memory_trim();
	}
}

static void
run_cycle(struct committer *committer)
{
	const int idle = idle_ms(committer), timeout = idle < PAUSE_MS && committer->pauses > 0 ? PAUSE_MS : idle;
	report(committer, COMMITTER_IDLE);
	if (!receiver_wait(&committer->receiver, timeout))
		store_disconnect_idle(committer->store, committer->options->idle_ms);
	if (idle_ms(committer) == 0) {
		struct pool *pool = pool_new();
		report(committer, COMMITTER_BUSY);
		check_suspects(committer, pool);
		answer_directory_requests(committer, pool);
		run_look_ups(committer, pool);
		run_commands(committer, pool);
		answer_suspect(committer, pool);
		pool_free(&pool);
		note_used_keys(committer);
	}
	peers_sweep(&committer->receiver.peers);
	release_memory(committer);
}

int
committer_run(const struct committer_options *options)
{
	struct committer committer = { .options = options, .store = options->store };
	struct receiver *receiver = &committer.receiver;
	if (receiver_open(receiver, options->endpoint)) {
		committer.directory = commit_directory_new(options->store);
		committer.turns = turns_new();
		options->report(options->context, COMMITTER_READY);
		log_debug("committer_started", LOG_INT("idle_ms", options->idle_ms));
		while (!receiver->ending || receiver->peers.count > 0)
			run_cycle(&committer);
	}
	receiver_close(receiver);
	commit_directory_free(&committer.directory);
	turns_free(&committer.turns);
	return receiver->status;
}
