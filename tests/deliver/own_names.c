/* SPDX-License-Identifier: MIT */
#include "own_names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/pool.h"

static const struct {
	const char *name;
	const char *addresses[3];
} names[] = {
	{ "good.example", { "127.0.0.1" } }, { "inner.example", { "10.0.0.1" } },
	{ "forbidden-first.example", { "10.0.0.1", "127.0.0.1" } },
	{ "forbidden-second.example", { "127.0.0.2", "10.0.0.1", "127.0.0.1" } }, /* nothing listens on the first address */
};

static struct addrinfo *
address_info(const char *ip, const char *service, struct addrinfo *next)
{
	struct addrinfo *info = memory_alloc(sizeof(*info) + sizeof(struct sockaddr_in));
	struct sockaddr_in *address = (struct sockaddr_in *)(info + 1);
	address->sin_family = AF_INET;
	address->sin_port = htons((uint16_t)atoi(service == NULL ? "0" : service));
	inet_pton(AF_INET, ip, &address->sin_addr);
	*info = (struct addrinfo){ .ai_family = AF_INET,
		.ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP,
		.ai_addrlen = sizeof(*address),
		.ai_addr = (struct sockaddr *)address,
		.ai_next = next };
	return info;
}

int
getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints UNUSED,
    struct addrinfo **restrict result)
{
	*result = NULL;
	if (strcmp(name, "hanging.example") == 0)
		poll(NULL, 0, OWN_NAMES_HANG_MS);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i].name) == 0)
			for (size_t j = ARRAY_SIZE(names[i].addresses); j > 0; j--)
				if (names[i].addresses[j - 1] != NULL)
					*result = address_info(names[i].addresses[j - 1], service, *result);
	return *result == NULL ? EAI_NONAME : 0;
}

void
freeaddrinfo(struct addrinfo *info)
{
	while (info != NULL) {
		struct addrinfo *next = info->ai_next;
		free(info);
		info = next;
	}
}
