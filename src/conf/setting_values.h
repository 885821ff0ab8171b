/* SPDX-License-Identifier: MIT
 * Parses the text of a setting by its type, limits and rule. */
#pragma once

#include "conf/setting_table.h"

/* Stores the value in *conf; its text is copied to `pool`. Returns false, with *conf unchanged, for an invalid value, and
 * appends the expected form to `expected`. */
MUST_CHECK bool conf_setting_store(
    const struct conf_setting *setting, struct slice text, struct pool *pool, struct conf *conf, struct buffer *expected);
