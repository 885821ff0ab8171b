/* SPDX-License-Identifier: MIT
 * leadhook-dispatch(8): sends due deliveries, from cron or as a daemon. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/duration.h"
#include "deliver/crashes.h"
#include "deliver/dispatcher.h"
#include "deliver/process/companion.h"
#include "deliver/texts/texter.h"
#include "os/clock.h"
#include "os/crash.h"
#include "os/descriptors.h"
#include "os/log.h"
#include "os/metrics.h"
#include "os/notify.h"
#include "os/sandbox.h"
#include "os/wake.h"
#include "prog/confinement.h"
#include "prog/program_options.h"
#include "prog/signal_thread.h"
#include "prog/wiring.h"
#include "store/queue/due_deliveries.h"
#include "store/schema.h"

static const char program[] = "leadhook-dispatch";

static const char usage[] = "usage: leadhook-dispatch [--config FILE] [--daemon] [--max-runtime SECONDS] [--quiet]\n"
			    "                         [--dry-run | --check-config | --check-start] [--version] [--help]\n";

/* DRY_RUN_MAX: the maximum number of rows that --dry-run shows. */
enum { DRY_RUN_MAX = 10000, MAX_RUNTIME_S = 24 * 3600 };

enum {
	OPTION_CONFIG,
	OPTION_DAEMON,
	OPTION_MAX_RUNTIME,
	OPTION_DRY_RUN,
	OPTION_CHECK_CONFIG,
	OPTION_CHECK_START,
	OPTION_QUIET,
	OPTIONS
};

static const struct option options[] = {
	{ "config", required_argument, NULL, OPTION_CONFIG },
	{ "daemon", no_argument, NULL, OPTION_DAEMON },
	{ "max-runtime", required_argument, NULL, OPTION_MAX_RUNTIME },
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "check-config", no_argument, NULL, OPTION_CHECK_CONFIG },
	{ "check-start", no_argument, NULL, OPTION_CHECK_START },
	{ "quiet", no_argument, NULL, OPTION_QUIET },
	PROGRAM_OPTIONS,
};

struct arguments {
	const char *config_path; /* NULL: the usual one */
	int64_t max_runtime_ms;  /* 0: no limit */
	bool daemon;
};

/* Parses a number of seconds, or a duration as in the configuration. */
static bool
parse_runtime(const char *text, int64_t *ms)
{
	uint64_t seconds;
	if (slice_to_u64(slice_of(text), MAX_RUNTIME_S, &seconds))
		*ms = (int64_t)seconds * 1000;
	else if (!duration_parse(slice_of(text), ms))
		return false;
	return *ms > 0 && *ms <= (int64_t)MAX_RUNTIME_S * 1000;
}

/* One line for each webhook with work, and one for bulk jobs. */
static void
print_due(const struct due_webhooks *webhooks)
{
	char time[CLOCK_RFC3339_SIZE];
	for (size_t i = 0; i < webhooks->ended_count; i++)
		printf("webhook %" PRIu64 " was removed: its pending deliveries will be ended\n", webhooks->ended[i]);
	for (size_t i = 0; i < webhooks->due_count; i++) {
		clock_rfc3339(webhooks->due[i].first_due_ms, time);
		printf("webhook %" PRIu64 " is due since %s\n", webhooks->due[i].webhook_id, time);
	}
	if (webhooks->bulk_work)
		puts("bulk work is queued");
	if (webhooks->free_jobs)
		puts("jobs of operators are queued");
	if (webhooks->due_count == 0 && webhooks->ended_count == 0 && !webhooks->bulk_work && !webhooks->free_jobs)
		puts("nothing is due");
	if (webhooks->next_due_ms >= 0) {
		clock_rfc3339(webhooks->next_due_ms, time);
		printf("next at %s\n", time);
	}
}

static int
status_of(const struct store *store, enum result result)
{
	if (result == RESULT_OK)
		return EX_OK;
	return result == RESULT_WRONG_SCHEMA || store_denial(store) != DENIAL_NONE ? EX_CONFIG : EX_UNAVAILABLE;
}

/* --dry-run */
static int
show_due(struct store *store)
{
	static const struct due_query all = { .shards = UINT64_MAX, .limit = DRY_RUN_MAX };
	struct due_webhooks webhooks;
	struct pool *pool = pool_new();
	enum result result = store_demand_schema(store);
	if (result == RESULT_OK)
		result = store_due_webhooks(store, pool, &all, &webhooks);
	if (result == RESULT_OK)
		print_due(&webhooks);
	pool_free(&pool);
	if (result != RESULT_OK && result != RESULT_WRONG_SCHEMA) /* already logged, with a hint */
		fprintf(stderr, "%s: the database: %s\n", program, result_text(result));
	return status_of(store, result);
}

/* Returns EX_OK to start, otherwise the exit status. The database may recover, so a daemon waits. An error that the operator
 * must correct ends a run from cron, so that it is reported once. */
static int
check_start(struct store *store, const struct arguments *arguments)
{
	const enum result result = wiring_try_database(store);
	const int status = result == RESULT_FAILED ? EX_CONFIG : status_of(store, result);
	return status == EX_UNAVAILABLE || (arguments->daemon && store_denial(store) != DENIAL_NONE) ? EX_OK : status;
}

/* Returns a descriptor that becomes readable when a signal to end arrives; -1 after logging an error. */
static int
watch_end_signals(const struct arguments *arguments)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	if (!arguments->daemon) /* SIGHUP: the terminal was closed; for a daemon it means a new configuration */
		sigaddset(&signals, SIGHUP);
	int fd = sigprocmask(SIG_BLOCK, &signals, NULL) == 0 ? signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
	if (fd < 0)
		log_error("cannot_watch_signals", LOG_ERRNO(errno));
	return fd;
}

/* Each attempt needs up to three descriptors. */
static void
prepare_process(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &files) != 0)
			log_warning("cannot_raise_limit", LOG_ERRNO(errno));
	}
	sender_prepare_process();
}

/* ---- mail and texts ---- */

/* What the mailer or the texter needs. */
struct companion_context {
	const struct wiring *wiring;
	const struct arguments *arguments;
	const char *file; /* "": none */
	int fd;
};

static struct store *
store_of_process(const struct companion_context *start)
{
	const struct wiring *wiring = start->wiring;
	struct store *store = wiring_store(wiring->conf, &wiring->disposable_domains, WIRING_ANSWER_MS);
	struct sandbox *sandbox = confinement_of_mail(wiring->conf, LOG_LEVEL_DEBUG);
	sender_prepare_process();
	sandbox_enter(&sandbox);
	signal_thread_start(&(struct signal_tasks){ .reload = NULL });
	return store;
}

/* Sets the options that both the mailer and the texter need. */
static void
set_up_outbox(const struct companion_context *start, int stop_fd, struct companion_life *life, struct outbox_options *wanted)
{
	wanted->stay = start->arguments->daemon;
	wanted->max_runtime_ms = start->arguments->max_runtime_ms;
	wanted->stop_fd = stop_fd;
	wanted->life = life;
	wanted->signals = watch_end_signals(start->arguments);
	wanted->wake_fd = wanted->owner_fd = -1;
}

/* Main functions of companions (companion.h). */
static int
send_mail(void *context, int stop_fd, struct companion_life *life)
{
	const struct companion_context *start = context;
	struct mailer_options wanted = wiring_mailer(start->wiring);
	set_up_outbox(start, stop_fd, life, &wanted.outbox);
	wanted.outbox.wake_fd = start->fd < 0 ? -1 : wake_open(start->file);
	wanted.outbox.owner_fd = start->fd;
	return mailer_run(store_of_process(start), &wanted) == RESULT_OK ? EX_OK : EX_UNAVAILABLE;
}

static int
send_texts(void *context, int stop_fd, struct companion_life *life)
{
	const struct companion_context *start = context;
	struct texter_options wanted = wiring_texter(start->wiring);
	set_up_outbox(start, stop_fd, life, &wanted.outbox);
	return texter_run(store_of_process(start), &wanted) == RESULT_OK ? EX_OK : EX_UNAVAILABLE;
}

/* Leaves the descriptors of *process at -1 if it could not be started. */
static void
start_process(struct companion_context start, companion_main *run, enum metric_process kind, struct companion *process)
{
	if (*start.file != '\0')
		start.fd = open(start.file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (*start.file != '\0' && start.fd < 0)
		log_error("cannot_lock", LOG_STR("path", start.file), LOG_ERRNO(errno),
		    LOG_STR("hint", "let this account write the file and its directory"));
	const struct companion_options wanted = { run, kind, &start, start.fd, COMPANION_SILENCE_MS };
	if ((*start.file == '\0' || start.fd >= 0) && !companion_start(&wanted, process))
		process->done_fd = -1;
	descriptor_close(start.fd);
}

enum { MAIL, TEXTS };
_Static_assert(DISPATCHER_COMPANIONS == TEXTS + 1, "one process for each");

static void
start_processes(
    const struct wiring *wiring, const struct arguments *arguments, struct companion processes[DISPATCHER_COMPANIONS])
{
	const struct companion_context mail = { wiring, arguments, wiring_outbox_file(wiring, MAIL_CHANNEL), -1 };
	const struct companion_context texts = { wiring, arguments, wiring_outbox_file(wiring, TEXT_CHANNEL), -1 };
	processes[MAIL] = processes[TEXTS] = (struct companion){ -1, -1, -1 };
	if (wiring_has_mail(wiring->conf))
		start_process(mail, send_mail, METRIC_PROCESS_MAILER, &processes[MAIL]);
	if (wiring_has_texts(wiring->conf))
		start_process(texts, send_texts, METRIC_PROCESS_TEXTER, &processes[TEXTS]);
}

static struct dispatcher_options
dispatcher_options_of(const struct wiring *wiring, const struct arguments *arguments)
{
	const struct conf_dispatch *settings = &wiring->conf->dispatch;
	return (struct dispatcher_options){
		.sender = wiring_sender(wiring),
		.health = { .concurrency_start = settings->initial_concurrency,
		    .concurrency_max = settings->per_webhook,
		    .breaker_failures = settings->breaker_failures,
		    .probe_wait_ms = settings->breaker_wait,
		    .probe_wait_max_ms = settings->breaker_max_wait,
		    .disable_after_ms = settings->disable_after },
		.lease_ms = settings->lease,
		.schedule = &wiring->schedule,
		.stay = arguments->daemon,
		.poll_ms = settings->poll_interval,
		.max_runtime_ms = arguments->max_runtime_ms,
	};
}

/* What a dispatcher holds while it runs. */
struct run {
	const struct wiring *wiring;
	const struct arguments *arguments;
	struct lock *lock;       /* NULL: no lock file */
	struct crashes *crashes; /* NULL: no lock file */
	struct notifier *notifier;
	struct companion processes[DISPATCHER_COMPANIONS];
};

/* Memory that a thread keeps between its tasks: returning it after each fetch would cost as much as the rest of the fetch. */
enum { TASK_KEEP_BYTES = 4 * 1024 * 1024 };

static int
deliver(const struct run *run, struct store *store)
{
	const struct wiring *wiring = run->wiring;
	mallopt(M_MMAP_THRESHOLD, TASK_KEEP_BYTES);
	mallopt(M_TRIM_THRESHOLD, TASK_KEEP_BYTES);
	struct dispatcher_options wanted = dispatcher_options_of(wiring, run->arguments);
	const struct job_settings job_settings = wiring_job_settings(wiring);
	for (size_t i = 0; i < DISPATCHER_COMPANIONS; i++)
		wanted.companion_fds[i] = run->processes[i].done_fd;
	wanted.crashes = run->crashes;
	wanted.job_settings = &job_settings;
	wanted.notifier = run->notifier;
	wanted.stop_fd = watch_end_signals(run->arguments);
	if (wanted.stop_fd < 0)
		return EX_OSERR;
	wanted.wake_fd = run->lock == NULL ? -1 : wake_open(wiring->conf->dispatch.lock_file);
	/* after signals are watched, because the connection may take a while */
	struct dispatcher_stores stores = {
		.feeder = store,
		.recorder = wiring_store(wiring->conf, &wiring->disposable_domains, WIRING_ANSWER_MS),
		.maintenance = wiring_store(wiring->conf, &wiring->disposable_domains, WIRING_ANSWER_MS),
		.jobs = wiring_store(wiring->conf, &wiring->disposable_domains, WIRING_ANSWER_MS),
	};
	int status = check_start(store, run->arguments);
	struct dispatcher *dispatcher = status == EX_OK ? dispatcher_new(&wanted, &stores, run->lock) : NULL;
	if (dispatcher != NULL)
		status = dispatcher_run(dispatcher) == RESULT_OK ? EX_OK : EX_UNAVAILABLE;
	else if (status == EX_OK)
		status = EX_CONFIG;
	dispatcher_free(&dispatcher);
	store_free(&stores.recorder);
	store_free(&stores.maintenance);
	store_free(&stores.jobs);
	close(wanted.stop_fd);
	descriptor_close(wanted.wake_fd);
	return status;
}

/* Called by the signal thread. If the new configuration would work, this process ends, and another one starts with it. */
static void
try_reload(void *context)
{
	const struct run *run = context;
	if (wiring_try(run->arguments->config_path, WIRING_OF_DISPATCHER)) {
		log_info("reloading", LOG_STR("consequence", "this process ends; the service manager starts it again"));
		kill(getpid(), SIGTERM);
		return;
	}
	log_error("reload_failed", LOG_STR("consequence", "the previous configuration stays"));
	notify_ready(run->notifier, "Delivering; the last reload failed, see the log");
}

static int
lock_and_deliver(const struct wiring *wiring, const struct arguments *arguments, struct store *store)
{
	struct run run = { .wiring = wiring, .arguments = arguments };
	const char *path = wiring->conf->dispatch.lock_file;
	enum result locked =
	    *path == '\0' ? RESULT_OK : lock_take(path, dispatcher_slots(wiring->conf->dispatch.in_flight), &run.lock);
	if (locked == RESULT_CONFLICT && arguments->daemon)
		log_warning("already_running", LOG_STR("lock_file", path),
		    LOG_STR("hint", "stop the other dispatcher, or set another dispatch.lock_file"));
	if (locked == RESULT_CONFLICT && isatty(STDERR_FILENO)) /* silent for cron */
		fprintf(stderr, "%s: another one with the lock file %s is at work\n", program, path);
	if (locked != RESULT_OK)
		return locked == RESULT_CONFLICT ? EX_OK : EX_OSERR;
	/* from cron this would be a line per minute */
	metrics_open(wiring->conf->server.state_dir, arguments->daemon ? LOG_LEVEL_WARNING : LOG_LEVEL_DEBUG);
	metrics_add(METRIC_STARTS, METRIC_PROGRAM_DISPATCH, 1);
	static _Atomic(pid_t) keepers[DISPATCHER_COMPANIONS];
	const struct signal_tasks tasks = { .groups = keepers,
		.group_count = DISPATCHER_COMPANIONS,
		.reload = arguments->daemon ? try_reload : NULL,
		.context = &run };
	signal_thread_block(&tasks);
	run.notifier = notifier_new();                     /* before there are processes that inherit the environment */
	start_processes(wiring, arguments, run.processes); /* before threads start */
	metrics_process_begin(METRIC_PROCESS_DISPATCHER);
	run.crashes = run.lock == NULL ? NULL : crashes_open(path); /* before the sandbox */
	prepare_process();
	/* from cron this would be a line per minute */
	struct sandbox *sandbox = confinement_of_dispatcher(wiring->conf, arguments->daemon ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG);
	sandbox_enter(&sandbox); /* before threads start */
	for (size_t i = 0; i < DISPATCHER_COMPANIONS; i++)
		keepers[i] = run.processes[i].keeper;
	signal_thread_start(&tasks);
	int status = deliver(&run, store);
	for (size_t i = 0; i < DISPATCHER_COMPANIONS; i++) {
		keepers[i] = 0;
		if (run.processes[i].done_fd >= 0)
			companion_stop(&run.processes[i]);
	}
	signal_thread_end();
	notifier_free(&run.notifier);
	crashes_free(&run.crashes);
	lock_free(&run.lock);
	metrics_process_end();
	return status;
}

int
main(int argc, char *argv[])
{
	const char *given[OPTIONS] = { NULL };
	struct arguments arguments = { .daemon = false };
	sandbox_begin();
	descriptors_fill();
	crash_log_signals();
	int status = program_options_read(program, usage, options, argc, argv, given);
	if (status >= 0)
		return status;
	arguments.daemon = given[OPTION_DAEMON] != NULL;
	if (given[OPTION_MAX_RUNTIME] != NULL && !parse_runtime(given[OPTION_MAX_RUNTIME], &arguments.max_runtime_ms)) {
		fprintf(stderr, "%s: --max-runtime takes a time from 1 to %d seconds\n", program, MAX_RUNTIME_S);
		return EX_USAGE;
	}
	if (given[OPTION_CHECK_START] != NULL)
		return wiring_check_start(program, given[OPTION_CONFIG], WIRING_OF_DISPATCHER);
	arguments.config_path = given[OPTION_CONFIG];
	struct wiring wiring;
	if (!wiring_load(
		program, given[OPTION_CONFIG], given[OPTION_CHECK_CONFIG] == NULL ? WIRING_TO_RUN : WIRING_TO_CHECK, &wiring))
		return EX_CONFIG;
	if (given[OPTION_QUIET] != NULL)
		wiring.conf->log.level = LOG_LEVEL_ERROR;
	wiring_start_log(program, &wiring);
	if (given[OPTION_MAX_RUNTIME] == NULL && !arguments.daemon)
		arguments.max_runtime_ms = wiring.conf->dispatch.max_runtime;
	status = EX_OK;
	if (given[OPTION_CHECK_CONFIG] == NULL) {
		struct store *store = wiring_store(wiring.conf, &wiring.disposable_domains, WIRING_ANSWER_MS);
		status = given[OPTION_DRY_RUN] != NULL ? show_due(store) : lock_and_deliver(&wiring, &arguments, store);
		store_free(&store);
	}
	wiring_free(&wiring);
	return status;
}
