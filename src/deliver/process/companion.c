/* SPDX-License-Identifier: MIT */
#include "deliver/process/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/duration.h"
#include "os/clock.h"
#include "os/log.h"

enum {
	LOCK_MS = 200,
	PAUSE_MS = 1000,
	PAUSE_MAX_MS = MINUTE_MS,
	SOUND_MS = 5 * MINUTE_MS,                                   /* after this time, a crash counts as the first again */
	CHILD_MS = COMPANION_STOP_MS + COMPANION_ABANDON_MS + 1000, /* how long a child may take to end */
	KEEPER_MS = CHILD_MS + 1000,
	DESCRIPTORS_MAX = 1024
};

/* Shared by the process and its keeper. */
struct companion_life {
	_Atomic(int64_t) last_ms; /* clock_monotonic_ms of the last sign of life */
};

void
companion_alive(struct companion_life *life)
{
	if (life != NULL)
		atomic_store(&life->last_ms, clock_monotonic_ms());
}

static struct companion_life *
share_life(void)
{
	void *shared = mmap(NULL, sizeof(struct companion_life), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared != MAP_FAILED)
		return shared;
	log_warning("no_shared_memory", LOG_ERRNO(errno), LOG_STR("consequence", "a process that hangs is not started again"));
	return NULL;
}

/* Waits for `ms`, or until a child has changed state. Returns true when the caller's process has ended. */
static bool
wait_for_stop(int stop_fd, int children_fd, int64_t ms)
{
	struct pollfd fds[] = { { stop_fd, POLLIN, 0 }, { children_fd, POLLIN, 0 } };
	struct signalfd_siginfo info;
	if (poll(fds, ARRAY_SIZE(fds), (int)ms) <= 0)
		return false;
	if (fds[1].revents != 0 && read(children_fd, &info, sizeof(info)) < 0)
		log_debug("no_signal_read", LOG_ERRNO(errno));
	else if (fds[1].revents != 0 && info.ssi_signo == SIGUSR2)
		log_reopen();
	return fds[0].revents != 0;
}

static bool
take_lock(int fd, int stop_fd, int children_fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	bool logged = false;
	while (fd >= 0 && fcntl(fd, F_OFD_SETLK, &whole) != 0) {
		const int error = errno;
		const bool is_held = error == EAGAIN || error == EACCES;
		if (!is_held && !logged)
			log_error("cannot_lock", LOG_ERRNO(error), LOG_STR("consequence", "nothing is sent"));
		logged = logged || !is_held;
		if (wait_for_stop(stop_fd, children_fd, LOCK_MS))
			return false;
	}
	return true;
}

/* The child gets SIGTERM when the keeper is killed. Signals that end a process stay blocked, so that one that comes early does
 * not count as a crash. */
static void
become_child(const struct companion_options *options, pid_t parent, int stop_fd, struct companion_life *life)
{
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(0);
	metrics_process_begin(options->kind);
	const int status = options->run(options->context, stop_fd, life);
	metrics_process_end();
	_exit(status);
}

/* The time until a process that no longer reports counts as hanging. Time while the machine is suspended does not count:
 * clock_monotonic_ms stands still. */
static int64_t
silence_left_ms(const struct companion_options *options, const struct companion_life *life)
{
	return life == NULL ? SOUND_MS : atomic_load(&life->last_ms) + options->silence_ms - clock_monotonic_ms();
}

/* Returns the child's status, or -1 if it was stopped. */
static int
watch_child(
    const struct companion_options *options, pid_t child, const struct companion_life *life, int stop_fd, int children_fd)
{
	int64_t kill_ms = CLOCK_NEVER, left_ms;
	int status = 0;
	while (waitpid(child, &status, WNOHANG) == 0) {
		const int64_t now = clock_monotonic_ms();
		if (kill_ms != CLOCK_NEVER) { /* the descriptor stays readable after the caller's process has ended */
			(void)!wait_for_stop(-1, children_fd, 100);
		} else if ((left_ms = silence_left_ms(options, life)) <= 0) {
			log_error("companion_stuck", LOG_INT("pid", child), LOG_INT("ms", options->silence_ms - left_ms));
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			break;
		} else if (wait_for_stop(stop_fd, children_fd, left_ms)) {
			kill_ms = now + CHILD_MS; /* the child watches the same descriptor */
		}
		if (now >= kill_ms)
			kill(child, SIGKILL);
	}
	return kill_ms == CLOCK_NEVER ? status : -1;
}

static void
log_end(int status, int64_t pause_ms)
{
	log_error("companion_crashed", LOG_UINT("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0),
	    LOG_UINT("status", WIFEXITED(status) ? WEXITSTATUS(status) : 0), LOG_INT("again_in_ms", pause_ms));
}

static void
keep(const struct companion_options *options, int stop_fd, int children_fd)
{
	int64_t pause_ms = PAUSE_MS;
	const pid_t self = getpid();
	struct companion_life *life = share_life();
	if (!take_lock(options->lock_fd, stop_fd, children_fd))
		return;
	for (;;) {
		const int64_t started_ms = clock_monotonic_ms();
		companion_alive(life);
		const pid_t child = fork();
		if (child == 0)
			become_child(options, self, stop_fd, life);
		if (child < 0) {
			log_error("no_companion", LOG_ERRNO(errno), LOG_INT("again_in_ms", pause_ms));
		} else {
			const int status = watch_child(options, child, life, stop_fd, children_fd);
			metrics_process_died(child);
			if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
				return;
			if (clock_monotonic_ms() - started_ms >= SOUND_MS)
				pause_ms = PAUSE_MS;
			log_end(status, pause_ms);
			metrics_add(METRIC_RESTARTS, options->kind, 1);
		}
		const int64_t until_ms = clock_monotonic_ms() + pause_ms;
		for (int64_t now = clock_monotonic_ms(); now < until_ms; now = clock_monotonic_ms())
			if (wait_for_stop(stop_fd, children_fd, until_ms - now))
				return;
		pause_ms = 2 * pause_ms < PAUSE_MAX_MS ? 2 * pause_ms : PAUSE_MAX_MS;
	}
}

/* Descriptors of the caller's process stay closed here: otherwise this process would also hold its lock. */
static void
close_others(const int *ours, size_t count)
{
	for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS_MAX; fd++) {
		bool needed = log_uses(fd);
		for (size_t i = 0; i < count; i++)
			needed = needed || fd == ours[i];
		if (!needed)
			close(fd);
	}
}

/* Signals that end a process are ignored: only the end of the caller's process counts, which may wait until its own attempts
 * are recorded. It has its own process group: a signal that ends it by force also ends its child. */
static void
become_keeper(const struct companion_options *options, int stop_fd, int done_fd)
{
	const int ours[] = { stop_fd, done_fd, options->lock_fd };
	sigset_t signals;
	setpgid(0, 0);
	close_others(ours, ARRAY_SIZE(ours));
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	const int children_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (children_fd < 0)
		log_error("cannot_watch_signals", LOG_ERRNO(errno));
	else
		keep(options, stop_fd, children_fd);
	_exit(0);
}

bool
companion_start(const struct companion_options *options, struct companion *process)
{
	int stop[2] = { -1, -1 }, done[2] = { -1, -1 };
	pid_t pid = -1;
	if (pipe2(stop, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0) {
		close(stop[1]);
		close(done[0]);
		become_keeper(options, stop[0], done[1]);
	}
	if (pid < 0) {
		log_error("no_companion", LOG_ERRNO(errno));
		for (size_t i = 0; i < 2; i++) {
			if (stop[i] >= 0)
				close(stop[i]);
			if (done[i] >= 0)
				close(done[i]);
		}
		return false;
	}
	close(stop[0]);
	close(done[1]);
	*process = (struct companion){ pid, stop[1], done[0] };
	return true;
}

void
companion_stop(struct companion *process)
{
	struct pollfd done = { process->done_fd, POLLIN, 0 };
	close(process->stop_fd);
	if (poll(&done, 1, KEEPER_MS) <= 0)
		kill(-process->keeper, SIGKILL);
	while (waitpid(process->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	close(process->done_fd);
}
