/* SPDX-License-Identifier: MIT */
#include "admin/doctor/programs.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "admin/doctor/account.h"
#include "deliver/send/web_client.h"
#include "engine/message.h"
#include "identity/network.h"
#include "os/clock.h"
#include "os/executable.h"
#include "store/heartbeats.h"
#include "store/messages/mail_lease.h"
#include "store/operator/webhook_admin.h"

bool
doctor_has_unit(const struct doctor *doctor, const char *name)
{
	static const char *const places[] = { "/lib/systemd/system", "/usr/local/lib/systemd/system" };
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (access(pool_printf(doctor->pool, "%s/%s", places[i], name).data, F_OK) == 0 &&
		    access("/run/systemd/system", F_OK) == 0)
			return true;
	return false;
}

/* ---- the dispatcher ---- */

/* The full path of the dispatcher, because cron does not find it by its name. It is in the folder of this program, as in a
 * build, or it is the installed one. */
static const char *
program_path(const struct doctor *doctor)
{
	const char *own = executable_path(doctor->pool);
	const char *folder = own == NULL ? LEADHOOK_SBIN_DIR : account_folder_of(doctor->pool, own);
	const char *path = pool_printf(doctor->pool, "%s/leadhook-dispatch", folder).data;
	return access(path, X_OK) == 0 ? path : LEADHOOK_SBIN_DIR "/leadhook-dispatch";
}

/* A word of a shell command in a crontab, where % ends the command. */
static const char *
cron_word(const struct doctor *doctor, const char *text)
{
	struct slice rest = slice_of(doctor_shell_word(doctor, text)), word = SLICE("");
	for (size_t at; (at = slice_find(rest, '%')) < rest.size; rest = slice_sub(rest, at + 1, rest.size))
		word = POOL_JOIN(doctor->pool, word, slice_sub(rest, 0, at), SLICE("\\%"));
	return POOL_JOIN(doctor->pool, word, rest).data;
}

static void
add_start(struct doctor *doctor)
{
	if (doctor_has_unit(doctor, "leadhook-dispatch.service"))
		DOCTOR_COMMAND(doctor, NULL, "systemctl enable --now leadhook-dispatch.service");
	else
		doctor_line(doctor, pool_printf(doctor->pool, "crontab -u %s -e", doctor->account.name), SLICE_NONE,
		    pool_printf(doctor->pool, "* * * * * %s --config %s --quiet", cron_word(doctor, program_path(doctor)),
			cron_word(doctor, doctor->file.data)));
}

/* Without systemd, a run by hand shows why the dispatcher does not work. */
static void
add_restart(struct doctor *doctor)
{
	if (doctor_has_unit(doctor, "leadhook-dispatch.service"))
		DOCTOR_COMMAND(doctor, NULL, "systemctl restart leadhook-dispatch.service");
	else
		DOCTOR_COMMAND(doctor, NULL, "%s --config %s", doctor_shell_word(doctor, program_path(doctor)),
		    doctor_shell_word(doctor, doctor->file.data));
}

/* Whether the process is on this host and still exists: its pid may have been reused by another program. */
static bool
is_there(const struct doctor *doctor, const struct heartbeat_seen *seen)
{
	char host[256] = "", name[16] = "";
	if (gethostname(host, sizeof(host) - 1) != 0 || !slice_equal(seen->host, slice_of(host)))
		return false;
	FILE *file = fopen(pool_printf(doctor->pool, "/proc/%" PRIu64 "/comm", seen->pid).data, "re");
	if (file == NULL)
		return false;
	const bool read = fgets(name, sizeof(name), file) != NULL;
	fclose(file);
	return read && strncmp(name, "leadhook-dispatch", strcspn(name, "\n")) == 0;
}

/* The finding for each process and state; NULL: nothing is wrong. */
static const char *const process_findings[HEARTBEAT_PROCESSES][HEARTBEAT_STATES] = {
	[HEARTBEAT_DISPATCHER] = { [HEARTBEAT_NEVER] = "dispatcher_never_ran",
	    [HEARTBEAT_STOPPED] = "dispatcher_stopped",
	    [HEARTBEAT_SILENT] = "dispatcher_silent" },
	[HEARTBEAT_MAILER] = { [HEARTBEAT_NEVER] = "mailer_stopped",
	    [HEARTBEAT_STOPPED] = "mailer_stopped",
	    [HEARTBEAT_SILENT] = "mailer_silent" },
	[HEARTBEAT_TEXTER] = { [HEARTBEAT_NEVER] = "texter_stopped",
	    [HEARTBEAT_STOPPED] = "texter_stopped",
	    [HEARTBEAT_SILENT] = "texter_silent" },
};

/* Returns whether something is wrong with the process. */
static bool
check_process(struct doctor *doctor, enum heartbeat_process process, const struct heartbeat_seen *seen)
{
	const char *what = process_findings[process][seen->state];
	char time[CLOCK_RFC3339_SIZE];
	if (what == NULL)
		return false;
	const bool hangs = seen->state == HEARTBEAT_SILENT && is_there(doctor, seen);
	clock_rfc3339(seen->beat_ms, time);
	if (seen->state == HEARTBEAT_NEVER)
		DOCTOR_FIND(doctor, what, "it has never run with this database");
	else if (seen->state == HEARTBEAT_STOPPED)
		DOCTOR_FIND(doctor, what, "%s %s, on the host %.*s", seen->stays ? "stopped at" : "the last run ended at", time,
		    SLICE_ARGS(seen->host));
	else
		DOCTOR_FIND(doctor, what, "process %" PRIu64 " of the host %.*s %s; its last sign was at %s", seen->pid,
		    SLICE_ARGS(seen->host), hangs ? "hangs" : "was killed, or cannot reach the database", time);
	if (hangs) /* whatever started the process will start it again */
		DOCTOR_COMMAND(doctor, NULL, "kill -KILL %" PRIu64, seen->pid);
	else if (process == HEARTBEAT_DISPATCHER)
		add_start(doctor);
	else
		add_restart(doctor);
	return true;
}

void
check_dispatcher(struct doctor *doctor)
{
	struct heartbeat_seen seen[HEARTBEAT_PROCESSES];
	if (doctor_has_read(doctor, store_see_heartbeats(doctor->call->store, doctor->pool, seen)) &&
	    !check_process(doctor, HEARTBEAT_DISPATCHER, &seen[HEARTBEAT_DISPATCHER])) /* it starts the mailer and the texter */
		for (size_t i = HEARTBEAT_DISPATCHER + 1; i < HEARTBEAT_PROCESSES; i++)
			check_process(doctor, (enum heartbeat_process)i, &seen[i]);
}

/* ---- webhooks ---- */

enum { WEBHOOKS_MAX = 50, HOSTS_MAX = 5 };

void
check_webhooks(struct doctor *doctor)
{
	struct stopped_webhook *webhooks;
	size_t count;
	if (!doctor_has_read(
		doctor, store_list_stopped_webhooks(doctor->call->store, doctor->pool, WEBHOOKS_MAX, &webhooks, &count)))
		return;
	for (size_t i = 0; i < count; i++) {
		DOCTOR_FIND(doctor, "webhook_stopped", "webhook %" PRIu64 " of campaign %" PRIu64 ": %s", webhooks[i].id,
		    webhooks[i].campaign_id,
		    webhooks[i].gone ? "its receiver answered 410" : "it failed for dispatch.disable_after, and was disabled");
		DOCTOR_COMMAND(doctor, NULL, "leadhook webhook enable %" PRIu64, webhooks[i].id);
	}
}

/* ---- mail ---- */

static void
find_fault(struct doctor *doctor, const char *what, struct slice reason, struct slice answer)
{
	const char *hint = message_hint(reason);
	DOCTOR_FIND(doctor, what, "%.*s: %.*s%s%s", SLICE_ARGS(reason), SLICE_ARGS(answer), hint == NULL ? "" : "; ",
	    hint == NULL ? "" : hint);
}

void
check_mail(struct doctor *doctor)
{
	struct mail_hold hold;
	if (*doctor->conf->mail.host == '\0' ||
	    !doctor_has_read(doctor, store_mail_hold(doctor->call->store, doctor->pool, MAIL_CHANNEL, &hold)))
		return;
	if (hold.since_ms >= 0)
		find_fault(doctor, "mail_held", hold.reason, slice_present(hold.answer) ? hold.answer : SLICE(""));
	else if (hold.refused_ms >= 0)
		find_fault(doctor, "mail_refused", hold.refused_reason, hold.refused_answer);
}

/* ---- certificates ---- */

/* The number of certificates, or -1 with errno set. */
static int
count_certificates(const char *path)
{
	char line[256];
	int count = 0;
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return -1;
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "-----BEGIN CERTIFICATE-----", 27) == 0 || strncmp(line, "-----BEGIN TRUSTED CERT", 23) == 0)
			count++;
	const bool failed = ferror(file) != 0;
	fclose(file);
	return failed ? -1 : count;
}

void
check_ca_file(struct doctor *doctor)
{
	const char *own = doctor->conf->dispatch.ca_file;
	const struct slice found = *own != '\0' ? slice_of(own) : web_client_ca_file(doctor->pool);
	if (!slice_present(found))
		return; /* libcurl uses something else, such as a folder */
	const int count = count_certificates(found.data);
	if (count > 0 && account_may(doctor, found.data, R_OK))
		return;
	if (count < 0)
		DOCTOR_FIND(doctor, "ca_file", "%s: %s", found.data, strerror(errno));
	else if (count == 0)
		DOCTOR_FIND(doctor, "ca_file", "%s has no certificate", found.data);
	else
		DOCTOR_FIND(doctor, "ca_file", "%s: the account %s may not read it", found.data, doctor->account.name);
	if (*own != '\0')
		DOCTOR_SETTING(doctor, "dispatch", "ca_file", "/etc/ssl/certs/ca-certificates.crt");
	else
		DOCTOR_COMMAND(doctor, found.data, "apt-get install --reinstall ca-certificates");
}

/* ---- names ---- */

/* The host of an http or https URL. */
static struct slice
host_of(struct pool *pool, struct slice url)
{
	const size_t colon = slice_find(url, ':');
	struct slice rest = slice_sub(url, colon + 3, url.size);
	uint64_t port;
	struct slice host, authority = slice_sub(rest, 0, slice_find(rest, '/'));
	authority = slice_sub(authority, 0, slice_find(authority, '?'));
	return slice_split_port(authority, &host, &port) ? pool_copy_lower(pool, host) : SLICE_NONE;
}

/* Reports a name that does not resolve. Returns whether there was something to report. */
static bool
check_name(struct doctor *doctor, const char *what, struct slice host)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	const char *name = pool_string(doctor->pool, host);
	struct ip_address address;
	if (host.size == 0 || ip_address_parse(host, &address)) /* an address needs no resolver */
		return false;
	const int failure = getaddrinfo(name, NULL, &hints, &found);
	if (failure == 0) {
		freeaddrinfo(found);
		return false;
	}
	DOCTOR_FIND(doctor, what, "%s: %s", name, gai_strerror(failure));
	return true;
}

static void
check_names_of_webhooks(struct doctor *doctor)
{
	struct slice *urls, hosts[HOSTS_MAX];
	size_t count, host_count = 0;
	if (!doctor->has_database ||
	    store_list_destinations(doctor->call->store, doctor->pool, WEBHOOKS_MAX, &urls, &count) != RESULT_OK)
		return;
	for (size_t i = 0; i < count && host_count < HOSTS_MAX; i++) {
		const struct slice host = host_of(doctor->pool, urls[i]);
		if (!slice_present(host) || slice_is_one_of(host, hosts, host_count))
			continue;
		hosts[host_count++] = host;
		if (check_name(doctor, "name_of_webhook", host))
			DOCTOR_COMMAND(doctor, "/etc/resolv.conf", "getent ahosts %.*s", SLICE_ARGS(host));
	}
}

void
check_names(struct doctor *doctor)
{
	const struct conf *conf = doctor->conf;
	const struct slice url = ARGUMENTS(doctor->call, struct doctor_arguments)->url;
	if (*conf->server.base_url != '\0' &&
	    check_name(doctor, "name_of_base_url", host_of(doctor->pool, slice_of(conf->server.base_url)))) {
		DOCTOR_SETTING(doctor, "server", "base_url", "(the address of this service)%s", conf->server.base_path);
		if (slice_present(url))
			doctor_make_warning(doctor); /* clients may use another resolver */
	}
	if (check_name(doctor, "name_of_mail_server", slice_of(conf->mail.host)))
		doctor_setting(doctor, "mail", "host", SLICE("(the mail server)"));
	if (*conf->sms.url != '\0' && check_name(doctor, "name_of_gateway", host_of(doctor->pool, slice_of(conf->sms.url))))
		doctor_setting(doctor, "sms", "url", SLICE("(the address of the gateway)"));
	check_names_of_webhooks(doctor);
}
