/* SPDX-License-Identifier: MIT
 * Requests through the web server: what arrives of them at the program, what is answered, what is in access logs. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_headers, check_bodies, check_slow_body, check_methods, check_errors, check_access_log;
