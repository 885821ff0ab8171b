/* SPDX-License-Identifier: MIT
 * The backend that runs commands for the API: a store of the responder's own, or the committer. */
#ifndef LEADHOOK_PROG_BACKEND_H
#define LEADHOOK_PROG_BACKEND_H

#include "api/call/service.h"
#include "commit/client.h"
#include "commit/directory.h"
#include "os/wake.h"

struct backend {
	struct commit_client *committer; /* NULL: not used … */
	struct store *store;             /* … and these are used instead */
	struct directory *directory;
	struct wake_sender *dispatcher; /* gets a wake after a command that made deliveries */
	struct wake_sender *mailer;     /* the same for messages; or NULL */
};

/* `backend` belongs to the caller and must stay valid as long as the result. */
struct api_backend backend_for_api(struct backend *backend);

#endif
