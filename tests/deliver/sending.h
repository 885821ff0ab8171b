/* SPDX-License-Identifier: MIT
 * A sender, the receiver (receiver.h), and attempts at it. */
#pragma once

#include "deliver/send/sender.h"

enum { TIMEOUT_MS = 800, DEADLINE_MS = 10000, IN_FLIGHT = 8, STALL_MAX_MS = 1700 };

extern int port;    /* port of the receiver */
extern int busy_ms; /* how long a report takes */
extern struct address_rules open_rules, closed_rules;
extern struct sender *sender;

/* The result of an attempt. */
struct seen {
	bool done, connected;
	enum sender_error error;
	int status;
	char retry_after[64];
	char answer[SENDER_ANSWER_STORED + 1];
	size_t answer_size;
	int64_t duration_ms;
};

/* The time limit for connecting is half of `timeout_ms`. */
void make_sender(const struct address_rules *rules, int64_t timeout_ms);
void use_rules(const struct address_rules *rules);
void start_url(const char *url, struct seen *seen);
void start_path(const char *host, const char *path, struct seen *seen);
/* Returns true when `fd` (-1: none) ended the wait. */
bool wait_a_moment(int64_t timeout_ms, int fd);
/* Waits until these attempts have ended. */
void await(struct seen *seen, size_t count);
struct seen send_path(const char *host, const char *path);
struct seen send_url(const char *url);

int set_up(void **state);
int tear_down(void **state);
int open_sender(void **state);
#define TEST(name) cmocka_unit_test_setup(name, open_sender)
