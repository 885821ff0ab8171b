/* SPDX-License-Identifier: MIT
 * What the usual exports call their columns: those of Mailchimp, HubSpot, Brevo, ActiveCampaign, Google and Outlook contacts,
 * of forms, of ticket sales and of hosted lead services, in English, the languages of Europe, Turkish, Chinese, Japanese and
 * Korean. */
#ifndef LEADHOOK_TRANSFER_COLUMN_NAMES_H
#define LEADHOOK_TRANSFER_COLUMN_NAMES_H

#include "transfer/columns.h"

/* Fills in the column that a heading is, by its plain words (transfer/consent.h). Returns false when the table has none. */
MUST_CHECK bool column_name_find(struct slice plain, struct column *column);

#endif
