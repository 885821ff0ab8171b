/* SPDX-License-Identifier: MIT
 * What responders and the dispatcher can do at run time: what they need works, other operations fail. Each test runs in a
 * process of its own, because a sandbox cannot be left. */
#include "unit.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "captured_log.h"
#include "own_process.h"
#include "prog/confinement.h"

static char folder[] = "/tmp/leadhook-confinement-XXXXXX";
static char log_path[100], conf_path[100], other_path[100], socket_path[100], certificate_path[100], ca_path[100],
    mail_ca_path[100];
static struct conf conf;
static const char no_landlock[] = "this kernel has no Landlock";
static bool has_landlock;

static void
make_file(char *path, size_t size, const char *below, const char *name)
{
	snprintf(path, size, "%s/%s", folder, below);
	mkdir(path, 0700);
	snprintf(path, size, "%s/%s/%s", folder, below, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	make_file(log_path, sizeof(log_path), "log", "leadhook.log");
	make_file(conf_path, sizeof(conf_path), "etc", "leadhook.conf");
	make_file(other_path, sizeof(other_path), "other", "file");
	make_file(socket_path, sizeof(socket_path), "run", "fcgi.sock");
	make_file(ca_path, sizeof(ca_path), "trusted", "ca.pem");
	make_file(mail_ca_path, sizeof(mail_ca_path), "mail", "ca.pem");
	make_file(certificate_path, sizeof(certificate_path), "database", "ca.pem");
	static char option_file[100];
	snprintf(option_file, sizeof(option_file), "%s/database/client.cnf", folder);
	conf = (struct conf){
		.database = { .option_file = option_file, .tls_ca = ca_path },
		.server = { .sandbox = true, .state_dir = "" },
		.lead = { .disposable_domains_file = "" },
		.mail = { .tls_ca = mail_ca_path },
		.dispatch = { .ca_file = "" },
		.log = { .file = log_path, .level = LOG_LEVEL_DEBUG },
		.file = conf_path,
	};
	capture_log();
	struct sandbox *sandbox = confinement_of_responder(&conf, "");
	sandbox_free(&sandbox);
	sandbox_unhide();
	has_landlock = strstr(captured_log(), " sandbox landlock=") != NULL;
	return 0;
}

static int
clean_up(void **state)
{
	(void)state;
	return remove_folder(folder);
}

static void
enter_as_responder(const char *socket)
{
	struct sandbox *sandbox = confinement_of_responder(&conf, socket);
	sandbox_begin();
	sandbox_enter(&sandbox);
}

static void
enter_as_dispatcher(void)
{
	struct sandbox *sandbox = confinement_of_dispatcher(&conf, LOG_LEVEL_DEBUG);
	sandbox_begin();
	sandbox_enter(&sandbox);
}

/* The first look-up loads the plugins of the resolver. */
static void
resolve(void)
{
	struct addrinfo *found = NULL;
	MUST(getaddrinfo("localhost", "3306", NULL, &found) == 0);
	freeaddrinfo(found);
	MUST(getpwuid(0) != NULL);
	MUST(dlopen("libnss_compat.so.2", RTLD_NOW) != NULL); /* one of libc's plugins that is not part of libc */
	MUST(opens("/etc/resolv.conf", O_RDONLY) || errno == ENOENT);
	MUST(opens("/usr/share", O_RDONLY | O_DIRECTORY)); /* zones, locales, certificates */
}

static void
work_as_responder(void)
{
	enter_as_responder("");
	resolve();
	MUST(opens(log_path, O_WRONLY | O_APPEND | O_CREAT));
	MUST(opens(conf_path, O_RDONLY));
	MUST(opens(certificate_path, O_RDONLY)); /* next to the option file */
	MUST(opens(ca_path, O_RDONLY));
	MUST(opens("/proc/self/maps", O_RDONLY));
	MUST(opens("/dev/urandom", O_RDONLY));
}

static void
responders_can_do_what_they_need(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, work_as_responder);
}

static void
overreach_as_responder(void)
{
	enter_as_responder("");
	MUST(refused(other_path, O_RDONLY));
	MUST(refused(other_path, O_WRONLY));
	MUST(refused(conf_path, O_WRONLY));
	MUST(refused(log_path, O_RDONLY));
	MUST(refused("/tmp", O_RDONLY | O_DIRECTORY));
	MUST(refused("/tmp/leadhook-new", O_WRONLY | O_CREAT));
	MUST(unlink(socket_path) != 0 && errno == EACCES);
	execl("/bin/true", "true", (char *)NULL);
	MUST(errno == EACCES);
}

static void
responders_can_do_nothing_else(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, overreach_as_responder);
}

static void
remove_own_socket(void)
{
	enter_as_responder(socket_path);
	MUST(unlink(socket_path) == 0);
	MUST(unlink(other_path) != 0 && errno == EACCES);
}

/* A responder without a parent created it. */
static void
a_lone_responder_removes_its_socket(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, remove_own_socket);
}

static void
work_as_dispatcher(void)
{
	enter_as_dispatcher();
	resolve();
	MUST(opens(log_path, O_WRONLY | O_APPEND | O_CREAT));
	MUST(opens(other_path, O_RDONLY)); /* a certificate that a webhook names */
	MUST(refused(other_path, O_WRONLY));
	MUST(refused(conf_path, O_WRONLY));
	MUST(refused("/tmp/leadhook-new", O_WRONLY | O_CREAT));
	execl("/bin/true", "true", (char *)NULL);
	MUST(errno == EACCES);
}

static void
the_dispatcher_reads_everything_and_writes_its_log(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, work_as_dispatcher);
}

static void
work_as_mailer(void)
{
	struct sandbox *sandbox = confinement_of_mail(&conf, LOG_LEVEL_DEBUG);
	sandbox_begin();
	sandbox_enter(&sandbox);
	resolve();
	MUST(opens(log_path, O_WRONLY | O_APPEND | O_CREAT));
	MUST(opens(mail_ca_path, O_RDONLY));
	MUST(opens(certificate_path, O_RDONLY)); /* next to the option file */
	MUST(opens(ca_path, O_RDONLY));
	MUST(refused(other_path, O_RDONLY));
	MUST(refused(conf_path, O_RDONLY));
	MUST(refused("/tmp/leadhook-new", O_WRONLY | O_CREAT));
	execl("/bin/true", "true", (char *)NULL);
	MUST(errno == EACCES);
}

static void
the_mailer_reads_what_it_connects_with(void **state)
{
	(void)state;
	assert_holds_where(has_landlock, no_landlock, work_as_mailer);
}

static void
stay_unrestricted(void)
{
	conf.server.sandbox = false;
	capture_log();
	enter_as_responder("");
	enter_as_dispatcher();
	MUST(opens(other_path, O_RDWR));
	MUST(prctl(PR_GET_DUMPABLE) == 1);
	MUST(count_in(captured_log(), " sandbox_off setting=server.sandbox") == 2);
}

/* server.sandbox = off turns the sandbox off, and this is logged. */
static void
the_setting_turns_it_off(void **state)
{
	(void)state;
	assert_holds(stay_unrestricted);
}

static void
be_hidden(void)
{
	enter_as_responder("");
	MUST(prctl(PR_GET_DUMPABLE) == 0);
}

static void
responders_are_hidden(void **state)
{
	(void)state;
	assert_holds(be_hidden);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(responders_can_do_what_they_need),
		cmocka_unit_test(responders_can_do_nothing_else),
		cmocka_unit_test(a_lone_responder_removes_its_socket),
		cmocka_unit_test(the_dispatcher_reads_everything_and_writes_its_log),
		cmocka_unit_test(the_mailer_reads_what_it_connects_with),
		cmocka_unit_test(the_setting_turns_it_off),
		cmocka_unit_test(responders_are_hidden),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
