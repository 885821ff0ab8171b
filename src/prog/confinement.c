/* SPDX-License-Identifier: MIT
 * Connections to the database or a name server need no path here: Landlock does not restrict connecting. */
#include "prog/confinement.h"

#include <stdlib.h>

#include "base/attributes.h"

/* Files that libraries open at run time. Rules name folders, because a rule for a file applies to the existing file only, and
 * these are replaced by new ones. Modes and owners still restrict what can be read below them. */
static const struct sandbox_place system_places[] = {
	{ "/etc", SANDBOX_READ }, /* the resolver's files, accounts, time zone, certificates */
	{ "/usr", SANDBOX_READ }, /* the plugins of resolver and Connector/C; zones, locales, certificates */
	{ "/lib", SANDBOX_READ }, /* like /usr, unless they are links into it */
	{ "/lib64", SANDBOX_READ },
	{ "/run", SANDBOX_READ },         /* resolv.conf of systemd-resolved, which may start after us */
	{ "/var/lib/sss", SANDBOX_READ }, /* accounts of sssd */
	{ "/proc", SANDBOX_READ }, /* libc and sanitizers read their own process; Landlock protects the memory of others */
	{ "/sys/devices/system/cpu", SANDBOX_READ },
	{ "/dev/null", SANDBOX_READ | SANDBOX_WRITE },
	{ "/dev/urandom", SANDBOX_READ },
	{ "/dev/random", SANDBOX_READ },
};

/* Hides the process and makes a sandbox that allows the system's places and the given ones. Returns NULL if the sandbox is off.
 */
static struct sandbox *
allow(const struct conf *conf, enum log_level level, const struct sandbox_place *places, size_t count)
{
	if (!conf->server.sandbox) {
		sandbox_unhide();
		LOG_AT(level, "sandbox_off", LOG_STR("setting", "server.sandbox"));
		return NULL;
	}
	sandbox_hide();
	struct sandbox *sandbox = sandbox_new(level);
	sandbox_allow(sandbox, system_places, ARRAY_SIZE(system_places));
	sandbox_allow(sandbox, places, count);
	return sandbox;
}

struct sandbox *
confinement_of_responder(const struct conf *conf, const char *socket)
{
	const char *password_file = getenv("LEADHOOK_DATABASE_PASSWORD_FILE");
	const struct sandbox_place places[] = {
		{ conf->log.file, SANDBOX_WRITE | SANDBOX_BESIDE }, /* reopened after rotation */
		{ conf->database.option_file,
		    SANDBOX_READ | SANDBOX_BESIDE }, /* read for each connection; certificates are next to it */
		{ conf->database.tls_ca, SANDBOX_READ | SANDBOX_BESIDE },
		/* reread on HUP by a responder without a parent */
		{ conf->file, SANDBOX_READ | SANDBOX_BESIDE },
		{ password_file == NULL ? "" : password_file, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->lead.disposable_domains_file, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->server.state_dir, SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE },
		{ socket, SANDBOX_REMOVE | SANDBOX_BESIDE },
	};
	return allow(conf, LOG_LEVEL_INFO, places, ARRAY_SIZE(places));
}

/* The dispatcher may read everything: a webhook names its certificates, which can be any files and can change at run time. With
 * a list of folders, such webhooks would fail for no obvious reason. */
struct sandbox *
confinement_of_dispatcher(const struct conf *conf, enum log_level level)
{
	const struct sandbox_place places[] = {
		{ "/", SANDBOX_READ },
		{ conf->log.file, SANDBOX_WRITE | SANDBOX_BESIDE },
	};
	return allow(conf, level, places, ARRAY_SIZE(places));
}

struct sandbox *
confinement_of_mail(const struct conf *conf, enum log_level level)
{
	const struct sandbox_place places[] = {
		{ conf->log.file, SANDBOX_WRITE | SANDBOX_BESIDE },
		{ conf->database.option_file, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->database.tls_ca, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->mail.tls_ca, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->dispatch.ca_file, SANDBOX_READ | SANDBOX_BESIDE },
	};
	return allow(conf, level, places, ARRAY_SIZE(places));
}
