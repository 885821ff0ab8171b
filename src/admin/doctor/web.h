/* SPDX-License-Identifier: MIT
 * The path through the web server: whether the program answers at the address of the service, requests to it, and lines that
 * correct the files of the web server. */
#pragma once

#include "admin/doctor/findings.h"
#include "deliver/send/web_client.h"

doctor_check check_web;

/* What a probe reports about its request (docs/api.md 4.1, GET /health/echo). */
struct echo {
	bool has_come;
	struct slice version, peer, client, authorization, body; /* may be absent */
	bool peer_is_trusted;
	bool forwarded; /* X-Forwarded-For arrived */
	uint64_t body_bytes, body_ms;
};

/* The address of a path below the service. */
struct slice web_address(const struct doctor *doctor, const char *path);
void web_send(struct doctor *doctor, struct web_request *request, struct web_answer *answer);
/* The value of a header of the answer; absent if there is none. */
struct slice web_header(const struct web_answer *answer, struct slice name);
/* Whether the program answered, rather than the web server itself. */
bool web_is_of_program(const struct web_answer *answer);
struct slice web_describe(struct pool *pool, const struct web_answer *answer);

/* Whether the program accepts probes, as far as is known. */
MUST_CHECK bool web_can_probe(const struct doctor *doctor);
/* Sends a probe and reads what arrived of it. Returns false if the answer is not that of a probe, but sets *answer in any case.
 */
MUST_CHECK bool web_probe(struct doctor *doctor, struct web_request *request, struct web_answer *answer, struct echo *echo);

/* Adds the lines that correct the last finding, for each web server that may be in use. `value`: for lines that contain
 * {value}. */
void web_server_lines(struct doctor *doctor, struct slice value);
/* Adds the commands that start the program, or restart it. */
enum program_start { PROGRAM_START, PROGRAM_RESTART };
void web_server_start_program(struct doctor *doctor, enum program_start start);
