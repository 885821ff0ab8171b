/* SPDX-License-Identifier: MIT
 * `leadhook doctor` (leadhook(1)): runs the checks that find faults in an installation. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "admin/doctor/account.h"
#include "admin/doctor/database.h"
#include "admin/doctor/files.h"
#include "admin/doctor/programs.h"
#include "admin/doctor/requests.h"
#include "admin/doctor/web.h"
#include "deliver/send/sender.h"
#include "operation/operation_wiring.h"
#include "operation/value_types.h"

enum { TEXT_MAX = 1024 * 1024 };

/* What a check needs; if that is missing, the check is skipped. */
enum { CONFIGURATION = 1 << 0, DATABASE = 1 << 1, WEB = 1 << 2, PROBES = 1 << 3 };

/* The order matters: later checks rely on what earlier ones find. */
static const struct {
	const char *name;
	doctor_check *run;
	unsigned needs;
} checks[] = {
	{ "configuration", check_configuration, 0 },
	{ "files", check_files, CONFIGURATION },
	{ "state_dir", check_state, CONFIGURATION },
	{ "lock_file", check_lock_file, CONFIGURATION },
	{ "log_file", check_log, CONFIGURATION },
	{ "syslog", check_syslog, CONFIGURATION },
	{ "database", check_database, CONFIGURATION },
	{ "disk_space", check_disk, CONFIGURATION },
	{ "ca_file", check_ca_file, CONFIGURATION },
	{ "dispatcher", check_dispatcher, CONFIGURATION | DATABASE },
	{ "webhooks", check_webhooks, CONFIGURATION | DATABASE },
	{ "mail", check_mail, CONFIGURATION | DATABASE },
	{ "names", check_names, CONFIGURATION },
	{ "web_server", check_web, 0 },
	{ "secrets", check_secrets, CONFIGURATION | DATABASE },
	{ "headers", check_headers, WEB | PROBES },
	{ "bodies", check_bodies, WEB },
	{ "slow_body", check_slow_body, WEB | PROBES },
	{ "methods", check_methods, WEB },
	{ "errors", check_errors, WEB },
	{ "access_log", check_access_log, WEB },
};

enum check_state { CHECK_OK, CHECK_FAILED, CHECK_SKIPPED };
static const struct slice state_names[] = {
	[CHECK_OK] = SLICE("ok"), [CHECK_FAILED] = SLICE("findings"), [CHECK_SKIPPED] = SLICE("skipped")
};
static const struct slice severity_names[] = { [DOCTOR_ERROR] = SLICE("error"), [DOCTOR_WARNING] = SLICE("warning") };

/* The outcome of a check. */
struct outcome_of_check {
	enum check_state state;
	struct slice detail; /* the reason for CHECK_SKIPPED; otherwise absent */
};

static struct slice
missing_need(const struct doctor *doctor, unsigned needs)
{
	if ((needs & CONFIGURATION) != 0 && doctor->conf == NULL)
		return SLICE("the configuration is not usable");
	if ((needs & WEB) != 0 && !doctor->web.answers)
		return SLICE("the program does not answer through the web server");
	if ((needs & DATABASE) != 0 && !doctor->has_database)
		return SLICE("the database cannot be used");
	if ((needs & PROBES) == 0 || web_can_probe(doctor))
		return SLICE_NONE;
	return doctor->probes_fail ? SLICE("the program does not accept probes")
				   : SLICE("the secret of the installation cannot be read from the database");
}

static struct outcome_of_check
run_check(struct doctor *doctor, size_t number)
{
	const size_t before = doctor->count;
	doctor->skipped = missing_need(doctor, checks[number].needs);
	if (!slice_present(doctor->skipped))
		checks[number].run(doctor);
	return (struct outcome_of_check){ doctor->count > before           ? CHECK_FAILED
					  : slice_present(doctor->skipped) ? CHECK_SKIPPED
									   : CHECK_OK,
		doctor->skipped };
}

static size_t
count_errors(const struct doctor *doctor)
{
	size_t errors = 0;
	for (size_t i = 0; i < doctor->count; i++)
		errors += doctor->findings[i].severity == DOCTOR_ERROR ? 1 : 0;
	return errors;
}

/* ---- JSON ---- */

static struct output *
remedies_of(struct doctor *doctor, const struct doctor_finding *finding)
{
	struct output *list = output_new(doctor->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < finding->remedy_count; i++) {
		output_record(list);
		output_text(list, "file", finding->remedies[i].file);
		output_text(list, "place", finding->remedies[i].place);
		output_text(list, "line", finding->remedies[i].line);
		output_text(list, "command", finding->remedies[i].command);
	}
	return list;
}

static void
output_all(struct doctor *doctor, const struct outcome_of_check *outcomes)
{
	struct output *output = doctor->call->output, *states = output_new(doctor->pool, OUTPUT_ARRAY);
	struct output *findings = output_new(doctor->pool, OUTPUT_ARRAY);
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		output_record(states);
		output_text(states, "check", slice_of(checks[i].name));
		output_text(states, "state", state_names[outcomes[i].state]);
		output_text(states, "detail", outcomes[i].detail);
	}
	for (size_t i = 0; i < doctor->count; i++) {
		const struct doctor_finding *finding = &doctor->findings[i];
		output_record(findings);
		output_text(findings, "what", slice_of(finding->what));
		output_text(findings, "severity", severity_names[finding->severity]);
		output_text(findings, "detail", finding->detail);
		output_text(findings, "why", finding->why);
		output_nested(findings, "fix", remedies_of(doctor, finding));
	}
	output_record(output);
	output_boolean(output, "ok", count_errors(doctor) == 0);
	output_nested(output, "checks", states);
	output_nested(output, "findings", findings);
}

/* ---- text ---- */

static void
add_line(struct buffer *text, struct slice line)
{
	output_add_shown(text, line);
	buffer_add_byte(text, '\n');
}

static void
add_finding(struct buffer *text, struct pool *pool, const struct doctor_finding *finding)
{
	add_line(text, pool_printf(pool, "%.*s  %s%s%.*s", SLICE_ARGS(severity_names[finding->severity]), finding->what,
			   finding->detail.size > 0 ? ": " : "", SLICE_ARGS(finding->detail)));
	add_line(text, pool_printf(pool, "    %.*s", SLICE_ARGS(finding->why)));
	for (size_t i = 0; i < finding->remedy_count; i++) {
		const struct remedy *remedy = &finding->remedies[i];
		if (slice_present(remedy->command)) {
			add_line(text, pool_printf(pool, "    run:  %.*s", SLICE_ARGS(remedy->command)));
			continue;
		}
		add_line(text, pool_printf(pool, "    in %.*s%s%.*s:", SLICE_ARGS(remedy->file),
				   slice_present(remedy->place) ? ", " : "", SLICE_ARGS(remedy->place)));
		add_line(text, pool_printf(pool, "        %.*s", SLICE_ARGS(remedy->line)));
	}
	buffer_add_byte(text, '\n');
}

/* A line with the names of the checks that had this outcome. */
static void
add_checks(struct buffer *text, struct pool *pool, const struct outcome_of_check *outcomes, const struct outcome_of_check *same)
{
	struct slice names = SLICE("");
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (outcomes[i].state == same->state && slice_equal(outcomes[i].detail, same->detail))
			names = POOL_JOIN(pool, names, names.size == 0 ? SLICE("") : SLICE(", "), slice_of(checks[i].name));
	if (names.size > 0)
		add_line(text, pool_printf(pool, "%.*s  %.*s%s%.*s", SLICE_ARGS(state_names[same->state]), SLICE_ARGS(names),
				   slice_present(same->detail) ? ": " : "", SLICE_ARGS(same->detail)));
}

/* A line for each reason why checks were skipped, and one for the checks that found nothing. */
static void
add_check_results(struct buffer *text, struct pool *pool, const struct outcome_of_check *outcomes)
{
	static const struct outcome_of_check good = { CHECK_OK, { NULL, 0 } };
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		bool first = outcomes[i].state == CHECK_SKIPPED;
		for (size_t k = 0; k < i && first; k++)
			first = outcomes[k].state != CHECK_SKIPPED || !slice_equal(outcomes[k].detail, outcomes[i].detail);
		if (first)
			add_checks(text, pool, outcomes, &outcomes[i]);
	}
	add_checks(text, pool, outcomes, &good);
}

static bool
print_all(const struct doctor *doctor, const struct outcome_of_check *outcomes)
{
	struct buffer text;
	const size_t errors = count_errors(doctor);
	buffer_init(&text, TEXT_MAX);
	for (size_t i = 0; i < doctor->count; i++)
		add_finding(&text, doctor->pool, &doctor->findings[i]);
	add_check_results(&text, doctor->pool, outcomes);
	const size_t warnings = doctor->count - errors;
	buffer_printf(&text, "%zu error%s, %zu warning%s; nothing was changed\n", errors, errors == 1 ? "" : "s", warnings,
	    warnings == 1 ? "" : "s");
	const bool printed = buffer_ok(&text) && fwrite(text.data, 1, text.size, doctor->call->out) == text.size;
	buffer_free(&text);
	return printed;
}

static bool
is_web_address(struct slice url)
{
	const size_t scheme = slice_starts_with(url, SLICE("https://")) ? 8 : slice_starts_with(url, SLICE("http://")) ? 7 : 0;
	return scheme > 0 && url.size > scheme && url.data[scheme] != '/' && slice_is_ascii(url) && !slice_has_control(url) &&
	       slice_find(url, ' ') == url.size && slice_find(url, '?') == url.size && slice_find(url, '#') == url.size;
}

#define PLACE(member) offsetof(struct doctor_arguments, member)
static const struct parameter parameters[] = {
	OPTION("url", value_text, PLACE(url)),
	OPTION("web_config", value_path, PLACE(web_config)),
	OPTION("access_log", value_path, PLACE(access_log)),
};
#undef PLACE

static int
run_doctor(struct operation_call *call)
{
	const struct slice url = ARGUMENTS(call, struct doctor_arguments)->url;
	const char *web_config = ARGUMENTS(call, struct doctor_arguments)->web_config;
	if (slice_present(url) && !is_web_address(url))
		return operation_fail_value(
		    call, PROBLEM_USAGE, "url", "expected http:// or https://, a host and a path, not %.*s", SLICE_ARGS(url));
	if (web_config != NULL && access(web_config, R_OK) != 0)
		return operation_fail(call, PROBLEM_NO_INPUT, "%s: %s", web_config, strerror(errno));
	struct outcome_of_check outcomes[ARRAY_SIZE(checks)];
	struct doctor doctor = { .call = call, .pool = call->pool, .conf = call->conf, .secret = SLICE_NONE };
	const char *named = call->config_file != NULL ? call->config_file : getenv("LEADHOOK_CONF");
	doctor.file = slice_of(call->conf != NULL ? call->conf->file : named != NULL ? named : LEADHOOK_CONFIG_FILE);
	account_find(&doctor);
	sender_prepare_process();
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		outcomes[i] = run_check(&doctor, i);
	call->writes_out = !call->wants_json;
	if (!call->writes_out)
		output_all(&doctor, outcomes);
	else if (!print_all(&doctor, outcomes))
		return operation_fail(call, PROBLEM_IO, "the result could not be written");
	return count_errors(&doctor) == 0 ? EX_OK : EX_CONFIG;
}

OPERATION(doctor, "doctor", "[--url URL] [--web-config FILE] [--access-log FILE]",
    "find faults of the installation and its web server", run_doctor, PARAMETERS(parameters, struct doctor_arguments),
    .needs = NEEDS_ANY_CONFIGURATION);
