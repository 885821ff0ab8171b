/* SPDX-License-Identifier: MIT
 * A connection to the database or to a name server needs no place: Landlock does not restrict connecting. */
#include "prog/confinement.h"

#include <stdlib.h>

#include "base/attributes.h"

/* What libraries open while we run. Folders, not the files in them: a rule holds for the file that is there now, and these are
 * replaced by new ones. Who may read what is below is still a matter of modes and owners. */
static const struct sandbox_place system_places[] = {
	{ "/etc", SANDBOX_READ }, /* the resolver's files, accounts, zone, certificates */
	{ "/usr", SANDBOX_READ }, /* the plugins of resolver and Connector/C; zones, locales, certificates */
	{ "/lib", SANDBOX_READ }, /* the same where these are no links to /usr */
	{ "/lib64", SANDBOX_READ },
	{ "/run", SANDBOX_READ },         /* resolv.conf of systemd-resolved, which may start after us */
	{ "/var/lib/sss", SANDBOX_READ }, /* accounts, as sssd keeps them */
	{ "/proc", SANDBOX_READ }, /* libc and sanitizers look at their own process; others' memory Landlock keeps closed */
	{ "/sys/devices/system/cpu", SANDBOX_READ },
	{ "/dev/null", SANDBOX_READ | SANDBOX_WRITE },
	{ "/dev/urandom", SANDBOX_READ },
	{ "/dev/random", SANDBOX_READ },
};

/* NULL when there is to be none. */
static struct sandbox *
begin(const struct conf *conf, enum log_level level)
{
	sandbox_hide(conf->server.sandbox);
	if (conf->server.sandbox)
		return sandbox_new(level);
	LOG_AT(level, "sandbox_off", LOG_STR("setting", "server.sandbox"));
	return NULL;
}

struct sandbox *
confinement_of_responder(const struct conf *conf, const char *socket)
{
	const char *password_file = getenv("LEADHOOK_DATABASE_PASSWORD_FILE");
	const struct sandbox_place places[] = {
		{ conf->log.file, SANDBOX_WRITE | SANDBOX_BESIDE },            /* made anew when it was moved away */
		{ conf->database.option_file, SANDBOX_READ | SANDBOX_BESIDE }, /* for each connection; certificates beside it */
		{ conf->database.tls_ca, SANDBOX_READ | SANDBOX_BESIDE },
		/* these a responder without a parent reads again on HUP */
		{ conf->file, SANDBOX_READ | SANDBOX_BESIDE },
		{ password_file == NULL ? "" : password_file, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->lead.disposable_domains_file, SANDBOX_READ | SANDBOX_BESIDE },
		{ conf->server.state_dir, SANDBOX_READ | SANDBOX_WRITE | SANDBOX_REMOVE },
		{ socket, SANDBOX_REMOVE | SANDBOX_BESIDE },
	};
	struct sandbox *sandbox = begin(conf, LOG_LEVEL_INFO);
	if (sandbox != NULL) {
		sandbox_allow(sandbox, system_places, ARRAY_SIZE(system_places));
		sandbox_allow(sandbox, places, ARRAY_SIZE(places));
	}
	return sandbox;
}

/* It may read everything: a webhook names its certificates, any file that an operator likes, and the next one may be set while
 * we run. With a list of folders such webhooks would fail, and nobody would see why. */
struct sandbox *
confinement_of_dispatcher(const struct conf *conf, enum log_level level)
{
	const struct sandbox_place places[] = {
		{ "/", SANDBOX_READ },
		{ "/dev/null", SANDBOX_WRITE },
		{ conf->log.file, SANDBOX_WRITE | SANDBOX_BESIDE },
	};
	struct sandbox *sandbox = begin(conf, level);
	if (sandbox != NULL)
		sandbox_allow(sandbox, places, ARRAY_SIZE(places));
	return sandbox;
}
