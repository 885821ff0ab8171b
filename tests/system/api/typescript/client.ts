// SPDX-License-Identifier: MIT
// The first example of README.md, with types that are made of the document. Prints what it got.
import createClient from "openapi-fetch";
import type { components, paths } from "./service.js";

declare const process: { env: Record<string, string> };
const { LEADHOOK_URL, LEADHOOK_KEY, LEADHOOK_CAMPAIGN } = process.env;
const service = createClient<paths>({ baseUrl: LEADHOOK_URL });
const path = { campaign: Number(LEADHOOK_CAMPAIGN) };
const headers = { Authorization: `Bearer ${LEADHOOK_KEY}` };
const call = { params: { path } };

function lead(answer: components["schemas"]["SignUpAnswer"] | undefined): components["schemas"]["Lead"] {
	if (answer === undefined || answer.id === null)
		throw new Error("there is no lead");
	return answer;
}

const first = await service.POST("/v2/{campaign}", { ...call, body: { email: "ada@example.org", first_name: "Ada" } });
const second = await service.POST("/v2/{campaign}", { ...call, headers, body: { email: "ada@example.org", plan: "pro" } });
const found = await service.GET("/v2/{campaign}", { headers, params: { path, query: { email: "ada@example.org" } } });
const unknown = await service.GET("/v2/{campaign}", { headers, params: { path, query: { email: "grace@example.org" } } });

const code: string | undefined = unknown.error?.error;
console.log(JSON.stringify({
	names: [lead(first.data).display_name, lead(second.data).display_name, lead(found.data).display_name],
	counter: lead(second.data).counter,
	plan: lead(found.data).custom_fields?.plan,
	code,
}));
