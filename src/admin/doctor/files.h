/* SPDX-License-Identifier: MIT
 * Checks of the configuration, and of the files and folders that it names: modes, owners, space. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_configuration, check_files, check_state, check_lock_file, check_log, check_syslog, check_disk;

/* How full a file system is: 0 not full, 1 nearly full, 2 too full to work. */
int disk_fullness(uint64_t total, uint64_t available, uint64_t total_inodes, uint64_t available_inodes);
