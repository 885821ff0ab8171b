/* SPDX-License-Identifier: MIT */
/*
 * The maximum of libcurl: one curl_multi that posts the same body, with as many headers as a delivery, to one receiver until
 * COUNT have been answered with 200, CONCURRENT at a time on persistent connections. No database, no signatures.
 *
 * curl_loop URL COUNT CONCURRENT WEBHOOKS BODY-FILE   (the URL has a %d for the webhook)
 */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODY_MAX = 65536, CONCURRENT_MAX = 1024, WAIT_MS = 1000 };

struct loop {
	CURLM *multi;
	const char *url;
	long left, done, concurrent, webhooks;
	long body_size;
	char body[BODY_MAX];
	struct curl_slist *headers;
};

static size_t
discard(char *data, size_t size, size_t count, void *user)
{
	(void)data;
	(void)user;
	return size * count;
}

static void
send_next(struct loop *loop, CURL *easy)
{
	char url[256];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format is an argument */
	snprintf(url, sizeof(url), loop->url, (int)(loop->left % loop->webhooks) + 1);
#pragma GCC diagnostic pop
	loop->left--;
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_multi_add_handle(loop->multi, easy);
}

static CURL *
make(struct loop *loop)
{
	CURL *easy = curl_easy_init();
	if (easy == NULL)
		abort();
	curl_easy_setopt(easy, CURLOPT_POSTFIELDS, loop->body);
	curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, loop->body_size);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, loop->headers);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
	return easy;
}

/* Starts a new request for each one that ended, until none is left. Returns false when an answer was not 200. */
static bool
finish(struct loop *loop)
{
	CURLMsg *message;
	int rest;
	while ((message = curl_multi_info_read(loop->multi, &rest)) != NULL) {
		long status = 0;
		CURL *easy = message->easy_handle;
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
		if (message->data.result != CURLE_OK || status != 200)
			return false;
		loop->done++;
		curl_multi_remove_handle(loop->multi, easy);
		if (loop->left > 0)
			send_next(loop, easy);
		else
			curl_easy_cleanup(easy);
	}
	return true;
}

static bool
read_body(struct loop *loop, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return false;
	loop->body_size = (long)fread(loop->body, 1, sizeof(loop->body), file);
	fclose(file);
	return loop->body_size > 0;
}

int
main(int argc, char **argv)
{
	static struct loop loop;
	static const char *const headers[] = { "Content-Type: application/json", "User-Agent: Leadhook",
		"Expect:", "webhook-id: msg_2c59602bccdf_1427853287620613", "webhook-timestamp: 1795237604",
		"webhook-signature: v1,QSep7GahDlzMmW1Tyo3hue2WcEtsE/iUq48WE3NLFCc=" };
	if (argc != 6 || !read_body(&loop, argv[5])) {
		fputs("usage: curl_loop URL COUNT CONCURRENT WEBHOOKS BODY-FILE\n", stderr);
		return 2;
	}
	loop.url = argv[1];
	loop.left = atol(argv[2]);
	loop.concurrent = atol(argv[3]);
	loop.webhooks = atol(argv[4]);
	long count = loop.left;
	if (count < 1 || loop.concurrent < 1 || loop.concurrent > CONCURRENT_MAX || loop.webhooks < 1)
		return 2;
	curl_global_init(CURL_GLOBAL_DEFAULT);
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		loop.headers = curl_slist_append(loop.headers, headers[i]);
	loop.multi = curl_multi_init();
	curl_multi_setopt(loop.multi, CURLMOPT_MAXCONNECTS, loop.concurrent);
	for (long i = 0; i < loop.concurrent && loop.left > 0; i++)
		send_next(&loop, make(&loop));
	int running = 1;
	while (loop.done < count) {
		if (curl_multi_perform(loop.multi, &running) != CURLM_OK || !finish(&loop))
			return 1;
		if (loop.done < count && curl_multi_poll(loop.multi, NULL, 0, WAIT_MS, NULL) != CURLM_OK)
			return 1;
	}
	return 0;
}
