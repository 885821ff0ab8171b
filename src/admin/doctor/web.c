/* SPDX-License-Identifier: MIT
 * The way through the web server: whether the program answers at the address of the service, and requests to it. */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "admin/doctor/doctor.h"
#include "identity/network.h"
#include "identity/probe_token.h"
#include "json/reader.h"
#include "os/clock.h"

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

/* docs/api.md 2.2: answers of web servers have no X-Request-Id. */
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

static bool
read_member(void *context, const struct json_event *event)
{
	struct echo_reader *reader = context;
	struct echo *echo = reader->echo;
	const struct {
		struct slice key;
		struct slice *text;
		uint64_t *number;
	} members[] = {
		{ SLICE("version"), &echo->version, NULL },
		{ SLICE("peer"), &echo->peer, NULL },
		{ SLICE("client"), &echo->client, NULL },
		{ SLICE("authorization"), &echo->authorization, NULL },
		{ SLICE("body"), &echo->body, NULL },
		{ SLICE("body_bytes"), NULL, &echo->body_bytes },
		{ SLICE("body_ms"), NULL, &echo->body_ms },
	};
	if (event->type == JSON_KEY)
		reader->key = pool_copy(reader->pool, event->text);
	if (event->type == JSON_BOOLEAN && slice_equal(reader->key, SLICE("forwarded")))
		echo->forwarded = event->boolean;
	if (event->type == JSON_BOOLEAN && slice_equal(reader->key, SLICE("peer_is_trusted")))
		echo->peer_is_trusted = event->boolean;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		if (!slice_equal(reader->key, members[i].key))
			continue;
		if (event->type == JSON_STRING && members[i].text != NULL)
			*members[i].text = pool_copy(reader->pool, event->text);
		else if (event->type == JSON_NUMBER && members[i].number != NULL &&
			 !slice_to_u64(event->text, INT64_MAX, members[i].number))
			return false;
	}
	return true;
}

/* They become part of settings. What answers may be another program, which sends any text. */
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

/* ---- whether the program answers ---- */

/* The path of the URL, with both slashes. */
static struct slice
mount_of(struct pool *pool, struct slice url)
{
	const struct slice rest = slice_sub(url, slice_find(url, ':') + 3, url.size);
	return pool_printf(pool, "%.*s/", SLICE_ARGS(slice_sub(rest, slice_find(rest, '/'), rest.size)));
}

static bool
path_is_configured(const struct doctor *doctor)
{
	const struct slice mount = doctor->web.mount;
	return doctor->conf == NULL ||
	       slice_equal(slice_sub(mount, 0, mount.size - 1), slice_of(doctor->conf->server.base_path));
}

/* The URL with the path that the program expects. */
static void
add_base_url(struct doctor *doctor)
{
	const struct slice url = doctor->web.url;
	const size_t origin = url.size - (doctor->web.mount.size - 1);
	doctor_setting(doctor, "server", "base_url",
	    pool_printf(doctor->pool, "%.*s%s", (int)origin, url.data, doctor->conf->server.base_path));
}

/* `flags` of the socket: one of a unix socket with a full queue would wait. */
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

/* Connects to a loopback address: it is accepted or refused at once. */
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
			web_server_lines(doctor, "socket", slice_of(listen));
		else
			doctor_setting(doctor, "server", "listen", SLICE("(what the file of the web server names)"));
		return;
	}
	DOCTOR_FIND(doctor, "program_not_running", "the web server answers with %d%s%s", answer->status,
	    *listen == '\0' ? "" : ", and nothing listens on ", listen);
	if (doctor->web.starter != STARTER_WEB_SERVER && doctor_has_unit(doctor, "leadhook-fcgi.service"))
		doctor_command(doctor, SLICE_NONE, SLICE("systemctl start leadhook-fcgi.service"));
	else if (*listen != '\0')
		doctor_command(doctor, slice_of(listen),
		    pool_printf(doctor->pool, "runuser -u %s -- leadhook-fcgi --config %s", doctor->account.name.data,
			doctor_word(doctor, doctor->file.data)));
	else
		web_server_start_program(doctor, false);
}

static void
add_unreachable(struct doctor *doctor, const struct web_answer *answer)
{
	const bool certificate = answer->is_untrusted;
	DOCTOR_FIND(doctor, certificate ? "web_certificate" : "web_unreachable", "%.*s: %.*s", SLICE_ARGS(doctor->web.url),
	    SLICE_ARGS(answer->error));
	if (certificate)
		web_server_lines(doctor, "web_certificate", SLICE_NONE);
	else
		web_server_start(doctor);
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
	if (!path_is_configured(doctor))
		add_base_url(doctor);
	if (of_program)
		doctor_setting(doctor, "server", "base_path", slice_sub(doctor->web.mount, 0, doctor->web.mount.size - 1));
	else
		web_server_lines(doctor, "web_path", SLICE_NONE);
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
		doctor_setting(doctor, "server", "base_url",
		    pool_printf(doctor->pool, "https://(the name of this site)%s", doctor->conf->server.base_path));
		return;
	}
	doctor->web.mount = mount_of(doctor->pool, doctor->web.url);
	struct web_request request = { .method = "GET", .url = web_address(doctor, "/health").data };
	web_send(doctor, &request, &answer);
	web_server_find(doctor, web_header(&answer, SLICE("Server")));
	judge(doctor, &answer);
}
