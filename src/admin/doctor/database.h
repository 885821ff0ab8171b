/* SPDX-License-Identifier: MIT
 * Checks of the database: the findings of `leadhook check`, each with its correction, and whether secrets are sealed with the
 * present key. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_database, check_secrets;
