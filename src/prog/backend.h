/* SPDX-License-Identifier: MIT
 * The backend that runs commands for the API: a store of the responder's own, or the committer. */
#ifndef LEADHOOK_PROG_BACKEND_H
#define LEADHOOK_PROG_BACKEND_H

#include "api/api.h"
#include "commit/client.h"
#include "commit/directory.h"

struct direct_backend {
	struct store *store;
	struct directory *directory;
};

/* The arguments belong to the caller and must stay valid as long as the backend. */
struct api_backend backend_of_store(struct direct_backend *direct);
struct api_backend backend_of_committer(struct commit_client *client);

#endif
