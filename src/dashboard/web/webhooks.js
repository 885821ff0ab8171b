// SPDX-License-Identifier: MIT
// The webhooks of a campaign: the list, adding and editing one, tests.
import { useEffect, useState } from "./hooks.js";
import { get, patch, post } from "./api.js";
import { count, duration, lasting, plural } from "./format.js";
import { Crumbs } from "./frame.js";
import { useLive } from "./live.js";
import { go, link, setQuery } from "./route.js";
import { RECEIVERS } from "./receivers.js";
import { store, useStore } from "./store.js";
import { EVENTS, PAGE_SHOWN, eventName, explained, isRedirect, outcome, redirectMeaning, statusHint, urlParts } from "./words.js";
import { Choices, Field, FormDialog, useForm, wrongField } from "./forms.js";
import {
	Button, Chip, Code, Dialog, Empty, Loaded, Notice, Page, Segments, Table, Time, Updated, Waiting, html, openDialog, toast,
} from "./ui.js";

const TEST_WAITS = [500, 500, 1000, 1000, 2000, 2000, 5000, 5000, 10000, 10000, 10000];

/* ---- jobs of the dispatcher ---- */

/** Waits until a job has ended, `report` gets it each time. */
export async function waitForJob(job, report = () => {}, waits = TEST_WAITS) {
	for (const wait of waits) {
		if (job.ended_at)
			return job;
		await new Promise(done => setTimeout(done, wait));
		job = (await get(`jobs/${job.id}`)).value;
		report(job);
	}
	return job;
}

/** Why a test email was not sent, as far as its job has come, in a sentence; undefined: it was sent. */
export function mailTestProblem({ ended_at, state, error, result }) {
	if (!ended_at)
		return "The test is still queued. Check that the dispatcher is running.";
	if (state === "done" && result?.ok !== false)
		return undefined;
	return error || result?.answer || result?.error || "The test email was not sent.";
}

/* ---- testing ---- */

const lastTests = store({}); // by id of the webhook: results of this page, the last one each

/** The result of the last test of a webhook in a sentence; undefined if there was none since the page was loaded. */
export function useLastTest(id) {
	const result = useStore(lastTests)[id];
	return result && `The last test ${result.ok ? "succeeded" : "failed"}: ${testOutcome(result)}.`;
}

const testOutcome = ({ status, error, duration_ms }) =>
	error ? outcome(status, error) : `${isRedirect(status) ? outcome(status) : explained(status)} in ${duration(duration_ms)}`;

/** Where a redirect points, what it means, and the change that helps. `accept` and `move` make the changes. */
function Redirect({ result: { ok, status, location, moved }, accept, move }) {
	if (!isRedirect(status))
		return null;
	return html`
		<p>It redirects to ${location ? html`<code>${location}</code>` : "no address"}. ${!ok && redirectMeaning(status, moved)}</p>
		<div class="buttons">
			${moved && html`<${Button} onClick=${() => move(location)}>Use the new URL…<//>`}
			${!ok && !moved && PAGE_SHOWN.includes(status) && html`<${Button} onClick=${accept}>Count redirects as delivered<//>`}
		</div>`;
}

function TestResult({ job, url, accept, move }) {
	if (!job)
		return null;
	if (job.state === "failed")
		return html`<${Notice} tone="bad"><p>The test failed: ${job.error}</p><//>`;
	if (job.gaveUp)
		return html`
			<${Notice}><p role="status">The test is still queued. Check that the dispatcher is running.</p><//>`;
	if (!job.ended_at)
		return html`<${Notice}><p role="status">Sending a sample lead…</p><//>`;
	const { ok, error, answer } = job.result;
	const host = error ? `${urlParts(url)[0]}: ` : "";
	return html`
		<${Notice} tone=${ok ? "good" : "bad"}>
			<div class="prose">
				<p role="status"><strong>${ok ? "Success" : "Failed"}:</strong> ${host}${testOutcome(job.result)}.</p>
				<${Redirect} result=${job.result} accept=${accept} move=${move} />
				${answer && html`<pre class="answer" tabindex="0">${answer}</pre>`}
			</div>
		<//>`;
}

const hasFailed = job => job?.ended_at && !job.result?.ok;

/** Sends a test. `url`: where it goes; `edited` is called after the user has changed it. */
export function Test({ id, url, edited }) {
	const [job, set] = useState(null);
	async function test() {
		const { value } = await post(`webhooks/${id}/test`);
		set(value);
		const last = await waitForJob(value, set);
		set(last.ended_at ? last : { ...last, gaveUp: true });
		if (last.result) lastTests.set(all => ({ ...all, [id]: last.result }));
	}
	async function edit(given) {
		const saved = await editWebhook(id, given);
		if (saved) {
			set(null);
			edited(saved);
		}
	}
	async function accept() {
		const { value } = await patch(`webhooks/${id}`, { accepts: PAGE_SHOWN });
		toast("Redirects (302, 303) count as delivered now. Send another test.");
		set(null);
		edited(value);
	}
	return html`
		<div class="stack">
			<div class="buttons">
				<${Button} onClick=${test}>Send a test<//>
				${hasFailed(job) && html`<${Button} onClick=${() => edit()}>Change the URL<//>`}
			</div>
			<${TestResult} job=${job} url=${url} accept=${accept} move=${url => edit({ url })} />
		</div>`;
}

/* ---- adding and editing ---- */

const eventOptions = Object.entries(EVENTS).map(([code, [name, why]]) => [code, name, why]);
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
			<p class="hint">
				You do not need it now? Close this. “Rotate secret” in the webhook shows a new one whenever your receiver needs it.
			</p>
			<div class="buttons">
				<button type="button" class="primary" onClick=${() => close()}>I have stored the secret</button>
				<button type="button" onClick=${() => close()}>Close</button>
			</div>
		<//>`;
}

const URL_HINT =
	"The address that your CRM, automation tool or server gives you for webhooks. " +
	"Only new events are sent: export leads that you already have as CSV.";
const NEW_URL_HINT =
	"Pending deliveries go to a new URL as well, when they are due. The secret stays. " +
	"A webhook that is disabled stays disabled until you enable it.";

const SCHEME = "[a-z][a-z0-9+.-]*://";
/** The URL that was meant: with a scheme, and with the last one where a second one was pasted after the first. */
function completeUrl(text) {
	const url = text.trim().replace(new RegExp(`^(?:${SCHEME})+(?=${SCHEME})`, "i"), "");
	return url === "" || new RegExp(`^${SCHEME}`, "i").test(url) ? url : `https://${url.replace(/^\/+/, "")}`;
}

function UrlField({ form, hint }) {
	const complete = () => form.set("url", completeUrl(form.values.url));
	return html`
		<${Field} form=${form} name="url" label="Webhook URL" type="url" inputmode="url" hint=${hint}
			placeholder="https://example.com/webhook" onBlur=${complete} />`;
}

const EventsField = ({ form }) => html`<${Choices} form=${form} name="events" label="Events" options=${eventOptions} />`;

/** The values that are sent, completed; throws what is wrong. */
function valuesOf(form) {
	const url = completeUrl(form.values.url);
	if (url === "")
		throw wrongField("url", "Enter the URL of your receiver.");
	if (form.values.events.length === 0)
		throw wrongField("events", "Select at least one event.");
	if (url !== form.values.url) form.set("url", url);
	return { ...form.values, url };
}

const FORMAT_HINT = "Receivers that verify signatures with verify() of a Standard Webhooks library need JSON.";
const formats = json => [
	["json", json],
	["form", "Form fields"],
];

function Add({ campaign, close }) {
	const form = useForm({ url: "", events: USUAL, format: "json" });
	async function submit() {
		const values = valuesOf(form);
		const { value } = await post(`campaigns/${campaign}/webhooks`, values);
		close({ ...value, url: values.url });
	}
	return html`
		<${FormDialog} wide title="Add a webhook" close=${close} form=${form} onSubmit=${submit} submit="Add webhook">
			<${UrlField} form=${form} hint=${URL_HINT} />
			<${EventsField} form=${form} />
			<${Field} form=${form} name="format" label="Format" type="select" hint=${FORMAT_HINT}
				options=${formats("JSON (most receivers)")} />
		<//>`;
}

function Edit({ webhook, tag, given, close }) {
	const form = useForm({
		url: webhook.url || "",
		events: webhook.events,
		format: webhook.format,
		rate: String(webhook.rate || 0),
		schedule: webhook.schedule || "",
		redirects: webhook.accepts.length > 0,
		...given,
	});
	async function submit() {
		const { rate, schedule, url, redirects, ...rest } = valuesOf(form);
		const changes = { ...rest, rate: Number(rate), schedule: schedule.trim() };
		if (url !== webhook.url) changes.url = url;
		if (redirects !== webhook.accepts.length > 0) changes.accepts = redirects ? PAGE_SHOWN : [];
		close((await patch(`webhooks/${webhook.referenceId}`, changes, tag)).value);
	}
	return html`
		<${FormDialog} wide title="Edit the webhook" close=${close} form=${form} onSubmit=${submit} submit="Save">
			<${UrlField} form=${form} hint=${NEW_URL_HINT} />
			<${EventsField} form=${form} />
			<${Field} form=${form} name="format" label="Format" type="select" hint=${`Applies to new deliveries. ${FORMAT_HINT}`}
				options=${formats("JSON")} />
			<${Field} form=${form} name="rate" label="Rate limit (deliveries per second)" inputmode="numeric"
				hint="0 means no limit." />
			<${Field} form=${form} name="schedule" label="Retry schedule" placeholder="5s 1m 10m 1h 6h"
				hint="Delays between attempts. Leave empty for the default of the installation." />
			<${Field} form=${form} name="redirects" label="Redirects (302, 303) count as delivered" type="check"
				hint="For receivers that show a page after their work, such as Google Apps Script and form scripts." />
		<//>`;
}

/** Opens the form of a webhook, with the given values instead of its own. Returns the webhook as it was saved, undefined if it was not. */
export async function editWebhook(id, given) {
	const { value, tag } = await get(`webhooks/${id}`);
	const saved = await openDialog(close => html`<${Edit} webhook=${value} tag=${tag} given=${given} close=${close} />`);
	if (saved) toast("Saved");
	if (saved && saved.url !== value.url) lastTests.set(all => ({ ...all, [id]: undefined }));
	return saved;
}

/** The secret of a new webhook, with a test that goes to its present URL. */
function Added({ made, reload, close }) {
	const [url, set] = useState(made.url);
	const edited = saved => {
		set(saved.url);
		reload?.();
	};
	const test = html`<${Test} id=${made.id} url=${url} edited=${edited} />`;
	return html`<${Secret} secret=${made.secret} close=${close} test=${test} />`;
}

async function addWebhook(campaign, reload) {
	const made = await openDialog(close => html`<${Add} campaign=${campaign} close=${close} />`);
	if (!made)
		return;
	reload?.();
	if (made.secret) await openDialog(close => html`<${Added} made=${made} reload=${reload} close=${close} />`);
	go(`campaigns/${campaign}/webhooks/${made.id}`);
}

/* ---- the list ---- */

function stateChip(webhook) {
	if (webhook.gone)
		return html`<${Chip} tone="bad">answered 410<//>`;
	if (webhook.state === "disabled")
		return html`<${Chip} tone="wait">disabled<//>`;
	if (webhook.state === "failing")
		return html`<${Chip} tone="bad">failing<//>`;
	return webhook.last_delivery_at ? html`<${Chip} tone="good">working<//>` : html`<${Chip}>no deliveries yet<//>`;
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
				const error = row.last_status ? outcome(row.last_status) : "no response";
				return html`
					${stateChip(row)}<br />
					<span class="muted" title=${statusHint(row.last_status)}>for ${lasting(row.failing_since)}: ${error}</span>`;
			},
		},
		{
			title: "Last 24 hours",
			cell: ({ last_24_hours: last }) => {
				if (!last?.attempts)
					return html`<span class="muted">nothing sent</span>`;
				return `${count(last.delivered)} of ${plural(last.attempts, "attempt")} succeeded`;
			},
		},
		{ title: "Pending since", cell: row => html`<${Waiting} at=${row.oldest_due} />` },
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
