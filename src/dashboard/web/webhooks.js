// SPDX-License-Identifier: MIT
// The webhooks of a campaign: the list, adding one, tests.
import { useEffect, useState } from "./hooks.js";
import { get, post } from "./api.js";
import { duration, lasting, percent, plural } from "./format.js";
import { Crumbs } from "./frame.js";
import { useLive } from "./live.js";
import { go, link, setQuery } from "./route.js";
import { RECEIVERS } from "./receivers.js";
import { EVENTS, eventName, outcome, urlParts } from "./words.js";
import { Choices, Field, FormDialog, useForm, wrongField } from "./forms.js";
import {
	Button, Chip, Code, Dialog, Empty, Loaded, Notice, Page, Segments, Table, Time, Updated, Waiting, html, openDialog,
} from "./ui.js";

const TEST_WAITS = [500, 500, 1000, 1000, 2000, 2000, 5000, 5000, 10000, 10000, 10000];

/* ---- jobs of the dispatcher ---- */

/** Waits until a job has ended, `tell` gets it each time. */
export async function waitForJob(job, tell = () => {}, waits = TEST_WAITS) {
	for (const wait of waits) {
		if (job.ended_at)
			return job;
		await new Promise(done => setTimeout(done, wait));
		job = (await get(`jobs/${job.id}`)).value;
		tell(job);
	}
	return job;
}

/* ---- adding ---- */

export const eventOptions = Object.entries(EVENTS).map(([code, [name, why]]) => [code, name, why]);
const USUAL = ["new_signup", "verified"];

export function Secret({ secret, test, close }) {
	const [language, set] = useState(0);
	return html`
		<${Dialog} wide title="Webhook secret" close=${() => close()}>
			<p>
				Your receiver verifies requests with this secret. <strong>It is shown only once.</strong> Store it where your
				receiver reads it.
			</p>
			<${Code} text=${secret} what="the secret" />
			${test}
			<details>
				<summary>For developers: sample receiver</summary>
				<div class="stack">
					<${Segments} label="Language" options=${RECEIVERS.map(([name], at) => [at, name])} value=${language}
						choose=${set} kind="small" />
					<${Code} text=${RECEIVERS[language][1](secret)} what="the receiver" />
				</div>
			</details>
			<div class="buttons">
				<button type="button" class="primary" onClick=${() => close()}>I have stored the secret</button>
			</div>
		<//>`;
}

const FORMATS = [
	["json", "JSON (most receivers)"],
	["form", "Form fields"],
];
const URL_HINT =
	"The address that your CRM, automation tool or server gives you for webhooks. " +
	"Only new events are sent: export leads that you already have as CSV.";

function Add({ campaign, close }) {
	const form = useForm({ url: "https://", events: USUAL, format: "json" });
	async function submit() {
		const { events, format } = form.values;
		const url = form.values.url.trim();
		if (events.length === 0)
			throw wrongField("events", "Select at least one event.");
		const { value } = await post(`campaigns/${campaign}/webhooks`, { url, events, format });
		close({ ...value, url });
	}
	return html`
		<${FormDialog} wide title="Add a webhook" close=${close} form=${form} onSubmit=${submit} submit="Add webhook">
			<${Field} form=${form} name="url" label="Webhook URL" type="url" inputmode="url" hint=${URL_HINT} />
			<${Choices} form=${form} name="events" label="Events" options=${eventOptions} />
			<${Field} form=${form} name="format" label="Format" type="select" options=${FORMATS} />
		<//>`;
}

async function addWebhook(campaign, reload) {
	const made = await openDialog(close => html`<${Add} campaign=${campaign} close=${close} />`);
	if (!made)
		return;
	reload?.();
	const test = html`<${Test} id=${made.id} />`;
	if (made.secret)
		await openDialog(close => html`<${Secret} secret=${made.secret} close=${close} test=${test} />`);
	go(`campaigns/${campaign}/webhooks/${made.id}`);
}

/* ---- testing ---- */

function TestResult({ job }) {
	if (!job)
		return null;
	if (job.state === "failed")
		return html`<${Notice} tone="bad"><p>The test failed: ${job.error}</p><//>`;
	if (job.gaveUp)
		return html`
			<${Notice}><p role="status">The test is still queued. Check that the dispatcher is running.</p><//>`;
	if (!job.ended_at)
		return html`<${Notice}><p role="status">Sending a sample lead…</p><//>`;
	const { ok, status, error, duration_ms, answer } = job.result;
	const time = duration_ms === null ? "" : ` in ${duration(duration_ms)}`;
	return html`
		<${Notice} tone=${ok ? "good" : "bad"}>
			<div class="prose">
				<p role="status"><strong>${ok ? "Success" : "Failed"}:</strong> ${outcome(status, error)}${time}.</p>
				${answer && html`<pre class="answer" tabindex="0">${answer}</pre>`}
			</div>
		<//>`;
}

export function Test({ id }) {
	const [job, set] = useState(null);
	async function test() {
		const { value } = await post(`webhooks/${id}/test`);
		set(value);
		const last = await waitForJob(value, set);
		set(last.ended_at ? last : { ...last, gaveUp: true });
	}
	return html`
		<div class="stack">
			<div><${Button} onClick=${test}>Send a test<//></div>
			<${TestResult} job=${job} />
		</div>`;
}

/* ---- the list ---- */

function stateChip(webhook) {
	if (webhook.gone)
		return html`<${Chip} tone="bad">gone<//>`;
	if (webhook.state === "disabled")
		return html`<${Chip} tone="wait">disabled<//>`;
	return webhook.state === "failing" ? html`<${Chip} tone="bad">failing<//>` : html`<${Chip} tone="good">working<//>`;
}

/** The failing ones first, then the disabled ones. */
const STATES = ["failing", "disabled"];
const rank = webhook => (STATES.includes(webhook.state) ? STATES.indexOf(webhook.state) : STATES.length);

function WebhookTable({ id, rows }) {
	const columns = [
		{
			title: "Webhook",
			kind: "long",
			cell: row => {
				const [host, path] = urlParts(row.url);
				return html`
					<a href=${link(`campaigns/${id}/webhooks/${row.referenceId}`)}>${host}</a><br />
					<span class="muted">${path}</span>`;
			},
		},
		{
			title: "Status",
			cell: row => {
				if (row.state !== "failing")
					return stateChip(row);
				const error = outcome(row.last_status, row.last_error);
				return html`${stateChip(row)}<br /><span class="muted">for ${lasting(row.failing_since)}: ${error}</span>`;
			},
		},
		{
			title: "Last 24 hours",
			kind: "number",
			cell: ({ last_24_hours: last }) => {
				if (!last?.attempts)
					return html`<span class="muted">nothing sent</span>`;
				return html`
					${percent(last.delivered, last.attempts)}<br />
					<span class="muted">${plural(last.attempts, "attempt")}</span>`;
			},
		},
		{ title: "Pending", cell: row => html`<${Waiting} at=${row.oldest_due} />` },
		{ title: "Last success", cell: row => html`<${Time} at=${row.last_delivery_at} none="never" />` },
		{
			title: "Events",
			cell: row => (row.events.length === Object.keys(EVENTS).length ? "all" : row.events.map(eventName).join(", ")),
		},
	];
	const sorted = [...rows].sort((a, b) => rank(a) - rank(b));
	return html`<${Table} name="Webhooks" id=${row => row.referenceId} rows=${sorted} columns=${columns} />`;
}

export function Webhooks({ id, query }) {
	const live = useLive(`campaigns/${id}/webhooks`, {}, { every: 10 });
	useEffect(() => {
		if (query.add) {
			setQuery({ add: null });
			addWebhook(id, live.reload);
		}
	}, [query.add]);
	const add = () => addWebhook(id, live.reload);
	const actions = html`
		<${Updated} live=${live} />
		<${Button} kind="primary" onClick=${add}>Add webhook<//>`;
	const none = html`
		<${Empty} title="No webhooks yet">
			<p>
				A webhook sends each sign-up to another system, such as your CRM or newsletter, at once. When that system is down,
				deliveries are retried for three days.
			</p>
			<${Button} kind="primary" onClick=${add}>Add the first webhook<//>
		<//>`;
	return html`
		<${Page} title="Webhooks" above=${html`<${Crumbs} id=${id} />`} actions=${actions}>
			<${Loaded} live=${live}>${rows => (rows.length === 0 ? none : html`<${WebhookTable} id=${id} rows=${rows} />`)}<//>
		<//>`;
}
