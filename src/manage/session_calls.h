/* SPDX-License-Identifier: MIT
 * Calls about the caller itself; private to this folder. */
#pragma once

#include "manage/manage_request.h"

/* Answers calls about login, session, password, second factor and links. Returns false for any other path. */
MUST_CHECK bool request_answer_session(struct manage_request *request);
