/* SPDX-License-Identifier: MIT
 * Checks by requests through the web server: what arrives at the program, what is answered, what access logs contain. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_headers, check_bodies, check_slow_body, check_methods, check_errors, check_access_log;
