/* SPDX-License-Identifier: MIT
 * Names of columns in the usual exports: those of Mailchimp, HubSpot, Brevo, ActiveCampaign, Google and Outlook contacts,
 * of forms, of ticket sales and of hosted lead services, in English, the languages of Europe, Turkish, Chinese, Japanese and
 * Korean. */
#pragma once

#include "transfer/columns.h"

/* Sets *column by the plain words (transfer/consent.h) of a heading. Returns false if the table does not have them. */
MUST_CHECK bool column_name_find(struct slice plain, struct column *column);
