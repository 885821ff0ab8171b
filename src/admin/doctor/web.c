/* SPDX-License-Identifier: MIT */
#include "admin/doctor/web.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <netdb.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "admin/doctor/programs.h"
#include "identity/network.h"
#include "identity/signed_token.h"
#include "os/clock.h"
#include "json/reader.h"

/* ---- requests ---- */

enum { TIMEOUT_MS = 20000 };

struct slice
web_address(const struct doctor *doctor, const char *path)
{
	return pool_printf(doctor->pool, "%.*s%s", SLICE_ARGS(doctor->web.url), path);
}

void
web_send(struct doctor *doctor, struct web_request *request, struct web_answer *answer)
{
	const struct conf *conf = doctor->conf;
	request->timeout_ms = TIMEOUT_MS;
	request->user_agent = conf == NULL ? "Leadhook" : conf->server.service_name;
	request->ca_file = conf == NULL || *conf->dispatch.ca_file == '\0' ? NULL : conf->dispatch.ca_file;
	request->parts = request->parts == 0 ? 1 : request->parts;
	web_client_send(doctor->pool, request, answer);
}

struct slice
web_header(const struct web_answer *answer, struct slice name)
{
	struct slice rest = answer->headers, line;
	while (slice_next(&rest, '\n', &line)) {
		const size_t colon = slice_find(line, ':');
		if (colon < line.size && slice_equal_nocase(slice_sub(line, 0, colon), name))
			return slice_trim(slice_sub(line, colon + 1, line.size));
	}
	return SLICE_NONE;
}

/* Answers that a web server makes itself have no X-Request-Id (docs/api.md 2.2). */
bool
web_is_of_program(const struct web_answer *answer)
{
	return !slice_present(answer->error) && slice_present(web_header(answer, SLICE("X-Request-Id")));
}

struct slice
web_describe(struct pool *pool, const struct web_answer *answer)
{
	if (slice_present(answer->error))
		return answer->error;
	return pool_printf(
	    pool, "status %d of %s", answer->status, web_is_of_program(answer) ? "the program" : "the web server");
}

/* ---- probes ---- */

struct echo_reader {
	struct pool *pool;
	struct echo *echo;
	struct slice key;
};

static const struct {
	struct slice key;
	enum json_type type;
	size_t place;
} members[] = {
	{ SLICE("version"), JSON_STRING, offsetof(struct echo, version) },
	{ SLICE("peer"), JSON_STRING, offsetof(struct echo, peer) },
	{ SLICE("client"), JSON_STRING, offsetof(struct echo, client) },
	{ SLICE("authorization"), JSON_STRING, offsetof(struct echo, authorization) },
	{ SLICE("body"), JSON_STRING, offsetof(struct echo, body) },
	{ SLICE("body_bytes"), JSON_NUMBER, offsetof(struct echo, body_bytes) },
	{ SLICE("body_ms"), JSON_NUMBER, offsetof(struct echo, body_ms) },
	{ SLICE("forwarded"), JSON_BOOLEAN, offsetof(struct echo, forwarded) },
	{ SLICE("peer_is_trusted"), JSON_BOOLEAN, offsetof(struct echo, peer_is_trusted) },
};

static bool
read_member(void *context, const struct json_event *event)
{
	struct echo_reader *reader = context;
	if (event->type == JSON_KEY)
		reader->key = pool_copy(reader->pool, event->text);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		void *place = (char *)reader->echo + members[i].place;
		if (event->type != members[i].type || !slice_equal(reader->key, members[i].key))
			continue;
		if (event->type == JSON_STRING)
			*(struct slice *)place = pool_copy(reader->pool, event->text);
		else if (event->type == JSON_BOOLEAN)
			*(bool *)place = event->boolean;
		else if (!slice_to_u64(event->text, INT64_MAX, place))
			return false;
	}
	return true;
}

/* The addresses become part of settings, but another program, which can send any text, may have answered. */
static bool
is_address_or_absent(struct slice text)
{
	struct ip_address address;
	return !slice_present(text) || ip_address_parse(text, &address);
}

bool
web_can_probe(const struct doctor *doctor)
{
	return slice_present(doctor->secret) && !doctor->probes_fail;
}

bool
web_probe(struct doctor *doctor, struct web_request *request, struct web_answer *answer, struct echo *echo)
{
	struct json_problem problem;
	struct echo_reader reader = { doctor->pool, echo, SLICE_NONE };
	const struct slice token = probe_token(doctor->pool, doctor->secret, clock_wall_ms() + doctor->ahead_ms);
	*echo = (struct echo){ .client = SLICE_NONE };
	request->url = pool_printf(doctor->pool, "%.*s/health/echo/%.*s", SLICE_ARGS(doctor->web.url), SLICE_ARGS(token)).data;
	web_send(doctor, request, answer);
	echo->has_come = web_is_of_program(answer) && answer->status == 200 &&
			 json_read(answer->body, 2, read_member, &reader, &problem) && is_address_or_absent(echo->peer) &&
			 is_address_or_absent(echo->client);
	return echo->has_come;
}

/* ---- the web server in use, its files, and the lines that correct findings ---- */

enum { CONFIG_MAX = 256 * 1024 };
#define BIT(kind) (1U << (kind))
#define APACHE (BIT(WEB_APACHE_PROXY) | BIT(WEB_APACHE_FCGID))
enum { EVERY_KIND = BIT(WEB_KINDS) - 1 };

/* For each kind: how its Server header begins, words that its file contains, where docs/operating.md 5 puts that file, where
 * else it may be, its service, and whether the service can start the program. */
static const struct {
	struct slice name, words;
	const char *file, *pattern, *service;
	bool starts_program;
} servers[WEB_KINDS] = {
	[WEB_LIGHTTPD] = { SLICE("lighttpd"), SLICE("fastcgi.server"), "/etc/lighttpd/conf-available/50-leadhook.conf",
	    "/etc/lighttpd/conf-enabled/*.conf", "lighttpd", true },
	[WEB_APACHE_PROXY] = { SLICE("Apache"), SLICE("fcgi://"), "/etc/apache2/conf-available/leadhook.conf",
	    "/etc/apache2/*-enabled/*.conf", "apache2", false },
	[WEB_APACHE_FCGID] = { SLICE("Apache"), SLICE("FcgidMax"), "/etc/apache2/conf-available/leadhook.conf",
	    "/etc/apache2/*-enabled/*.conf", "apache2", true },
	[WEB_NGINX] = { SLICE("nginx"), SLICE("fastcgi_pass"), "/etc/nginx/sites-available/leadhook",
	    "/etc/nginx/sites-enabled/*", "nginx", false },
};

enum where {
	ANYWHERE, /* outside all blocks */
	MOUNT,    /* in the block of the service's path */
	SITE,     /* in the block of the site */
	UPSTREAM, /* in the block upstream of nginx */
	HTACCESS  /* in the .htaccess of the folder */
};

/* The names of the blocks, with {mount}. */
static const char *const blocks[WEB_KINDS][HTACCESS + 1] = {
	[WEB_LIGHTTPD] = { [MOUNT] = "$HTTP[\"url\"] =^ {mount}" },
	[WEB_APACHE_PROXY] = { [MOUNT] = "<Location {mount}>", [SITE] = "<VirtualHost>" },
	[WEB_APACHE_FCGID] = { [MOUNT] = "<Location {mount}>", [SITE] = "<VirtualHost>" },
	[WEB_NGINX] = { [MOUNT] = "location ^~ {mount}", [SITE] = "server", [UPSTREAM] = "upstream leadhook" },
};

#define CORS_LINE \
	"Header always set Access-Control-Allow-Origin \"*\" \"expr=%{REQUEST_STATUS} -ge 400 && -z resp('X-Request-Id')\""
#define APACHE_LOG_LINE "CustomLog \"{value}\" combined \"expr=!(%{REQUEST_URI} =~ m#^{mount}#)\""

/* The lines that correct one or more findings, with {mount} and {value}. */
static const struct {
	const char *what;
	unsigned kinds; /* bits of web_kind */
	enum where where;
	const char *line;
} lines[] = {
	{ "authorization", BIT(WEB_LIGHTTPD), MOUNT, "setenv.set-request-header = ()" },
	{ "authorization", BIT(WEB_APACHE_PROXY), MOUNT, "CGIPassAuth On" },
	{ "authorization", BIT(WEB_APACHE_FCGID), HTACCESS, "CGIPassAuth On" },
	{ "authorization", BIT(WEB_NGINX), MOUNT, "fastcgi_param HTTP_AUTHORIZATION $http_authorization;" },
	{ "client_address", BIT(WEB_NGINX), MOUNT, "fastcgi_param REMOTE_ADDR $remote_addr;" },
	{ "body_limit", BIT(WEB_LIGHTTPD), MOUNT, "server.max-request-size = 2048" },
	{ "body_limit", BIT(WEB_APACHE_PROXY), MOUNT, "LimitRequestBody 2097152" },
	{ "body_limit", BIT(WEB_APACHE_FCGID), ANYWHERE, "FcgidMaxRequestLen 16777216" },
	{ "body_limit", BIT(WEB_APACHE_FCGID), HTACCESS, "LimitRequestBody 0" },
	{ "body_limit", BIT(WEB_NGINX), MOUNT, "client_max_body_size 2m;" },
	{ "get_body", BIT(WEB_LIGHTTPD), ANYWHERE, "server.http-parseopts += ( \"method-get-body\" => \"enable\" )" },
	{ "unbuffered_body", BIT(WEB_LIGHTTPD), MOUNT, "server.stream-request-body = 0" },
	{ "unbuffered_body", BIT(WEB_APACHE_PROXY), MOUNT, "SetInputFilter BUFFER" },
	{ "unbuffered_body", BIT(WEB_APACHE_PROXY), MOUNT, "SetEnv proxy-sendcl 1" },
	{ "unbuffered_body", BIT(WEB_NGINX), MOUNT, "fastcgi_request_buffering on;" },
	{ "options head", BIT(WEB_LIGHTTPD), MOUNT, "url.access-deny = ()" },
	{ "options head", BIT(WEB_APACHE_PROXY), MOUNT, "Require all granted" },
	{ "options head", BIT(WEB_APACHE_FCGID), HTACCESS, "Require all granted" },
	{ "options head", BIT(WEB_NGINX), MOUNT, "limit_except GET HEAD POST PATCH DELETE OPTIONS { deny all; }" },
	{ "error_cors", BIT(WEB_LIGHTTPD), ANYWHERE, "server.error-handler = \"/leadhook-error\"" },
	{ "error_cors", BIT(WEB_APACHE_PROXY), MOUNT, CORS_LINE },
	{ "error_cors", BIT(WEB_APACHE_FCGID), HTACCESS, CORS_LINE },
	{ "error_cors", BIT(WEB_NGINX), MOUNT,
	    "error_page 400 403 404 405 408 411 413 414 500 501 502 503 504 /leadhook-error;" },
	{ "key_in_log", BIT(WEB_LIGHTTPD), MOUNT, "accesslog.format = \"%h %V %u %t \\\"%m %U %H\\\" %>s %b\"" },
	{ "key_in_log", APACHE, ANYWHERE, APACHE_LOG_LINE },
	{ "key_in_log", BIT(WEB_NGINX), SITE, "access_log {value} leadhook;" },
	{ "socket", BIT(WEB_LIGHTTPD), ANYWHERE, "var.leadhook_socket = \"{value}\"" },
	{ "socket", BIT(WEB_APACHE_PROXY), ANYWHERE, "Define LEADHOOK_SOCKET {value}" },
	{ "socket", BIT(WEB_NGINX), UPSTREAM, "server unix:{value};" },
	{ "web_path", BIT(WEB_LIGHTTPD), ANYWHERE, "var.leadhook_mount = \"{mount}\"" },
	{ "web_path", APACHE, ANYWHERE, "Define LEADHOOK_MOUNT {mount}" },
	{ "web_path", BIT(WEB_NGINX), SITE, "location ^~ {mount} {" },
	{ "web_certificate", BIT(WEB_LIGHTTPD), ANYWHERE, "ssl.pemfile = \"(the certificate of this name, with its chain)\"" },
	{ "web_certificate", APACHE, SITE, "SSLCertificateFile (the certificate of this name, with its chain)" },
	{ "web_certificate", BIT(WEB_NGINX), SITE, "ssl_certificate (the certificate of this name, with its chain);" },
};

static struct slice
read_file(struct pool *pool, const char *path)
{
	struct slice text = SLICE_NONE;
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return text;
	char *bytes = pool_bytes(pool, CONFIG_MAX);
	text = (struct slice){ bytes, fread(bytes, 1, CONFIG_MAX, file) };
	fclose(file);
	return text;
}

/* Sets the path of .htaccess: it is in the folder that apache-mod-fcgid.conf names. */
static void
find_htaccess(struct doctor *doctor, struct slice text)
{
	static const struct slice define = SLICE("Define LEADHOOK_FOLDER ");
	struct slice line;
	while (slice_next(&text, '\n', &line))
		if (slice_starts_with(line, define))
			doctor->web.htaccess = pool_printf(
			    doctor->pool, "%.*s/.htaccess", SLICE_ARGS(slice_trim(slice_sub(line, define.size, line.size))));
}

/* Uses the file if it is for Leadhook, and adds to *kinds the kinds of web servers that it fits. */
static void
take_file(struct doctor *doctor, const char *path, unsigned possible, unsigned *kinds)
{
	const struct slice text = read_file(doctor->pool, path);
	if (!slice_contains(text, SLICE("leadhook")) && !slice_contains(text, SLICE("LEADHOOK")))
		return;
	for (size_t kind = 0; kind < WEB_KINDS; kind++)
		if ((possible & BIT(kind)) != 0 && slice_contains(text, servers[kind].words)) {
			*kinds |= BIT(kind);
			doctor->web.config[kind] = pool_copy(doctor->pool, slice_of(path));
		}
	if ((*kinds & BIT(WEB_APACHE_FCGID)) != 0 || slice_contains(text, SLICE("bin-path")))
		doctor->web.starter = STARTER_WEB_SERVER;
	else if (*kinds != 0 && doctor->web.starter == STARTER_UNKNOWN)
		doctor->web.starter = STARTER_OTHER;
	if ((*kinds & BIT(WEB_APACHE_FCGID)) != 0)
		find_htaccess(doctor, text);
}

static void
search_files(struct doctor *doctor, unsigned possible, unsigned *kinds)
{
	for (size_t kind = 0; kind < WEB_KINDS; kind++) {
		glob_t found;
		if ((possible & BIT(kind)) == 0 || glob(servers[kind].pattern, 0, NULL, &found) != 0)
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			take_file(doctor, found.gl_pathv[i], possible & BIT(kind), kinds);
		globfree(&found);
	}
}

static void
find_server(struct doctor *doctor, struct slice name)
{
	struct web *web = &doctor->web;
	const char *named = ARGUMENTS(doctor->call, struct doctor_arguments)->web_config;
	unsigned possible = 0, kinds = 0;
	web->htaccess = SLICE(".htaccess beside leadhook.fcgi");
	for (size_t kind = 0; kind < WEB_KINDS; kind++) {
		web->config[kind] = slice_of(servers[kind].file);
		if (slice_present(name) && slice_starts_with_nocase(name, servers[kind].name))
			possible |= BIT(kind);
	}
	possible = possible == 0 ? EVERY_KIND : possible; /* another server may be in front of it */
	if (named != NULL && slice_ends_with(slice_of(named), SLICE(".htaccess"))) {
		kinds = BIT(WEB_APACHE_FCGID); /* customers of shared hosting have no other file */
		web->htaccess = slice_of(named);
		web->starter = STARTER_WEB_SERVER;
	} else if (named != NULL)
		take_file(doctor, named, EVERY_KIND, &kinds);
	else
		search_files(doctor, possible, &kinds);
	web->kinds = kinds == 0 ? possible : kinds;
}

static struct slice
fill(struct doctor *doctor, const char *text, struct slice value)
{
	const struct {
		struct slice name, value;
	} values[] = { { SLICE("{mount}"), doctor->web.mount }, { SLICE("{value}"), value } };
	struct slice filled = slice_of(text);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const size_t at = slice_find_part(filled, values[i].name);
		if (at < filled.size)
			filled = POOL_JOIN(doctor->pool, slice_sub(filled, 0, at), values[i].value,
			    slice_sub(filled, at + values[i].name.size, filled.size));
	}
	return filled;
}

void
web_server_lines(struct doctor *doctor, struct slice value)
{
	const struct web *web = &doctor->web;
	const struct slice what = slice_of(doctor->findings[doctor->count - 1].what);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		for (size_t kind = 0; kind < WEB_KINDS && slice_is_listed(what, lines[i].what); kind++) {
			if ((lines[i].kinds & web->kinds & BIT(kind)) == 0)
				continue;
			const char *block = blocks[kind][lines[i].where];
			doctor_line(doctor, lines[i].where == HTACCESS ? web->htaccess : web->config[kind],
			    block == NULL ? SLICE_NONE : fill(doctor, block, value), fill(doctor, lines[i].line, value));
		}
}

static void
add_server_start(struct doctor *doctor)
{
	for (size_t kind = 0; kind < WEB_KINDS; kind++)
		if ((doctor->web.kinds & BIT(kind)) != 0)
			DOCTOR_COMMAND(doctor, NULL, "service %s start", servers[kind].service);
}

void
web_server_start_program(struct doctor *doctor, enum program_start start)
{
	const bool runs = start == PROGRAM_RESTART;
	for (size_t kind = 0; kind < WEB_KINDS; kind++) {
		const char *service = servers[kind].service;
		if ((doctor->web.kinds & BIT(kind)) == 0)
			continue;
		if (servers[kind].starts_program && doctor->web.starter != STARTER_OTHER && runs)
			DOCTOR_COMMAND(doctor, NULL, "service %s restart", service);
		else if (servers[kind].starts_program && doctor->web.starter != STARTER_OTHER)
			DOCTOR_COMMAND(doctor, NULL, "tail /var/log/%s/error.log; service %s restart", service, service);
		if (!servers[kind].starts_program || (kind == WEB_LIGHTTPD && doctor->web.starter != STARTER_WEB_SERVER))
			DOCTOR_COMMAND(doctor, NULL, "%s",
			    runs ? "service leadhook-fcgi restart"
				 : "leadhook-fcgi --check-config; service leadhook-fcgi start");
	}
}

/* ---- whether the program answers ---- */

/* The path of the URL, with a slash at both ends. */
static struct slice
mount_of(struct pool *pool, struct slice url)
{
	const struct slice rest = slice_sub(url, slice_find(url, ':') + 3, url.size);
	return pool_printf(pool, "%.*s/", SLICE_ARGS(slice_sub(rest, slice_find(rest, '/'), rest.size)));
}

/* Adds the setting with the path that the program expects, if that differs from the path of the URL. */
static void
add_base_url(struct doctor *doctor)
{
	const struct slice url = doctor->web.url;
	const size_t origin = url.size - (doctor->web.mount.size - 1);
	const char *expected = doctor->conf == NULL ? NULL : doctor->conf->server.base_path;
	if (expected != NULL && !slice_equal(slice_sub(url, origin, url.size), slice_of(expected)))
		DOCTOR_SETTING(doctor, "server", "base_url", "%.*s%s", (int)origin, url.data, expected);
}

/* `flags`: those of the socket. Without SOCK_NONBLOCK, connecting to a unix socket with a full queue would block. */
static bool
is_served(const struct sockaddr *address, socklen_t size, int flags)
{
	const int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd < 0)
		return false;
	const bool served = connect(fd, address, size) == 0 || errno == EAGAIN || errno == EACCES;
	close(fd);
	return served;
}

/* A connection to a loopback address is accepted or refused at once. */
static bool
port_is_served(struct pool *pool, struct slice text)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	struct slice host;
	uint64_t port;
	if (!slice_split_port(text, &host, &port) ||
	    getaddrinfo(pool_string(pool, host), pool_printf(pool, "%" PRIu64, port).data, &hints, &found) != 0)
		return false;
	const bool served = is_served(found->ai_addr, found->ai_addrlen, 0);
	freeaddrinfo(found);
	return served;
}

/* Whether a process listens on the configured socket. */
static bool
socket_is_served(struct pool *pool, const char *listen)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (listen[0] != '/')
		return port_is_served(pool, slice_of(listen));
	if (strlen(listen) >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, listen, strlen(listen));
	return is_served((const struct sockaddr *)&address, sizeof(address), SOCK_NONBLOCK);
}

static void
add_not_running(struct doctor *doctor, const struct web_answer *answer)
{
	const char *listen =
	    doctor->conf == NULL || doctor->web.starter == STARTER_WEB_SERVER ? "" : doctor->conf->server.listen;
	if (*listen != '\0' && socket_is_served(doctor->pool, listen)) {
		DOCTOR_FIND(doctor, "socket", "the web server answers with %d, and %s is served", answer->status, listen);
		if (*listen == '/')
			web_server_lines(doctor, slice_of(listen));
		else
			DOCTOR_SETTING(doctor, "server", "listen", "(what the file of the web server names)");
		return;
	}
	DOCTOR_FIND(doctor, "program_not_running", "the web server answers with %d%s%s", answer->status,
	    *listen == '\0' ? "" : ", and nothing listens on ", listen);
	if (doctor->web.starter != STARTER_WEB_SERVER && doctor_has_unit(doctor, "leadhook-fcgi.service"))
		DOCTOR_COMMAND(doctor, NULL, "systemctl start leadhook-fcgi.service");
	else if (*listen != '\0')
		DOCTOR_COMMAND(doctor, listen, "runuser -u %s -- leadhook-fcgi --config %s", doctor->account.name,
		    doctor_shell_word(doctor, doctor->file.data));
	else
		web_server_start_program(doctor, PROGRAM_START);
}

static void
add_unreachable(struct doctor *doctor, const struct web_answer *answer)
{
	const bool certificate = answer->is_untrusted;
	DOCTOR_FIND(doctor, certificate ? "web_certificate" : "web_unreachable", "%.*s: %.*s", SLICE_ARGS(doctor->web.url),
	    SLICE_ARGS(answer->error));
	if (certificate)
		web_server_lines(doctor, SLICE_NONE);
	else
		add_server_start(doctor);
}

static void
add_redirect(struct doctor *doctor, const struct web_answer *answer)
{
	static const struct slice path = SLICE("/health");
	struct slice to = web_header(answer, SLICE("Location"));
	DOCTOR_FIND(doctor, "web_redirect", "%.*s leads to %.*s", SLICE_ARGS(doctor->web.url), SLICE_ARGS(to));
	if (slice_ends_with(to, SLICE("/")))
		to = slice_sub(to, 0, to.size - 1);
	if (slice_ends_with(to, path))
		doctor_setting(doctor, "server", "base_url", slice_sub(to, 0, to.size - path.size));
}

static void
add_wrong_path(struct doctor *doctor, const struct web_answer *answer)
{
	const bool of_program = web_is_of_program(answer);
	DOCTOR_FIND(doctor, of_program ? "base_path" : "web_path", "%.*s/health: %.*s", SLICE_ARGS(doctor->web.url),
	    SLICE_ARGS(web_describe(doctor->pool, answer)));
	add_base_url(doctor);
	if (of_program)
		doctor_setting(doctor, "server", "base_path", slice_sub(doctor->web.mount, 0, doctor->web.mount.size - 1));
	else
		web_server_lines(doctor, SLICE_NONE);
}

static struct slice
url_of(struct doctor *doctor)
{
	struct slice url = ARGUMENTS(doctor->call, struct doctor_arguments)->url;
	if (!slice_present(url))
		url = slice_of(doctor->conf == NULL ? "" : doctor->conf->server.base_url);
	while (slice_ends_with(url, SLICE("/")))
		url = slice_sub(url, 0, url.size - 1);
	return pool_copy(doctor->pool, url);
}

static void
judge(struct doctor *doctor, const struct web_answer *answer)
{
	enum { STARTS_NOT = 500, GATEWAY_FIRST = 502, GATEWAY_LAST = 504 };
	const int status = answer->status;
	if (slice_present(answer->error))
		add_unreachable(doctor, answer);
	else if (status >= 300 && status < 400)
		add_redirect(doctor, answer);
	else if (!web_is_of_program(answer) && (status == STARTS_NOT || (status >= GATEWAY_FIRST && status <= GATEWAY_LAST)))
		add_not_running(doctor, answer);
	else if (!web_is_of_program(answer) || status != 200)
		add_wrong_path(doctor, answer);
	else
		doctor->web.answers = true;
}

void
check_web(struct doctor *doctor)
{
	struct web_answer answer;
	doctor->web.url = url_of(doctor);
	if (doctor->web.url.size == 0) {
		if (doctor->conf == NULL) {
			DOCTOR_SKIP(doctor, "the address of the service is not known: see --url");
			return;
		}
		DOCTOR_FIND(doctor, "base_url", "server.base_url is not set");
		DOCTOR_SETTING(
		    doctor, "server", "base_url", "https://(the name of this site)%s", doctor->conf->server.base_path);
		return;
	}
	doctor->web.mount = mount_of(doctor->pool, doctor->web.url);
	struct web_request request = { .method = "GET", .url = web_address(doctor, "/health").data };
	web_send(doctor, &request, &answer);
	find_server(doctor, web_header(&answer, SLICE("Server")));
	judge(doctor, &answer);
}
