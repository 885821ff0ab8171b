/* SPDX-License-Identifier: MIT
 * Runs commands of the engine, as calls of the API with a key do. */
#pragma once

#include "engine/command.h"
#include "operation/operation.h"

/* Runs a command with the rights of the caller, for the account of the campaign. Returns 0 after success; otherwise reports why
 * the command failed and returns a status. */
MUST_CHECK int lead_command_execute(
    struct operation_call *call, const struct campaign *campaign, struct command *command, struct outcome *outcome);
