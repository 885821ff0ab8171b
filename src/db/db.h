/* SPDX-License-Identifier: MIT
 * The database, for other folders. */
#pragma once

#include "db/connection.h"
#include "db/statement.h"
#include "db/trust.h"
#include "db/value.h"
