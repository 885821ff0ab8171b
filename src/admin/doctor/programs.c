/* SPDX-License-Identifier: MIT
 * What the dispatcher needs: that it runs, certificates, names that resolve. */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "admin/doctor/doctor.h"
#include "base/clock.h"
#include "store/operator/admin.h"

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

/* That of this program's own folder, as in a build; else the installed one. Cron does not find it by its name. */
static const char *
program_path(const struct doctor *doctor)
{
	const char *own = admin_own_program(doctor->pool);
	const char *folder = own == NULL ? LEADHOOK_SBIN_DIR : account_folder_of(doctor->pool, own).data;
	const char *path = pool_printf(doctor->pool, "%s/leadhook-dispatch", folder).data;
	return access(path, X_OK) == 0 ? path : LEADHOOK_SBIN_DIR "/leadhook-dispatch";
}

/* A word of a shell's command in a crontab, where % ends the command. */
static const char *
cron_word(const struct doctor *doctor, const char *text)
{
	struct slice rest = slice_of(doctor_word(doctor, text)), part, word = SLICE("");
	for (bool first = true; slice_next(&rest, '%', &part); first = false)
		word = POOL_JOIN(doctor->pool, word, first ? SLICE("") : SLICE("\\%"), part);
	return pool_string(doctor->pool, word);
}

static void
add_start(struct doctor *doctor)
{
	if (doctor_has_unit(doctor, "leadhook-dispatch.service")) {
		doctor_command(doctor, SLICE_NONE, SLICE("systemctl enable --now leadhook-dispatch.service"));
		return;
	}
	doctor_line(doctor, pool_printf(doctor->pool, "crontab -u %s -e", doctor->account.name.data), SLICE_NONE,
	    pool_printf(doctor->pool, "* * * * * %s --config %s --quiet", cron_word(doctor, program_path(doctor)),
		cron_word(doctor, doctor->file.data)));
}

/* Cron starts it each minute. */
enum { PAUSE_MAX_MS = 5 * 60 * 1000 };

void
check_dispatcher(struct doctor *doctor)
{
	struct store_status status;
	char time[CLOCK_RFC3339_SIZE];
	const char *path = doctor->conf->dispatch.lock_file;
	const struct dispatcher_seen seen = doctor->call->wiring->see_dispatcher(doctor->pool, path);
	if (store_get_status(doctor->call->store, doctor->pool, &status) != RESULT_OK) {
		DOCTOR_SKIP(doctor, "the database did not answer");
		return;
	}
	if (status.figures.dispatcher_until_ms >= 0 || seen.is_running || seen.used_ms > clock_wall_ms() - PAUSE_MAX_MS)
		return;
	if (seen.used_ms < 0 && access(path, R_OK) != 0 && errno == EACCES) {
		DOCTOR_SKIP(doctor, "%s: run this as root, or as %s", path, doctor->account.name.data);
		return;
	}
	if (seen.used_ms < 0) {
		DOCTOR_FIND(doctor, "dispatcher_never_ran", "no dispatcher has a lease, and %s shows no run", path);
	} else {
		clock_rfc3339(seen.used_ms, time);
		DOCTOR_FIND(doctor, "dispatcher_stopped", "no dispatcher has a lease; the last run was at %s", time);
	}
	add_start(doctor);
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
	const struct slice found = *own != '\0' ? slice_of(own) : doctor->call->wiring->ca_file(doctor->pool);
	if (!slice_present(found))
		return; /* it uses something else, such as a folder */
	const int count = count_certificates(found.data);
	if (count > 0 && account_may(doctor, found.data, R_OK))
		return;
	if (count < 0)
		DOCTOR_FIND(doctor, "ca_file", "%s: %s", found.data, strerror(errno));
	else if (count == 0)
		DOCTOR_FIND(doctor, "ca_file", "%s has no certificate", found.data);
	else
		DOCTOR_FIND(doctor, "ca_file", "%s: the account %s may not read it", found.data, doctor->account.name.data);
	if (*own != '\0')
		doctor_setting(doctor, "dispatch", "ca_file", SLICE("/etc/ssl/certs/ca-certificates.crt"));
	else
		doctor_command(doctor, found, SLICE("apt-get install --reinstall ca-certificates"));
}

/* ---- names ---- */

enum { WEBHOOKS_MAX = 50, HOSTS_MAX = 5 };

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

/* An address needs no resolver. */
static bool
is_address(const char *host)
{
	unsigned char bytes[16];
	return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

/* Reports a name that does not resolve. Returns whether it did so. */
static bool
check_name(struct doctor *doctor, const char *what, struct slice host)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	const char *name = pool_string(doctor->pool, host);
	if (host.size == 0 || is_address(name))
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
check_webhooks(struct doctor *doctor)
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
			doctor_command(doctor, SLICE("/etc/resolv.conf"),
			    pool_printf(doctor->pool, "getent ahosts %.*s", SLICE_ARGS(host)));
	}
}

void
check_names(struct doctor *doctor)
{
	const struct conf *conf = doctor->conf;
	const char *url = doctor->call->options[OPTION_URL];
	if (*conf->server.base_url != '\0' &&
	    check_name(doctor, "name_of_base_url", host_of(doctor->pool, slice_of(conf->server.base_url)))) {
		doctor_setting(doctor, "server", "base_url",
		    pool_printf(doctor->pool, "(the address of this service)%s", conf->server.base_path));
		if (url != NULL)
			doctor_weaken(doctor); /* clients may have a resolver of their own */
	}
	if (check_name(doctor, "name_of_mail_server", slice_of(conf->mail.host)))
		doctor_setting(doctor, "mail", "host", SLICE("(the mail server)"));
	if (*conf->sms.url != '\0' && check_name(doctor, "name_of_gateway", host_of(doctor->pool, slice_of(conf->sms.url))))
		doctor_setting(doctor, "sms", "url", SLICE("(the address of the gateway)"));
	check_webhooks(doctor);
}
