/* SPDX-License-Identifier: MIT
 * Checks of the dispatcher and of what it needs: that it runs, webhooks, mail, certificates, names that resolve. */
#pragma once

#include "admin/doctor/findings.h"

doctor_check check_dispatcher, check_webhooks, check_mail, check_ca_file, check_names;

/* Whether systemd runs and has this unit, from the package or from an installation from source. */
bool doctor_has_unit(const struct doctor *doctor, const char *name);
