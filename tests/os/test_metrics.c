/* SPDX-License-Identifier: MIT
 * Metrics (docs/operating.md 12.1): counts that all processes of a host share, and the page that shows them. */
#include "unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"
#include "captured_log.h"
#include "os/metrics_page.h"
#include "os/metrics_table.h"

static char folder[] = "/tmp/leadhook-metrics-XXXXXX";
static char path[sizeof(folder) + sizeof("/metrics")];

static const struct metric_route routes[] = { { "GET", "/v2/{campaign}" }, { "POST", "/\"odd\\\n" } };

/* The content of the page, in the pool. */
static const char *
page_of(struct pool *pool, struct metrics_page *page)
{
	struct buffer out;
	buffer_init(&out, METRICS_PAGE_MAX_BYTES);
	metrics_page_write(page, &out);
	assert_true(buffer_ok(&out));
	const char *text = pool_string(pool, buffer_slice(&out));
	buffer_free(&out);
	return text;
}

static const char *
own_page(struct pool *pool)
{
	struct metrics_page *page = metrics_page_new(pool, routes, ARRAY_SIZE(routes));
	metrics_page_add_counts(page);
	return page_of(pool, page);
}

static void
expect_line(const char *text, const char *line)
{
	const char *framed = text;
	const size_t size = strlen(line);
	for (; framed != NULL; framed = strchr(framed, '\n')) {
		framed += *framed == '\n';
		if (strncmp(framed, line, size) == 0 && framed[size] == '\n')
			return;
	}
	fail_msg("there is no line %s in\n%s", line, text);
}

static void
count_processes(struct metrics_process_counts *counts)
{
	uint64_t cells[METRIC_CELLS_MAX];
	metrics_copy(cells, counts);
}

static uint64_t
cell(enum metric metric, size_t index)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	metrics_copy(cells, &counts);
	return cells[metrics_definition(metric)->first + index];
}

/* Each test starts with a folder without a file. */
static int
begin(void **state UNUSED)
{
	unlink(path);
	metrics_open(folder, LOG_LEVEL_WARNING);
	return 0;
}

static void
the_table_is_sound(void **state UNUSED)
{
	unsigned next = 0;
	for (size_t i = 0; i < METRICS; i++) {
		const struct metric_definition *metric = metrics_definition((enum metric)i);
		size_t cells = 1;
		assert_int_equal(metric->first, next);
		next += metric->cells;
		for (size_t j = 0; j < METRIC_LABELS && metric->labels[j] != NULL; j++)
			cells *= metric->labels[j]->count;
		if (metric->type == METRIC_HISTOGRAM)
			cells = metric->bounds->count + 2;
		if (metric->cells != cells)
			fail_msg("%s has %u cells, its labels %zu", metric->name, metric->cells, cells);
		const size_t size = strlen(metric->name);
		const bool total = size > 6 && strcmp(metric->name + size - 6, "_total") == 0;
		if (total != (metric->type == METRIC_COUNTER))
			fail_msg("%s: a counter, and nothing else, ends with _total", metric->name);
		assert_true(metric->help[strlen(metric->help) - 1] == '.' && strpbrk(metric->help, "\\\n") == NULL);
	}
	assert_int_equal(metrics_cell_count(), next);
}

/* docs/operating.md 12.1: the buckets of a histogram are cumulative, and a bucket includes its bound. */
static void
a_histogram_is_cumulative(void **state UNUSED)
{
	struct pool *pool = pool_new();
	static const int64_t values[] = { 1, 2, 3, 5, 30000, 30001, -4 };
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		metrics_observe(METRIC_REQUEST_TIME, values[i]);
	const char *text = own_page(pool);
	expect_line(text, "# TYPE leadhook_request_duration_seconds histogram");
	expect_line(text, "leadhook_request_duration_seconds_bucket{le=\"0.001\"} 2");
	expect_line(text, "leadhook_request_duration_seconds_bucket{le=\"0.002\"} 3");
	expect_line(text, "leadhook_request_duration_seconds_bucket{le=\"0.005\"} 5");
	expect_line(text, "leadhook_request_duration_seconds_bucket{le=\"30\"} 6");
	expect_line(text, "leadhook_request_duration_seconds_bucket{le=\"+Inf\"} 7");
	expect_line(text, "leadhook_request_duration_seconds_sum 60.012");
	expect_line(text, "leadhook_request_duration_seconds_count 7");
	metrics_observe(METRIC_BATCH, 128);
	text = own_page(pool);
	expect_line(text, "leadhook_batch_commands_bucket{le=\"64\"} 0");
	expect_line(text, "leadhook_batch_commands_bucket{le=\"128\"} 1");
	expect_line(text, "leadhook_batch_commands_sum 128");
	pool_free(&pool);
}

static void
labels_are_escaped(void **state UNUSED)
{
	struct pool *pool = pool_new();
	metrics_count_request(METRIC_ROUTE_FIRST + 1, 404);
	const char *text = own_page(pool);
	expect_line(text, "leadhook_requests_total{method=\"POST\",route=\"/\\\"odd\\\\\\n\",class=\"4xx\"} 1");
	expect_line(text, "leadhook_requests_total{method=\"GET\",route=\"/v2/{campaign}\",class=\"2xx\"} 0");
	pool_free(&pool);
}

/* docs/operating.md 12.1: classes are closed; a route beyond the table counts as unknown. */
static void
every_status_has_a_class(void **state UNUSED)
{
	static const unsigned statuses[] = { 200, 202, 303, 404, 429, 503, 0, 999 };
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++)
		metrics_count_request(METRIC_ROUTES_MAX + i, statuses[i]);
	const size_t first = METRIC_ROUTE_UNKNOWN * METRIC_CLASS_COUNT;
	assert_int_equal(cell(METRIC_REQUESTS, first + METRIC_CLASS_2XX), 2);
	assert_int_equal(cell(METRIC_REQUESTS, first + METRIC_CLASS_3XX), 1);
	assert_int_equal(cell(METRIC_REQUESTS, first + METRIC_CLASS_4XX), 2);
	assert_int_equal(cell(METRIC_REQUESTS, first + METRIC_CLASS_5XX), 3);
}

static void
a_gauge_that_is_not_set_is_left_out(void **state UNUSED)
{
	struct pool *pool = pool_new();
	struct metrics_page *page = metrics_page_new(pool, routes, ARRAY_SIZE(routes));
	metrics_page_set(page, METRIC_DATABASE_UP, 0, 0);
	metrics_page_set(page, METRIC_FREE_BYTES, METRIC_FILESYSTEM_LOG, 1e15);
	metrics_page_set(page, METRIC_OLDEST_DUE, 0, 1.25);
	const char *text = page_of(pool, page);
	expect_line(text, "leadhook_database_up 0");
	expect_line(text, "leadhook_filesystem_free_bytes{of=\"log\"} 1e+15");
	expect_line(text, "leadhook_deliveries_oldest_due_age_seconds 1.25");
	expect_line(text, "leadhook_build_info{version=\"" LEADHOOK_VERSION "\"} 1");
	assert_null(strstr(text, "leadhook_leads"));
	assert_null(strstr(text, "of=\"state\""));
	assert_null(strstr(text, "leadhook_requests_total")); /* no counts were read */
	pool_free(&pool);
}

static void *
add_many(void *unused)
{
	for (size_t i = 0; i < 100000; i++)
		metrics_add(METRIC_EVENTS, 3, 1);
	return unused;
}

/* docs/operating.md 12.1: no update by a thread or a process is lost. */
static void
updates_are_atomic(void **state UNUSED)
{
	pthread_t threads[2];
	const pid_t child = fork();
	if (child == 0) {
		add_many(NULL);
		_exit(0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(cell(METRIC_EVENTS, 3), 300000);
}

/* docs/operating.md 12.1: counts survive the death of any process, and a program that opens the file again continues them. */
static void
counts_survive(void **state UNUSED)
{
	const pid_t child = fork();
	if (child == 0) {
		metrics_add(METRIC_LEADS_CREATED, 0, 7);
		kill(getpid(), SIGKILL);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	metrics_open(folder, LOG_LEVEL_WARNING);
	metrics_add(METRIC_LEADS_CREATED, 0, 1);
	assert_int_equal(cell(METRIC_LEADS_CREATED, 0), 8);
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	assert_true(metrics_read(folder, cells, &counts));
	assert_int_equal(cells[metrics_definition(METRIC_LEADS_CREATED)->first], 8);
}

/* docs/operating.md 12.1: only running processes are counted. */
static void
dead_processes_are_not_counted(void **state UNUSED)
{
	struct metrics_process_counts counts;
	int ready[2], status;
	char byte;
	assert_int_equal(pipe(ready), 0);
	metrics_process_begin(METRIC_PROCESS_DISPATCHER);
	metrics_process_under_way(5);
	const pid_t child = fork();
	if (child == 0) {
		metrics_process_begin(METRIC_PROCESS_WORKER);
		metrics_process_busy();
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	count_processes(&counts);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_WORKER], 1);
	assert_int_equal(counts.busy_workers, 1);
	assert_int_equal(counts.under_way, 5);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	count_processes(&counts);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_WORKER], 0);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_DISPATCHER], 1);
	metrics_process_end();
	metrics_process_busy(); /* no longer counted */
	count_processes(&counts);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_DISPATCHER], 0);
	assert_int_equal(counts.under_way, 0);
	close(ready[0]);
	close(ready[1]);
}

/* Finds the entry of a process in the file by its pid, the lower half. The upper half is the time of its start, or 0 if that is
 * unknown. */
static uint64_t *
place_of(pid_t pid)
{
	struct stat status;
	const int fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	uint64_t *words = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(words, MAP_FAILED);
	close(fd);
	for (size_t i = 0; i < (size_t)status.st_size / sizeof(*words); i++)
		if ((uint32_t)words[i] == (uint32_t)pid)
			return &words[i];
	fail_msg("no place has the pid %ld", (long)pid);
	return NULL;
}

static uint64_t
count_all(void)
{
	struct metrics_process_counts counts;
	uint64_t count = 0;
	count_processes(&counts);
	for (size_t i = 0; i < METRIC_PROCESS_COUNT; i++)
		count += counts.by_kind[i];
	return count + counts.under_way;
}

/* A dispatcher that runs until it is killed. */
static pid_t
start_counted(void)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	const pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* in case the test fails */
		metrics_process_begin(METRIC_PROCESS_DISPATCHER);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void
end_counted(pid_t child)
{
	int status;
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
}

/* docs/operating.md 12.1: a program that reuses the pid of a killed process is not counted, because it started at another
 * time. */
static void
a_pid_alone_is_not_counted(void **state UNUSED)
{
	const pid_t child = start_counted();
	uint64_t *place = place_of(child);
	assert_int_equal(count_all(), 1);
	*place += UINT64_C(1) << 32;
	assert_int_equal(count_all(), 0);
	*place = (uint32_t)child; /* as if /proc could not be read at its start */
	assert_int_equal(count_all(), 1);
	end_counted(child);
	assert_int_equal(count_all(), 0);
}

/* docs/operating.md 12.1: if /proc does not show a process of another account, the process is not counted. */
static void
another_account_is_not_counted(void **state UNUSED)
{
	enum { INIT = 1, OTHER_ACCOUNT = 65534 };
	int status;
	if (geteuid() != 0 && kill(INIT, 0) == 0)
		skip(); /* all processes here belong to this account, as in a container */
	const pid_t child = start_counted();
	*place_of(child) = INIT;
	const pid_t reader = fork();
	if (reader == 0)
		_exit(geteuid() == 0 && setuid(OTHER_ACCOUNT) != 0 ? 2 : count_all() == 0 ? 0 : 1);
	assert_int_equal(waitpid(reader, &status, 0), reader);
	assert_int_equal(status, 0);
	*place_of(INIT) = 0;
	end_counted(child);
}

/* docs/operating.md 12.1: a killed process is not counted either when a process that is counted reuses its pid. */
static void
a_new_process_replaces_that_of_its_pid(void **state UNUSED)
{
	struct metrics_process_counts counts;
	const pid_t child = start_counted();
	*place_of(child) = (uint32_t)getpid();
	end_counted(child);
	metrics_process_begin(METRIC_PROCESS_WORKER);
	count_processes(&counts);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_DISPATCHER], 0);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_WORKER], 1);
	metrics_process_end();
	assert_int_equal(count_all(), 0);
}

static void
its_place_moves_with_the_file(void **state UNUSED)
{
	struct metrics_process_counts counts;
	metrics_process_begin(METRIC_PROCESS_WORKER);
	metrics_open(folder, LOG_LEVEL_WARNING); /* as a responder without a parent does when it reloads */
	count_processes(&counts);
	assert_int_equal(counts.by_kind[METRIC_PROCESS_WORKER], 1);
	metrics_process_end();
}

/* ---- without the file ---- */

/* docs/operating.md 12.1: a counter never makes a request fail. If the file cannot be made, or belongs to another account, the
 * program counts by itself. */
static void
without_a_file_it_counts_alone(void **state UNUSED)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	int status;
	const pid_t child = fork();
	if (child == 0) {
		capture_log();
		metrics_open("/dev/null/missing", LOG_LEVEL_WARNING);
		const pid_t grandchild = fork();
		if (grandchild == 0) {
			metrics_add(METRIC_EVENTS, 0, 1);
			_exit(0);
		}
		const bool ended = waitpid(grandchild, &status, 0) == grandchild;
		const bool logged = strstr(captured_log(), " metrics_not_shared ") != NULL;
		_exit(ended && logged && cell(METRIC_EVENTS, 0) >= 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_false(metrics_read("/dev/null/missing", cells, &counts));
	assert_false(metrics_read("", cells, &counts));
	assert_int_equal(cells[0], 0);
}

/* A full disk: RLIMIT_FSIZE makes posix_fallocate(3) fail like ENOSPC. Memory that was mapped before stays usable. */
static void
a_full_disk_stops_nothing(void **state UNUSED)
{
	int status;
	const pid_t child = fork();
	if (child == 0) {
		const struct rlimit none = { 0, 0 };
		unlink(path);
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &none);
		metrics_add(METRIC_EVENTS, 0, 1);
		metrics_open(folder, LOG_LEVEL_WARNING);
		metrics_add(METRIC_EVENTS, 0, 1);
		_exit(cell(METRIC_EVENTS, 0) == 2 && access(path, F_OK) != 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* docs/operating.md 12.1: the file of another version, or a damaged one, is not read, and is replaced at the next start. */
static void
a_damaged_file_is_not_read(void **state UNUSED)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	metrics_add(METRIC_EVENTS, 0, 1);
	assert_true(metrics_read(folder, cells, &counts));
	const int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "0.0.0-other", 11, 16), 11); /* the version */
	close(fd);
	assert_false(metrics_read(folder, cells, &counts));
	metrics_open(folder, LOG_LEVEL_WARNING);
	assert_true(metrics_read(folder, cells, &counts));
	assert_int_equal(cell(METRIC_EVENTS, 0), 0);
}

/* A file that is truncated while it is read is refused, and the reader gets no signal. */
static void
a_truncated_file_is_not_read(void **state UNUSED)
{
	uint64_t cells[METRIC_CELLS_MAX];
	struct metrics_process_counts counts;
	struct stat status;
	char copy[sizeof(folder) + 10];
	metrics_add(METRIC_EVENTS, 0, 1);
	assert_int_equal(stat(path, &status), 0);
	snprintf(copy, sizeof(copy), "%s/new", folder);
	assert_int_equal(rename(path, copy), 0); /* the mapped file stays whole */
	assert_false(metrics_read(folder, cells, &counts));
	const int fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, status.st_size - 1), 0);
	close(fd);
	assert_false(metrics_read(folder, cells, &counts));
	metrics_add(METRIC_EVENTS, 0, 1);
	assert_int_equal(cell(METRIC_EVENTS, 0), 2);
	unlink(copy);
}

/* ---- figures of the database ---- */

/* docs/operating.md 12.1: one process reads the figures every five seconds, or less often if that takes long. */
static void
figures_are_shared(void **state UNUSED)
{
	struct metrics_figures figures = { .count = 3 };
	assert_false(metrics_find_figures(1000, &figures)); /* this process reads them */
	assert_false(metrics_find_figures(1000, &figures)); /* there are no figures yet, so others read them, too */
	figures.list[2].value = 42;
	metrics_store_figures(2000, 10, &figures);
	figures.list[2].value = 0;
	assert_true(metrics_find_figures(6999, &figures));
	assert_int_equal(figures.list[2].value, 42);
	assert_false(metrics_find_figures(7000, &figures));         /* this process reads them again */
	assert_true(metrics_find_figures(7001, &figures));          /* meanwhile, others use the old figures */
	assert_false(metrics_find_figures(7000 + 30000, &figures)); /* as if the reading process had died */
	metrics_store_figures(40000, 2000, &figures);
	assert_true(metrics_find_figures(40000 + 100 * 2000 - 1, &figures));
	assert_false(metrics_find_figures(40000 + 100 * 2000, &figures));
	metrics_store_figures(300000, 60000, &figures);
	assert_false(metrics_find_figures(300000 + 5 * 60000, &figures)); /* figures are at most five minutes old */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_table_is_sound, begin),
		cmocka_unit_test_setup(a_histogram_is_cumulative, begin),
		cmocka_unit_test_setup(labels_are_escaped, begin),
		cmocka_unit_test_setup(every_status_has_a_class, begin),
		cmocka_unit_test_setup(a_gauge_that_is_not_set_is_left_out, begin),
		cmocka_unit_test_setup(updates_are_atomic, begin),
		cmocka_unit_test_setup(counts_survive, begin),
		cmocka_unit_test_setup(dead_processes_are_not_counted, begin),
		cmocka_unit_test_setup(a_pid_alone_is_not_counted, begin),
		cmocka_unit_test_setup(another_account_is_not_counted, begin),
		cmocka_unit_test_setup(a_new_process_replaces_that_of_its_pid, begin),
		cmocka_unit_test_setup(its_place_moves_with_the_file, begin),
		cmocka_unit_test_setup(without_a_file_it_counts_alone, begin),
		cmocka_unit_test_setup(a_full_disk_stops_nothing, begin),
		cmocka_unit_test_setup(a_damaged_file_is_not_read, begin),
		cmocka_unit_test_setup(a_truncated_file_is_not_read, begin),
		cmocka_unit_test_setup(figures_are_shared, begin),
	};
	if (mkdtemp(folder) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/metrics", folder);
	const int failed = cmocka_run_group_tests_name("os/metrics", tests, NULL, NULL);
	unlink(path);
	rmdir(folder);
	return failed;
}
