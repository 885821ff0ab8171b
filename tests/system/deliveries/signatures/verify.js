// SPDX-License-Identifier: MIT
// Verifies signatures with Standard Webhooks' own library. Reads an array of {secret, headers, body} with the body in base64.
// Prints an array of "accepted" or error messages.
"use strict";

const { Webhook, WebhookVerificationError } = require("standardwebhooks");

function verify({ secret, headers, body }) {
	try {
		new Webhook(secret).verify(Buffer.from(body, "base64"), headers, { jsonParse: false });
		return "accepted";
	} catch (error) {
		if (!(error instanceof WebhookVerificationError))
			throw error;
		return error.message;
	}
}

console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(verify)));
