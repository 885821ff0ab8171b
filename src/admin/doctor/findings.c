/* SPDX-License-Identifier: MIT */
#include "admin/doctor/findings.h"

#include <string.h>

#include "base/encode.h"
#include "base/panic.h"
#include "base/utf8.h"

/* The findings, and why they matter. */
static const struct {
	const char *what;
	enum doctor_severity severity;
	const char *why;
} texts[] = {
	{ "configuration", DOCTOR_ERROR, "The programs do not start with this configuration." },
	{ "file_mode", DOCTOR_ERROR,
	    "Other accounts of this host could read the secrets in it, or change what the programs do." },
	{ "file_access", DOCTOR_ERROR, "The programs cannot use a file that the configuration names." },
	{ "account_mismatch", DOCTOR_WARNING, "The programs run as one account, which needs all of these files." },
	{ "state_dir_missing", DOCTOR_ERROR,
	    "The programs of this host count callers there; the responders do not start without it." },
	{ "state_dir_access", DOCTOR_ERROR, "The account of the programs must create and write files there." },
	{ "state_dir_mode", DOCTOR_ERROR, "Other accounts of this host could change how callers are limited." },
	{ "lock_file_directory", DOCTOR_ERROR, "The dispatcher cannot create its lock file, and does not run." },
	{ "lock_file_owner", DOCTOR_ERROR,
	    "The dispatcher cannot open its lock file. After a run as root, it belongs to root: run the programs as their "
	    "account." },
	{ "log_file", DOCTOR_ERROR, "The programs do not start when they cannot write to their log." },
	{ "syslog", DOCTOR_WARNING, "The syslog daemon gets no lines: they go to log.file, or to standard error." },
	{ "disk_space", DOCTOR_WARNING, "Without space the database refuses sign-ups, and the dispatcher does not start." },
	{ "connection", DOCTOR_ERROR, "Without the database every call is answered with 503." },
	{ "server_version", DOCTOR_ERROR, "The statements of the programs need a newer server." },
	{ "durability", DOCTOR_ERROR, "A power failure loses sign-ups that were answered." },
	{ "binlog_durability", DOCTOR_ERROR,
	    "A power failure loses sign-ups that were answered: with a binary log, a commit is only on disk when that log "
	    "is." },
	{ "packet_size", DOCTOR_ERROR, "The server closes the connection when a statement is longer." },
	{ "connection_limit", DOCTOR_ERROR, "The last connections are refused: calls get 503, and deliveries wait." },
	{ "rights", DOCTOR_ERROR, "Statements that need them fail. leadhook upgrade and the dispatcher change tables." },
	{ "schema_version", DOCTOR_ERROR, "The programs do not start on tables that they cannot use." },
	{ "secrets_key", DOCTOR_ERROR,
	    "Without the secret of the installation the programs do not start; deliveries whose secret cannot be opened "
	    "wait." },
	{ "secrets_not_sealed", DOCTOR_WARNING,
	    "A thief of a copy of the database could sign webhooks and links, and act as this installation and its leads." },
	{ "secrets_old_key", DOCTOR_WARNING, "The old key cannot be removed yet." },
	{ "clock", DOCTOR_ERROR,
	    "Leases of dispatchers and the times of deliveries are those of the database's clock. Links and signatures have "
	    "times, too." },
	{ "dispatcher_never_ran", DOCTOR_ERROR, "Without the dispatcher no webhook is called and no mail is sent." },
	{ "dispatcher_stopped", DOCTOR_ERROR, "Without the dispatcher no webhook is called and no mail is sent." },
	{ "dispatcher_silent", DOCTOR_ERROR, "Without the dispatcher no webhook is called and no mail is sent." },
	{ "mailer_stopped", DOCTOR_ERROR, "No mail is sent; the process that does is one of leadhook-dispatch." },
	{ "mailer_silent", DOCTOR_ERROR, "No mail is sent; the process that does is one of leadhook-dispatch." },
	{ "mail_held", DOCTOR_ERROR, "No mail is sent until the mail server takes it; one at a time is tried." },
	{ "mail_refused", DOCTOR_WARNING, "These mails are tried again, for a time, and others may be refused as they are." },
	{ "texter_stopped", DOCTOR_ERROR, "No text is sent to a phone; the process that does is one of leadhook-dispatch." },
	{ "texter_silent", DOCTOR_ERROR, "No text is sent to a phone; the process that does is one of leadhook-dispatch." },
	{ "ca_file", DOCTOR_ERROR, "Without certificates every delivery to an https address fails." },
	{ "name_of_mail_server", DOCTOR_ERROR, "No mail is sent." },
	{ "name_of_gateway", DOCTOR_ERROR, "No text is sent to a phone." },
	{ "name_of_base_url", DOCTOR_ERROR, "Links in mails and pages lead to this name." },
	{ "webhook_stopped", DOCTOR_WARNING,
	    "Its deliveries wait until it is enabled, and are dropped after dispatch.retention." },
	{ "name_of_webhook", DOCTOR_WARNING, "Deliveries to this host wait until its name resolves." },
	{ "base_url", DOCTOR_WARNING,
	    "Without it there are no links to pages and opt-outs, and the web server cannot be checked." },
	{ "web_unreachable", DOCTOR_ERROR, "Clients cannot reach the service." },
	{ "web_certificate", DOCTOR_ERROR, "Browsers and clients refuse the connection." },
	{ "web_redirect", DOCTOR_ERROR, "Clients that follow a redirection send a POST again as a GET, or not at all." },
	{ "web_path", DOCTOR_ERROR, "The web server does not pass requests on to the program." },
	{ "base_path", DOCTOR_ERROR, "The program does not find its routes below this path." },
	{ "program_not_running", DOCTOR_ERROR, "The web server cannot reach leadhook-fcgi: every call fails." },
	{ "socket", DOCTOR_ERROR,
	    "leadhook-fcgi runs, but the web server connects to another socket, or may not connect to it." },
	{ "probe_refused", DOCTOR_ERROR,
	    "The program at this address uses another database, has another clock, or is of another version." },
	{ "program_version", DOCTOR_WARNING, "After an upgrade, the programs are to be started again." },
	{ "authorization", DOCTOR_ERROR, "Calls with a key in the Authorization header are answered as calls without one." },
	{ "client_address", DOCTOR_ERROR, "Without addresses all callers share one limit." },
	{ "proxy_not_trusted", DOCTOR_ERROR, "All visitors have the address of the proxy, and share its limits." },
	{ "trusted_proxies", DOCTOR_ERROR, "Any client can choose its address, and evade the limits." },
	{ "body_limit", DOCTOR_ERROR, "Calls with bodies of this size fail, with an error that is not the program's." },
	{ "get_body", DOCTOR_ERROR, "Clients that look leads up with JSON in the body of a GET get an error." },
	{ "unbuffered_body", DOCTOR_ERROR, "Clients that send slowly occupy workers: a few of them stop the service." },
	{ "options", DOCTOR_ERROR, "Browsers send OPTIONS before calls of other sites, and then make no call." },
	{ "head", DOCTOR_WARNING, "Monitors and caches use HEAD." },
	{ "error_cors", DOCTOR_WARNING, "Scripts of other sites see a network error instead of the answer." },
	{ "key_in_log", DOCTOR_ERROR, "An api_key in a query is a secret, and others can read the log or its backups." },
};

void
doctor_find_because(struct doctor *doctor, const char *what, struct slice detail, struct slice why)
{
	doctor->findings =
	    pool_grow(doctor->pool, doctor->findings, doctor->count, &doctor->capacity, sizeof(*doctor->findings));
	struct doctor_finding *finding = &doctor->findings[doctor->count++];
	*finding = (struct doctor_finding){
		.what = what, .severity = DOCTOR_ERROR, .detail = utf8_sanitized(doctor->pool, detail), .why = why
	};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strcmp(texts[i].what, what) == 0) {
			finding->severity = texts[i].severity;
			finding->why = slice_of(texts[i].why);
		}
}

void
doctor_find(struct doctor *doctor, const char *what, struct slice detail)
{
	doctor_find_because(doctor, what, detail, SLICE_NONE);
	require(slice_present(doctor->findings[doctor->count - 1].why));
}

static struct doctor_finding *
last_finding(struct doctor *doctor)
{
	return &doctor->findings[doctor->count - 1];
}

void
doctor_make_warning(struct doctor *doctor)
{
	last_finding(doctor)->severity = DOCTOR_WARNING;
}

/* A remedy that several web servers share is added once. */
static void
add_remedy(struct doctor *doctor, struct remedy remedy)
{
	struct doctor_finding *finding = last_finding(doctor);
	for (size_t i = 0; i < finding->remedy_count; i++) {
		const struct remedy *other = &finding->remedies[i];
		if (slice_equal(other->file, remedy.file) && slice_equal(other->place, remedy.place) &&
		    slice_equal(other->line, remedy.line) && slice_equal(other->command, remedy.command))
			return;
	}
	finding->remedies = pool_grow(
	    doctor->pool, finding->remedies, finding->remedy_count, &finding->remedy_capacity, sizeof(*finding->remedies));
	finding->remedies[finding->remedy_count++] = remedy;
}

void
doctor_line(struct doctor *doctor, struct slice file, struct slice place, struct slice line)
{
	add_remedy(doctor, (struct remedy){ .file = file, .place = place, .line = utf8_sanitized(doctor->pool, line) });
}

void
doctor_command(struct doctor *doctor, const char *file, struct slice command)
{
	add_remedy(doctor, (struct remedy){ .file = slice_of(file), .command = command });
}

const char *
doctor_shell_word(const struct doctor *doctor, const char *text)
{
	const struct slice word = slice_of(text);
	return word.size > 0 && slice_is_alnum(word, "/._-+@%:,=") ? text : encode_shell_word(doctor->pool, word).data;
}

void
doctor_setting(struct doctor *doctor, const char *section, const char *key, struct slice value)
{
	struct pool *pool = doctor->pool;
	const char *origin = doctor->conf == NULL ? "" : conf_origin(doctor->conf, section, key);
	if (slice_starts_with(slice_of(origin), SLICE("LEADHOOK_")))
		doctor_line(doctor, SLICE("the environment of the programs"), SLICE_NONE,
		    pool_printf(pool, "%s=%.*s", origin, SLICE_ARGS(value)));
	else
		doctor_line(doctor, doctor->file, pool_printf(pool, "[%s]", section),
		    pool_printf(pool, "%s = %.*s", key, SLICE_ARGS(value)));
}

bool
doctor_has_read(struct doctor *doctor, enum result result)
{
	if (result != RESULT_OK)
		DOCTOR_SKIP(doctor, "the database did not answer");
	return result == RESULT_OK;
}
