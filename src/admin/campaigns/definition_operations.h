/* SPDX-License-Identifier: MIT
 * Definitions of a campaign: tags, actions, reward levels. */
#pragma once

#include "operation/operation.h"

extern const struct operation operation_tag_add, operation_tag_list, operation_tag_set, operation_tag_remove,
    operation_action_add, operation_action_list, operation_action_set, operation_action_remove, operation_reward_add,
    operation_reward_list, operation_reward_set, operation_reward_remove;
