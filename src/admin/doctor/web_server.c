/* SPDX-License-Identifier: MIT
 * The web server that is in use, its files, and the lines that correct what was found. */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "admin/doctor/doctor.h"
#include "base/buffer.h"

enum { CONFIG_MAX = 256 * 1024 };
#define BIT(kind) (1U << (kind))
#define APACHE (BIT(WEB_APACHE_PROXY) | BIT(WEB_APACHE_FCGID))
enum { EVERY_KIND = BIT(WEB_KINDS) - 1 };

/* For each kind: words in its Server header and its file, where the steps of docs/operating.md 5 put that file, and where
 * others may have it. */
static const struct {
	struct slice name, words;
	const char *file;
	const char *pattern;
} servers[WEB_KINDS] = {
	[WEB_LIGHTTPD] = { SLICE("lighttpd"), SLICE("fastcgi.server"), "/etc/lighttpd/conf-available/50-leadhook.conf",
	    "/etc/lighttpd/conf-enabled/*.conf" },
	[WEB_APACHE_PROXY] = { SLICE("Apache"), SLICE("fcgi://"), "/etc/apache2/conf-available/leadhook.conf",
	    "/etc/apache2/*-enabled/*.conf" },
	[WEB_APACHE_FCGID] = { SLICE("Apache"), SLICE("FcgidMax"), "/etc/apache2/conf-available/leadhook.conf",
	    "/etc/apache2/*-enabled/*.conf" },
	[WEB_NGINX] = { SLICE("nginx"), SLICE("fastcgi_pass"), "/etc/nginx/sites-available/leadhook",
	    "/etc/nginx/sites-enabled/*" },
};

enum where {
	ANYWHERE, /* outside of all blocks */
	MOUNT,    /* in the block of the service's path */
	SITE,     /* in the block of the site */
	UPSTREAM, /* nginx */
	HTACCESS  /* in the file of the folder */
};

/* The blocks, with {mount}. */
static const char *const blocks[WEB_KINDS][HTACCESS + 1] = {
	[WEB_LIGHTTPD] = { [MOUNT] = "$HTTP[\"url\"] =^ {mount}" },
	[WEB_APACHE_PROXY] = { [MOUNT] = "<Location {mount}>", [SITE] = "<VirtualHost>" },
	[WEB_APACHE_FCGID] = { [MOUNT] = "<Location {mount}>", [SITE] = "<VirtualHost>" },
	[WEB_NGINX] = { [MOUNT] = "location ^~ {mount}", [SITE] = "server", [UPSTREAM] = "upstream leadhook" },
};

#define CORS_LINE \
	"Header always set Access-Control-Allow-Origin \"*\" \"expr=%{REQUEST_STATUS} -ge 400 && -z resp('X-Request-Id')\""
#define APACHE_LOG_LINE "CustomLog \"{value}\" combined \"expr=!(%{REQUEST_URI} =~ m#^{mount}#)\""

/* The lines, with {mount} and {value}. */
static const struct {
	const char *what;
	enum web_kind kind;
	enum where where;
	const char *line;
} lines[] = {
	{ "authorization", WEB_LIGHTTPD, MOUNT, "setenv.set-request-header = ()" },
	{ "authorization", WEB_APACHE_PROXY, MOUNT, "CGIPassAuth On" },
	{ "authorization", WEB_APACHE_FCGID, HTACCESS, "CGIPassAuth On" },
	{ "authorization", WEB_NGINX, MOUNT, "fastcgi_param HTTP_AUTHORIZATION $http_authorization;" },
	{ "client_address", WEB_NGINX, MOUNT, "fastcgi_param REMOTE_ADDR $remote_addr;" },
	{ "body_limit", WEB_LIGHTTPD, MOUNT, "server.max-request-size = 2048" },
	{ "body_limit", WEB_APACHE_PROXY, MOUNT, "LimitRequestBody 2097152" },
	{ "body_limit", WEB_APACHE_FCGID, ANYWHERE, "FcgidMaxRequestLen 16777216" },
	{ "body_limit", WEB_APACHE_FCGID, HTACCESS, "LimitRequestBody 0" },
	{ "body_limit", WEB_NGINX, MOUNT, "client_max_body_size 2m;" },
	{ "get_body", WEB_LIGHTTPD, ANYWHERE, "server.http-parseopts += ( \"method-get-body\" => \"enable\" )" },
	{ "unbuffered_body", WEB_LIGHTTPD, MOUNT, "server.stream-request-body = 0" },
	{ "unbuffered_body", WEB_APACHE_PROXY, MOUNT, "SetInputFilter BUFFER" },
	{ "unbuffered_body", WEB_APACHE_PROXY, MOUNT, "SetEnv proxy-sendcl 1" },
	{ "unbuffered_body", WEB_NGINX, MOUNT, "fastcgi_request_buffering on;" },
	{ "options", WEB_LIGHTTPD, MOUNT, "url.access-deny = ()" },
	{ "options", WEB_APACHE_PROXY, MOUNT, "Require all granted" },
	{ "options", WEB_APACHE_FCGID, HTACCESS, "Require all granted" },
	{ "options", WEB_NGINX, MOUNT, "limit_except GET HEAD POST PATCH DELETE OPTIONS { deny all; }" },
	{ "head", WEB_LIGHTTPD, MOUNT, "url.access-deny = ()" },
	{ "head", WEB_APACHE_PROXY, MOUNT, "Require all granted" },
	{ "head", WEB_APACHE_FCGID, HTACCESS, "Require all granted" },
	{ "head", WEB_NGINX, MOUNT, "limit_except GET HEAD POST PATCH DELETE OPTIONS { deny all; }" },
	{ "error_cors", WEB_LIGHTTPD, ANYWHERE, "server.error-handler = \"/leadhook-error\"" },
	{ "error_cors", WEB_APACHE_PROXY, MOUNT, CORS_LINE },
	{ "error_cors", WEB_APACHE_FCGID, HTACCESS, CORS_LINE },
	{ "error_cors", WEB_NGINX, MOUNT, "error_page 400 403 404 405 408 411 413 414 500 501 502 503 504 /leadhook-error;" },
	{ "key_in_log", WEB_LIGHTTPD, MOUNT, "accesslog.format = \"%h %V %u %t \\\"%m %U %H\\\" %>s %b\"" },
	{ "key_in_log", WEB_APACHE_PROXY, ANYWHERE, APACHE_LOG_LINE },
	{ "key_in_log", WEB_APACHE_FCGID, ANYWHERE, APACHE_LOG_LINE },
	{ "key_in_log", WEB_NGINX, SITE, "access_log {value} leadhook;" },
	{ "socket", WEB_LIGHTTPD, ANYWHERE, "var.leadhook_socket = \"{value}\"" },
	{ "socket", WEB_APACHE_PROXY, ANYWHERE, "Define LEADHOOK_SOCKET {value}" },
	{ "socket", WEB_NGINX, UPSTREAM, "server unix:{value};" },
	{ "web_path", WEB_LIGHTTPD, ANYWHERE, "var.leadhook_mount = \"{mount}\"" },
	{ "web_path", WEB_APACHE_PROXY, ANYWHERE, "Define LEADHOOK_MOUNT {mount}" },
	{ "web_path", WEB_APACHE_FCGID, ANYWHERE, "Define LEADHOOK_MOUNT {mount}" },
	{ "web_path", WEB_NGINX, SITE, "location ^~ {mount} {" },
	{ "web_certificate", WEB_LIGHTTPD, ANYWHERE, "ssl.pemfile = \"(the certificate of this name, with its chain)\"" },
	{ "web_certificate", WEB_APACHE_PROXY, SITE, "SSLCertificateFile (the certificate of this name, with its chain)" },
	{ "web_certificate", WEB_APACHE_FCGID, SITE, "SSLCertificateFile (the certificate of this name, with its chain)" },
	{ "web_certificate", WEB_NGINX, SITE, "ssl_certificate (the certificate of this name, with its chain);" },
};

/* Commands, for findings that no line corrects. */
static const struct slice web_starts[WEB_KINDS] = {
	[WEB_LIGHTTPD] = SLICE("service lighttpd start"),
	[WEB_APACHE_PROXY] = SLICE("service apache2 start"),
	[WEB_APACHE_FCGID] = SLICE("service apache2 start"),
	[WEB_NGINX] = SLICE("service nginx start"),
};
/* Where the web server starts the program. */
static const struct {
	struct slice start, restart;
} starts_by_web_server[WEB_KINDS] = {
	[WEB_LIGHTTPD] = { SLICE("tail /var/log/lighttpd/error.log; service lighttpd restart"),
	    SLICE("service lighttpd restart") },
	[WEB_APACHE_FCGID] = { SLICE("tail /var/log/apache2/error.log; service apache2 restart"),
	    SLICE("service apache2 restart") },
};
static const struct slice own_start = SLICE("leadhook-fcgi --check-config; service leadhook-fcgi start");
static const struct slice own_restart = SLICE("service leadhook-fcgi restart");

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

/* The .htaccess of the folder that apache-mod-fcgid.conf names. */
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

/* Takes the file if it is one of ours: *kinds is then what it is for. */
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

/* All that a customer of shared hosting has. */
static void
take_htaccess(struct doctor *doctor, const char *path, unsigned *kinds)
{
	*kinds = BIT(WEB_APACHE_FCGID);
	doctor->web.htaccess = slice_of(path);
	doctor->web.starter = STARTER_WEB_SERVER;
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

void
web_server_find(struct doctor *doctor, struct slice name)
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
	if (named != NULL && slice_ends_with(slice_of(named), SLICE(".htaccess")))
		take_htaccess(doctor, named, &kinds);
	else if (named != NULL)
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
		const char *at = memmem(filled.data, filled.size, values[i].name.data, values[i].name.size);
		if (at == NULL)
			continue;
		const size_t before = (size_t)(at - filled.data);
		filled = POOL_JOIN(doctor->pool, slice_sub(filled, 0, before), values[i].value,
		    slice_sub(filled, before + values[i].name.size, filled.size));
	}
	return filled;
}

void
web_server_lines(struct doctor *doctor, const char *what, struct slice value)
{
	const struct web *web = &doctor->web;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (strcmp(lines[i].what, what) != 0 || (web->kinds & BIT(lines[i].kind)) == 0)
			continue;
		const char *block = blocks[lines[i].kind][lines[i].where];
		doctor_line(doctor, lines[i].where == HTACCESS ? web->htaccess : web->config[lines[i].kind],
		    block == NULL ? SLICE_NONE : fill(doctor, block, value), fill(doctor, lines[i].line, value));
	}
}

void
web_server_start(struct doctor *doctor)
{
	for (size_t kind = 0; kind < WEB_KINDS; kind++)
		if ((doctor->web.kinds & BIT(kind)) != 0)
			doctor_command(doctor, SLICE_NONE, web_starts[kind]);
}

void
web_server_start_program(struct doctor *doctor, bool again)
{
	for (size_t kind = 0; kind < WEB_KINDS; kind++) {
		const struct slice start = starts_by_web_server[kind].start, restart = starts_by_web_server[kind].restart;
		if ((doctor->web.kinds & BIT(kind)) == 0)
			continue;
		if (slice_present(start) && doctor->web.starter != STARTER_OTHER)
			doctor_command(doctor, SLICE_NONE, again ? restart : start);
		if (!slice_present(start) || (kind == WEB_LIGHTTPD && doctor->web.starter != STARTER_WEB_SERVER))
			doctor_command(doctor, SLICE_NONE, again ? own_restart : own_start);
	}
}
