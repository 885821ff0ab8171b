// SPDX-License-Identifier: MIT
// Each line with a mistake must not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./service.js";

const service = createClient<paths>({ baseUrl: "" });
const path = { campaign: 1 };
const { data } = await service.GET("/v2/{campaign}", { params: { path } });

await service.GET("/v2/{campaign}/lead", { params: { path } }); // an unknown path
await service.DELETE("/v2/{campaign}/stats", { params: { path } }); // another method
await service.GET("/v2/{campaign}/stats", { params: {} }); // no campaign
await service.POST("/v2/{campaign}/outbound-webhook", { params: { path }, body: { events: "new_sign_up" } }); // an unknown event
const name: number | undefined = data?.display_name; // another type
const score = data?.score; // an unknown field
const code: components["schemas"]["ErrorCode"] = "no_such_code"; // an unknown code
