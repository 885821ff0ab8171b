/* SPDX-License-Identifier: MIT
 * Shows the operator which hourly limits keep messages waiting: in the log and as a metric. */
#pragma once

#include "os/log.h"
#include "store/messages/mail_lease.h"

/* `campaigns` have due messages. Each limit that is reached counts once. */
void note_delays(struct log_throttle *throttle, enum message_channel channel, const struct mail_campaign *campaigns,
    size_t count, const struct sendings *limits);
