// SPDX-License-Identifier: MIT
// Has Standard Webhooks' own library judge what is on the standard input: an array of {secret, headers, body}, the body in base64.
// Prints an array of "accepted", or what was said against it.
"use strict";

const { Webhook, WebhookVerificationError } = require("standardwebhooks");

function judge({ secret, headers, body }) {
	try {
		new Webhook(secret).verify(Buffer.from(body, "base64"), headers, { jsonParse: false });
		return "accepted";
	} catch (error) {
		if (!(error instanceof WebhookVerificationError))
			throw error;
		return error.message;
	}
}

console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(judge)));
