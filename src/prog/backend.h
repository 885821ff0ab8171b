/* SPDX-License-Identifier: MIT
 * The backend that runs commands for the API: a store of the responder's own, or the committer. */
#pragma once

#include "api/call/service.h"
#include "commit/client.h"
#include "commit/commit_directory.h"
#include "os/wake.h"

struct backend {
	struct commit_client *committer; /* NULL: the store below is used instead */
	struct store *store;             /* of this process */
	struct commit_directory *directory;
	struct wake_sender *dispatcher; /* woken after a command that made deliveries */
	struct wake_sender *mailer;     /* woken after a command that made messages; or NULL */
};

/* `backend` belongs to the caller and must stay valid as long as the result. */
struct api_backend backend_for_api(struct backend *backend);
