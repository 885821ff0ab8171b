/* SPDX-License-Identifier: MIT
 * The database: the findings of `leadhook check`, with what corrects each; whether secrets are sealed with the present key. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_database, check_secrets;
