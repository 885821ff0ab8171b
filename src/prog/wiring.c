/* SPDX-License-Identifier: MIT */
#include "prog/wiring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/utf8.h"
#include "identity/domain.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/shared.h"
#include "store/schema.h"
#include "webhook/webhook_url.h"

enum { HOSTS_MAX_BYTES = 16 * 1024 * 1024 };

static bool
parse_ports(struct pool *pool, struct slice text, struct address_rules *rules, struct slice *bad)
{
	struct address_rules ports;
	if (!address_rules_parse(pool, SLICE(""), text, &ports, bad))
		return false;
	rules->deny_ports = ports.deny_ports;
	rules->deny_port_count = ports.deny_port_count;
	return true;
}

/* The form of a setting, which decides which layer parses it. */
enum part { NETWORKS, PREFIXES, PORTS, SCHEDULE, MAILBOX, LIMITS };

static const char *const expected[] = {
	[NETWORKS] = "addresses, or networks with no bit set after the prefix (10.0.0.0/8)",
	[PREFIXES] = "IPv6 networks of 32, 40, 48, 56, 64 or 96 bits",
	[PORTS] = "port numbers",
	[SCHEDULE] = "at most 32 durations from 1s to 7d",
	[MAILBOX] = "an email address, or a name and <address>",
	[LIMITS] = "numbers of requests from 1 to 1000000 and durations that are multiples of 3s, up to 24h",
};

/* Parses the text into the member of struct wiring at `place`. */
static bool
parse_part(enum part part, struct pool *pool, struct slice text, void *place, struct slice *bad)
{
	*bad = text;
	switch (part) {
	case NETWORKS:
		return network_list_parse(pool, text, place, bad);
	case PREFIXES:
		return address_nat64_parse(pool, text, place, bad);
	case PORTS:
		return parse_ports(pool, text, place, bad);
	case SCHEDULE:
		return retry_schedule_parse(text, place, bad);
	case MAILBOX:
		return text.size == 0 || mailbox_parse(pool, text, place);
	case LIMITS:
		return limit_rule_parse(text, place, bad);
	}
	return false;
}

/* The texts here and those in conf/setting_table.c repeat these numbers. */
_Static_assert(LIMIT_MAX == 1000000 && LIMIT_WINDOWS_MAX == 4, "limits.account_per_minute, lists of limits");

#define SETTING(section, key) #section, #key, offsetof(struct conf, section.key)
#define PLACE(member) offsetof(struct wiring, member)

/* Settings that conf stores as text, and the parsers of their layers. */
static const struct {
	const char *section, *key;
	size_t text; /* offset in struct conf */
	enum part part;
	size_t place; /* in struct wiring */
} parts[] = {
	{ SETTING(dispatch, allow_networks), NETWORKS, PLACE(webhook_addresses.allow) },
	{ SETTING(dispatch, deny_ports), PORTS, PLACE(webhook_addresses) },
	{ SETTING(dispatch, nat64_prefixes), PREFIXES, PLACE(webhook_addresses.nat64) },
	{ SETTING(sms, allow_networks), NETWORKS, PLACE(sms_addresses.allow) },
	{ SETTING(dispatch, deny_ports), PORTS, PLACE(sms_addresses) },
	{ SETTING(dispatch, nat64_prefixes), PREFIXES, PLACE(sms_addresses.nat64) },
	{ SETTING(server, trusted_proxies), NETWORKS, PLACE(trusted_proxies) },
	{ SETTING(dispatch, schedule), SCHEDULE, PLACE(schedule) },
	{ SETTING(mail, schedule), SCHEDULE, PLACE(mail_schedule) },
	{ SETTING(mail, from), MAILBOX, PLACE(mail_senders.from) },
	{ SETTING(mail, reply_to), MAILBOX, PLACE(mail_senders.reply_to) },
	{ SETTING(limits, lookups_per_address), LIMITS, PLACE(limits[LIMIT_LOOKUPS]) },
	{ SETTING(limits, readiness_per_address), LIMITS, PLACE(limits[LIMIT_READINESS]) },
	{ SETTING(limits, signups_per_address), LIMITS, PLACE(limits[LIMIT_SIGNUPS]) },
	{ SETTING(limits, posts_per_address), LIMITS, PLACE(limits[LIMIT_POSTS]) },
	{ SETTING(limits, failed_keys_per_address), LIMITS, PLACE(limits[LIMIT_FAILED_KEYS]) },
	{ SETTING(limits, new_leads_per_campaign), LIMITS, PLACE(limits[LIMIT_NEW_LEADS]) },
	{ SETTING(limits, inbound_per_url), LIMITS, PLACE(limits[LIMIT_INBOUND]) },
	{ SETTING(limits, unknown_urls_per_address), LIMITS, PLACE(limits[LIMIT_UNKNOWN_URLS]) },
	{ SETTING(limits, codes_per_address), LIMITS, PLACE(limits[LIMIT_CODES]) },
	{ SETTING(limits, logins_per_address), LIMITS, PLACE(limits[LIMIT_LOGINS]) },
	{ SETTING(limits, test_mails_per_address), LIMITS, PLACE(limits[LIMIT_TEST_MAILS]) },
	{ SETTING(limits, test_mails_per_account), LIMITS, PLACE(limits[LIMIT_ACCOUNT_TESTS]) },
	{ SETTING(limits, deletes_per_account), LIMITS, PLACE(limits[LIMIT_DELETES]) },
	{ SETTING(limits, searches_per_account), LIMITS, PLACE(limits[LIMIT_SEARCHES]) },
	{ SETTING(limits, changes_per_account), LIMITS, PLACE(limits[LIMIT_CHANGES]) },
};

static bool
parse_parts(struct wiring *wiring, struct buffer *problems)
{
	bool good = true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const char *text = *(const char *const *)((const char *)wiring->conf + parts[i].text);
		struct slice bad;
		if (parse_part(parts[i].part, wiring->pool, slice_of(text), (char *)wiring + parts[i].place, &bad))
			continue;
		buffer_printf(problems, "%s: expected %s, not %.*s\n",
		    conf_origin(wiring->conf, parts[i].section, parts[i].key), expected[parts[i].part], SLICE_ARGS(bad));
		good = false;
	}
	return good;
}

/* Returns 0 or an errno value. */
static int
read_file(const char *path, struct buffer *text)
{
	char bytes[16 * 1024];
	size_t got;
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return errno;
	while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0)
		buffer_add(text, (struct slice){ bytes, got });
	int failure = ferror(file) ? errno : buffer_ok(text) ? 0 : EFBIG;
	fclose(file);
	return failure;
}

static bool
parse_disposable_domains(struct wiring *wiring, struct slice text, struct buffer *problems)
{
	struct slice bad;
	if (host_list_parse(wiring->pool, text, &wiring->disposable_domains, &bad))
		return true;
	buffer_printf(problems, "%s: %s:%zu: expected host names", conf_origin(wiring->conf, "lead", "disposable_domains_file"),
	    wiring->conf->lead.disposable_domains_file, slice_line_of(text, bad.data));
	/* otherwise the file is not a list of hosts */
	if (bad.size <= DOMAIN_MAX && utf8_valid(bad) && !slice_has_control(bad))
		buffer_printf(problems, ", not %.*s", SLICE_ARGS(bad));
	buffer_add_byte(problems, '\n');
	return false;
}

static bool
read_disposable_domains(struct wiring *wiring, struct buffer *problems)
{
	const char *path = wiring->conf->lead.disposable_domains_file;
	struct buffer text;
	if (*path == '\0')
		return true;
	buffer_init(&text, HOSTS_MAX_BYTES);
	int failure = read_file(path, &text);
	bool good = failure == 0 && parse_disposable_domains(wiring, buffer_slice(&text), problems);
	if (failure != 0)
		buffer_printf(problems, "%s: %s: %s\n", conf_origin(wiring->conf, "lead", "disposable_domains_file"), path,
		    strerror(failure));
	buffer_free(&text);
	return good;
}

/* Whether the file can be read; the libraries check its contents when they connect. */
static bool
find_tls_ca(const struct wiring *wiring, const char *section, const char *path, struct buffer *problems)
{
	if (*path == '\0' || access(path, R_OK) == 0)
		return true;
	buffer_printf(problems, "%s: %s: %s\n", conf_origin(wiring->conf, section, "tls_ca"), path, strerror(errno));
	return false;
}

/* Without TLS, codes and the gateway's key cross the network in clear text, so only listed addresses are allowed. The addresses
 * of a host name are checked on connecting. */
static bool
take_gateway_rules(struct wiring *wiring, struct buffer *problems)
{
	const struct slice url = slice_of(wiring->conf->sms.url);
	const struct address_rules listed = { .allow = wiring->sms_addresses.allow, .allow_only = true };
	wiring->sms_addresses.allow_only = slice_starts_with(url, SLICE("http://"));
	if (!wiring->sms_addresses.allow_only ||
	    (listed.allow.count > 0 && webhook_url_judge(wiring->pool, url, &listed) == WEBHOOK_URL_OK))
		return true;
	buffer_printf(problems, "%s: is http://, without TLS, but sms.allow_networks does not have its address\n",
	    conf_origin(wiring->conf, "sms", "url"));
	return false;
}

static void
take_sending_limits(struct wiring *wiring)
{
	const struct conf_mail *mail = &wiring->conf->mail;
	const struct conf_sms *sms = &wiring->conf->sms;
	wiring->sending_limits[MAIL_CHANNEL] = (struct sendings){ { [SENDINGS_OF_ALL] = mail->per_hour,
	    [SENDINGS_OF_ACCOUNT] = mail->account_per_hour,
	    [SENDINGS_OF_CAMPAIGN] = mail->campaign_per_hour } };
	wiring->sending_limits[TEXT_CHANNEL] = (struct sendings){ { [SENDINGS_OF_ALL] = sms->per_hour,
	    [SENDINGS_OF_ACCOUNT] = sms->account_per_hour,
	    [SENDINGS_OF_CAMPAIGN] = sms->campaign_per_hour } };
}

bool
wiring_read(const char *path, enum conf_lists lists, struct wiring *wiring, struct buffer *problems)
{
	*wiring = (struct wiring){ .pool = pool_new() };
	bool good = conf_load(path, &wiring->conf, problems);
	if (good) {
		take_sending_limits(wiring);
		good = parse_parts(wiring, problems);
		good = good && take_gateway_rules(wiring, problems);
		good = (lists == CONF_WITHOUT_LISTS || read_disposable_domains(wiring, problems)) && good;
		good = find_tls_ca(wiring, "database", wiring->conf->database.tls_ca, problems) && good;
		good = find_tls_ca(wiring, "mail", wiring->conf->mail.tls_ca, problems) && good;
	}
	if (!good)
		wiring_free(wiring);
	return good;
}

void
wiring_free(struct wiring *wiring)
{
	log_close(&wiring->log);
	conf_free(&wiring->conf);
	pool_free(&wiring->pool);
}

static bool
read_and_open(const char *path, enum wiring_purpose purpose, struct wiring *wiring, struct buffer *problems)
{
	if (!wiring_read(path, CONF_WITH_LISTS, wiring, problems))
		return false;
	const char *log = wiring->conf->log.file;
	if (*log == '\0' || (purpose == WIRING_TO_CHECK ? log_could_open(log) : (wiring->log = log_open(log)) != NULL))
		return true;
	buffer_printf(problems, "%s: %s: %s\n", conf_origin(wiring->conf, "log", "file"), log, strerror(errno));
	wiring_free(wiring);
	return false;
}

static void
log_problems(struct slice problems)
{
	struct slice line;
	while (slice_next(&problems, '\n', &line))
		if (line.size > 0)
			log_error("configuration_error", LOG_BYTES("problem", line));
}

bool
wiring_load(const char *program, const char *path, enum wiring_purpose purpose, struct wiring *wiring)
{
	struct buffer problems;
	buffer_init(&problems, CONF_PROBLEMS_MAX_BYTES);
	const bool good = read_and_open(path, purpose, wiring, &problems);
	if (!good && program == NULL)
		log_problems(buffer_slice(&problems));
	else if (!good)
		fprintf(stderr, "%s: the configuration is not usable\n%.*s", program, SLICE_ARGS(buffer_slice(&problems)));
	buffer_free(&problems);
	return good;
}

void
wiring_start_log(const char *program, struct wiring *wiring)
{
	log_init(program, wiring->conf->log.level);
	log_use(wiring->log);
	wiring->log = NULL;
	log_set_format(strcmp(wiring->conf->log.format, "json") == 0 ? LOG_JSON : LOG_LOGFMT);
	log_use_syslog(wiring->conf->log.syslog, wiring->conf->log.syslog_socket);
	if (wiring->conf->absent_file != NULL)
		log_info("no_configuration_file", LOG_STR("path", wiring->conf->absent_file),
		    LOG_STR("consequence", "defaults and LEADHOOK_ variables hold"));
}

static unsigned
whole_seconds(int64_t ms)
{
	return ms < SECOND_MS ? 1 : (unsigned)(ms / SECOND_MS);
}

static struct store_options
store_options_of(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms)
{
	int64_t connect_ms = conf->database.connect_timeout < answer_ms ? conf->database.connect_timeout : answer_ms;
	return (struct store_options){
		.host = conf->database.host,
		.read_host = conf->database.read_host,
		.socket = conf->database.socket,
		.user = conf->database.user,
		.password = conf->database.password,
		.database = conf->database.name,
		.option_file = conf->database.option_file,
		.tls = conf->database.tls,
		.tls_ca = conf->database.tls_ca,
		.prefix = conf->database.prefix,
		.secrets_key = conf->server.secrets_key,
		.port = conf->database.port,
		.connect_timeout_s = whole_seconds(connect_ms),
		.io_timeout_s = whole_seconds(answer_ms),
		.base_url = conf->server.base_url,
		.avatar_url = conf->lead.avatar_url,
		.form_urls = conf->dispatch.form_urls,
		.custom_fields = { conf->limits.custom_fields, conf->limits.custom_fields_bytes,
		    conf->limits.public_custom_fields_bytes },
		.disposable_domains = disposable_domains,
		.sends_mail = wiring_has_mail(conf),
		.sends_texts = wiring_has_texts(conf),
		.retention_ms = conf->dispatch.retention,
		.unverified_ms = conf->lead.unverified_days * DAY_MS,
		.ip_ms = conf->lead.ip_days * DAY_MS,
		.cluster_number = conf->cluster.number,
	};
}

struct store *
wiring_store(const struct conf *conf, const struct host_list *disposable_domains, int64_t answer_ms)
{
	const struct store_options options = store_options_of(conf, disposable_domains, answer_ms);
	return store_new(&options);
}

struct store *
wiring_reader(const struct conf *conf, int64_t answer_ms)
{
	const struct store_options options = store_options_of(conf, NULL, answer_ms);
	return store_new_reader(&options);
}

enum result
wiring_try_database(struct store *store)
{
	const struct payload_settings *settings;
	const enum result result = store_demand_schema(store);
	if (result != RESULT_OK)
		return result == RESULT_WRONG_SCHEMA ? RESULT_FAILED : RESULT_UNAVAILABLE;
	switch (store_payload_settings(store, &settings)) {
	case RESULT_OK:
		return RESULT_OK;
	case RESULT_FAILED:
		return RESULT_FAILED;
	default:
		return RESULT_UNAVAILABLE;
	}
}

bool
wiring_try(const char *path, enum wiring_user user)
{
	const bool shares = user == WIRING_OF_RESPONDER;
	struct wiring wiring;
	if (!wiring_load(NULL, path, WIRING_TO_CHECK, &wiring))
		return false;
	struct store *store = wiring_store(wiring.conf, &wiring.disposable_domains, WIRING_ANSWER_MS);
	const char *folder = wiring.conf->server.state_dir;
	bool works = wiring_try_database(store) == RESULT_OK && (!shares || shared_try(folder, LIMITER_FILE, LOG_LEVEL_ERROR));
	for (int kind = 0; works && shares && kind < WORK_KINDS; kind++)
		works = shared_try(folder, work_slots_file((enum work_kind)kind), LOG_LEVEL_ERROR);
	store_free(&store);
	wiring_free(&wiring);
	return works;
}

int
wiring_check_start(const char *program, const char *path, enum wiring_user user)
{
	log_init(program, LOG_LEVEL_WARNING);
	return wiring_try(path, user) ? EX_OK : EX_CONFIG;
}

/* Rules for claims with a limit of their own. */
static const struct limit_rule account_rule = { { { LIMIT_MAX, MINUTE_MS } }, 1 };
static const struct limit_rule log_rule = { { { 1, MINUTE_MS } }, 1 };
/* Rules that only count. */
static const struct limit_rule minute_rule = { { { LIMIT_MAX, MINUTE_MS } }, 1 };
static const struct limit_rule once_rule = { { { 1, LIMIT_WINDOW_MAX_MS } }, 1 };
static const struct limit_rule day_rule = { { { LIMIT_MAX, LIMIT_WINDOW_MAX_MS } }, 1 };

struct limiter *
wiring_limiter(const struct wiring *wiring)
{
	struct limiter_options options = {
		.folder = wiring->conf->server.state_dir,
		.memory = wiring->conf->limits.memory,
		.now_ms = clock_monotonic_ms,
	};
	memcpy(options.rules, wiring->limits, sizeof(options.rules));
	for (size_t i = 0; i < LIMIT_KINDS; i++)
		limit_rule_share(&options.rules[i], wiring->conf->limits.hosts);
	options.rules[LIMIT_ACCOUNT] = account_rule;
	options.rules[LIMIT_NEW_LEADS_LOG] = options.rules[LIMIT_BOTS_LOG] = log_rule;
	options.rules[LIMIT_REFUSED] = once_rule;
	options.rules[LIMIT_PROOFS] = minute_rule;
	options.rules[LIMIT_BOTS] = day_rule;
	return limiter_open(&options);
}

/* A hash uses a core; a long call mostly waits for the database. */
struct work_slots *
wiring_slots(const struct conf *conf, enum work_kind kind)
{
	const bool has_spare_cores = sysconf(_SC_NPROCESSORS_ONLN) > WORK_SLOTS_MAX;
	return work_slots_open(conf->server.state_dir, kind, kind != WORK_HASHES || has_spare_cores ? WORK_SLOTS_MAX : 1);
}

struct sender_options
wiring_sender(const struct wiring *wiring)
{
	const struct conf_dispatch *dispatch = &wiring->conf->dispatch;
	return (struct sender_options){
		.user_agent = wiring->conf->server.service_name,
		.in_flight = dispatch->in_flight,
		.connect_timeout_ms = dispatch->connect_timeout,
		.timeout_ms = dispatch->attempt_timeout,
		.ca_file = *dispatch->ca_file == '\0' ? NULL : dispatch->ca_file,
		.rules = &wiring->webhook_addresses,
	};
}

bool
wiring_has_mail(const struct conf *conf)
{
	return *conf->mail.host != '\0';
}

bool
wiring_has_texts(const struct conf *conf)
{
	return *conf->sms.url != '\0' && *conf->sms.calling_codes != '\0';
}

static const struct {
	const char *name;
	enum smtp_tls tls;
	unsigned port;
} mail_tls[] = {
	{ "required", SMTP_TLS_REQUIRED, 587 },
	{ "implicit", SMTP_TLS_IMPLICIT, 465 },
	{ "none", SMTP_TLS_NONE, 25 },
};

static struct smtp_server
mail_server(const struct wiring *wiring)
{
	const struct conf_mail *mail = &wiring->conf->mail;
	struct smtp_server server = { .host = mail->host,
		.user = mail->user,
		.password = mail->password,
		.helo = mail->helo,
		.ca_file = mail->tls_ca,
		.sender = pool_string(wiring->pool, wiring->mail_senders.from.address.text) };
	for (size_t i = 0; i < ARRAY_SIZE(mail_tls); i++)
		if (strcmp(mail->tls, mail_tls[i].name) == 0) {
			server.tls = mail_tls[i].tls;
			server.port = mail->port != 0 ? mail->port : mail_tls[i].port;
		}
	return server;
}

struct job_settings
wiring_job_settings(const struct wiring *wiring)
{
	return (struct job_settings){ .sender = wiring_sender(wiring),
		.has_mail = wiring_has_mail(wiring->conf),
		.mail_server = wiring_has_mail(wiring->conf) ? mail_server(wiring) : (struct smtp_server){ .port = 0 },
		.mail_senders = wiring->mail_senders,
		.form_urls = slice_of(wiring->conf->dispatch.form_urls) };
}

struct mailer_options
wiring_mailer(const struct wiring *wiring)
{
	const struct conf_mail *mail = &wiring->conf->mail;
	return (struct mailer_options){ .server = mail_server(wiring),
		.connections = mail->connections,
		.outbox = { .limits = wiring->sending_limits[MAIL_CHANNEL], .rate = mail->rate },
		.senders = &wiring->mail_senders,
		.schedule = &wiring->mail_schedule,
		.give_up_urgent_ms = mail->retry_confirmation,
		.give_up_ms = mail->retry };
}

static enum gateway_format
gateway_format_of(const char *content_type)
{
	if (strcmp(content_type, "query") == 0)
		return GATEWAY_QUERY;
	return strcmp(content_type, "json") == 0 ? GATEWAY_JSON : GATEWAY_FORM;
}

struct texter_options
wiring_texter(const struct wiring *wiring)
{
	const struct conf_sms *sms = &wiring->conf->sms;
	const struct conf_dispatch *dispatch = &wiring->conf->dispatch;
	return (struct texter_options){ .outbox = { .limits = wiring->sending_limits[TEXT_CHANNEL] },
		.gateway = { .url = sms->url,
		    .headers = { sms->header_1, sms->header_2, sms->header_3 },
		    .format = gateway_format_of(sms->content_type),
		    .body = slice_of(sms->body),
		    .sent_status = slice_of(sms->sent_status),
		    .retry_status = slice_of(sms->retry_status),
		    .sent_text = slice_of(sms->sent_text),
		    .calling_codes = slice_of(sms->calling_codes),
		    .any_number = strcmp(sms->numbers, "any") == 0 },
		.limits = { .number_per_day = sms->number_per_day,
		    .prefix_per_hour = sms->prefix_per_hour,
		    .per_hour = wiring->sending_limits[TEXT_CHANNEL] },
		.sender = { .user_agent = wiring->conf->server.service_name,
		    .in_flight = TEXTER_IN_FLIGHT,
		    .connect_timeout_ms = dispatch->connect_timeout < sms->timeout ? dispatch->connect_timeout : sms->timeout,
		    .timeout_ms = sms->timeout,
		    .ca_file = *dispatch->ca_file == '\0' ? NULL : dispatch->ca_file,
		    .rules = &wiring->sms_addresses } };
}

const char *
wiring_outbox_file(const struct wiring *wiring, enum message_channel channel)
{
	static const char *const endings[] = { [MAIL_CHANNEL] = "mail", [TEXT_CHANNEL] = "texts" };
	const char *lock_file = wiring->conf->dispatch.lock_file;
	return *lock_file == '\0' ? "" : pool_printf(wiring->pool, "%s.%s", lock_file, endings[channel]).data;
}
