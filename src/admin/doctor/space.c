/* SPDX-License-Identifier: MIT
 * When a file system is too full. */
#include "admin/doctor/doctor.h"

int
disk_fullness(uint64_t total, uint64_t available, uint64_t total_inodes, uint64_t available_inodes)
{
	enum { NEARLY_PERCENT = 5, FULL_PERCENT = 1, HUNDRED = 100 };
	static const uint64_t enough = UINT64_C(4) << 30; /* of a large file system, 5 % is much */
	const bool few_inodes = total_inodes > 0 && available_inodes <= total_inodes / HUNDRED;
	if (total == 0)
		return 0;
	if (few_inodes || available <= total / HUNDRED * FULL_PERCENT)
		return available < enough || few_inodes ? 2 : 0;
	return available <= total / HUNDRED * NEARLY_PERCENT && available < enough ? 1 : 0;
}
