// SPDX-License-Identifier: MIT
// The webhooks of a campaign: the list, adding, editing and testing them.
import { useEffect, useState } from "./hooks.js";
import { get, patch, post, runJob } from "./api.js";
import { count, duration, lasting, plural } from "./format.js";
import { useLive } from "./live.js";
import { go, link, setQuery } from "./route.js";
import { RECEIVERS } from "./receivers.js";
import { store, useStore } from "./store.js";
import { EVENTS, PAGE_SHOWN, eventName, explained, isRedirect, outcome, redirectMeaning, statusHint, urlParts } from "./words.js";
import { Choices, Field, FormDialog, wrongField } from "./forms.js";
import {
	Box, Button, Chip, Code, Dialog, Empty, List, Notice, Page, Segments, Table, Time, Waiting, html, openDialog, toast,
} from "./ui.js";

/* ---- testing ---- */

const lastTests = store({}); // by id of the webhook: the last result since the page was loaded

/** A sentence about the last test of a webhook; undefined: there was none since the page was loaded. */
export function useLastTest(id) {
	const result = useStore(lastTests)[id];
	return result && `The last test ${result.ok ? "succeeded" : "failed"}: ${testOutcome(result)}.`;
}

const testOutcome = ({ status, error, duration_ms }) =>
	error ? outcome(status, error) : `${isRedirect(status) ? outcome(status) : explained(status)} in ${duration(duration_ms)}`;

/** Where a redirect points, what it means, and buttons for the change that helps: `accept` or `move`. */
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
		return html`<${Notice} tone="bad">The test failed: ${job.error}<//>`;
	if (job.gaveUp)
		return html`<${Notice} role="status">The test is still queued. Check that the dispatcher is running.<//>`;
	if (!job.ended_at)
		return html`<${Notice} role="status">Sending a sample lead…<//>`;
	const { ok, error, answer } = job.result;
	const host = error ? `${urlParts(url)[0]}: ` : "";
	return html`
		<${Box} tone=${ok ? "good" : "bad"}>
			<div class="prose">
				<p role="status"><strong>${ok ? "Success" : "Failed"}:</strong> ${host}${testOutcome(job.result)}.</p>
				<${Redirect} result=${job.result} accept=${accept} move=${move} />
				${answer && html`<pre class="answer" tabindex="0">${answer}</pre>`}
			</div>
		<//>`;
}

const hasFailed = job => job?.ended_at && !job.result?.ok;

/** A button that sends a test to the URL, and the result. `edited` gets the webhook after the user has changed it. */
export function Test({ id, url, edited }) {
	const [job, set] = useState(null);
	async function test() {
		const last = await runJob(`webhooks/${id}/test`, {}, set);
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
		<${Dialog} wide title="Webhook secret" close=${close}>
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
				If you do not need it now, close this dialog. “Rotate secret” creates a new one whenever your receiver needs it.
			</p>
			<div class="buttons">
				<button type="button" class="primary" onClick=${() => close()}>I have stored the secret</button>
				<button type="button" onClick=${() => close()}>Close</button>
			</div>
		<//>`;
}

const URL_HINT =
	"The address that your CRM, automation tool or server gives you for webhooks. " +
	"Only new events are sent. To transfer existing leads, export them as CSV.";
const NEW_URL_HINT =
	"Pending deliveries go to a new URL as well, when they are due. The secret stays. " +
	"A webhook that is disabled stays disabled until you enable it.";

const SCHEME = "[a-z][a-z0-9+.-]*://";
/** The URL that was probably meant: a missing scheme is added, and of several schemes, only the last one stays. */
function completeUrl(text) {
	const url = text.trim().replace(new RegExp(`^(?:${SCHEME})+(?=${SCHEME})`, "i"), "");
	return url === "" || new RegExp(`^${SCHEME}`, "i").test(url) ? url : `https://${url.replace(/^\/+/, "")}`;
}

const UrlField = ({ form, hint }) => html`
	<${Field} form=${form} name="url" label="Webhook URL" type="url" inputmode="url" hint=${hint}
		placeholder="https://example.com/webhook" onBlur=${() => form.set("url", completeUrl(form.values.url))} />`;

const EventsField = ({ form }) => html`<${Choices} form=${form} name="events" label="Events" options=${eventOptions} />`;

/** The values, with a complete URL. Throws an error if one is wrong. */
function completed(values, form) {
	const url = completeUrl(values.url);
	if (url === "")
		throw wrongField("url", "Enter the URL of your receiver.");
	if (values.events.length === 0)
		throw wrongField("events", "Select at least one event.");
	if (url !== values.url) form.set("url", url);
	return { ...values, url };
}

const FORMAT_HINT = "Receivers that verify signatures with verify() of a Standard Webhooks library need JSON.";
const formats = json => [["json", json], ["form", "Form fields"]];

function Add({ campaign, close }) {
	async function save(typed, form) {
		const values = completed(typed, form);
		const { value } = await post(`campaigns/${campaign}/webhooks`, values);
		return { ...value, url: values.url };
	}
	return html`
		<${FormDialog} wide title="Add a webhook" submit="Add webhook" close=${close}
			values=${{ url: "", events: USUAL, format: "json" }} save=${save}>
			${form => html`
				<${UrlField} form=${form} hint=${URL_HINT} />
				<${EventsField} form=${form} />
				<${Field} form=${form} name="format" label="Format" type="select" hint=${FORMAT_HINT}
					options=${formats("JSON (most receivers)")} />`}
		<//>`;
}

function Edit({ webhook, tag, given, close }) {
	const { referenceId: id, url: stored, events, format, accepts } = webhook;
	const values = {
		url: stored || "",
		events,
		format,
		rate: String(webhook.rate || 0),
		schedule: webhook.schedule || "",
		redirects: accepts.length > 0,
		...given,
	};
	async function save(typed, form) {
		const { rate, schedule, url, redirects, ...rest } = completed(typed, form);
		const changes = { ...rest, rate: Number(rate), schedule: schedule.trim() };
		if (url !== stored) changes.url = url;
		if (redirects !== accepts.length > 0) changes.accepts = redirects ? PAGE_SHOWN : [];
		return (await patch(`webhooks/${id}`, changes, tag)).value;
	}
	return html`
		<${FormDialog} wide title="Edit the webhook" submit="Save" close=${close} values=${values} save=${save}>
			${form => html`
				<${UrlField} form=${form} hint=${NEW_URL_HINT} />
				<${EventsField} form=${form} />
				<${Field} form=${form} name="format" label="Format" type="select" hint=${`Applies to new deliveries. ${FORMAT_HINT}`}
					options=${formats("JSON")} />
				<${Field} form=${form} name="rate" label="Rate limit (deliveries per second)" type="number"
					hint="0 means no limit." />
				<${Field} form=${form} name="schedule" label="Retry schedule" placeholder="5s 1m 10m 1h 6h"
					hint="Delays between attempts. Leave empty for the default of the installation." />
				<${Field} form=${form} name="redirects" label="Redirects (302, 303) count as delivered" type="check"
					hint="For receivers that show a page after their work, such as Google Apps Script and form scripts." />`}
		<//>`;
}

/** Lets the user edit a webhook; `given` replaces its values. Resolves to the saved webhook; undefined: it was not saved. */
export async function editWebhook(id, given) {
	const { value, tag } = await get(`webhooks/${id}`);
	const saved = await openDialog(Edit, { webhook: value, tag, given });
	if (saved) toast("Saved");
	if (saved && saved.url !== value.url) lastTests.set(all => ({ ...all, [id]: undefined }));
	return saved;
}

/** The secret of a new webhook, and a test. */
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
	const made = await openDialog(Add, { campaign });
	if (!made)
		return;
	reload?.();
	if (made.secret) await openDialog(Added, { made, reload });
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

/** Failing webhooks come first, then disabled ones. */
const STATES = ["failing", "disabled"];
const rank = webhook => (STATES.includes(webhook.state) ? STATES.indexOf(webhook.state) : STATES.length);

function WebhookState({ webhook }) {
	if (webhook.state !== "failing")
		return stateChip(webhook);
	const { last_status: status } = webhook;
	return html`
		${stateChip(webhook)}<br />
		<span class="muted" title=${statusHint(status)}>
			for ${lasting(webhook.failing_since)}: ${status ? outcome(status) : "no response"}
		</span>`;
}

function lastDay({ last_24_hours: last }) {
	if (!last?.attempts)
		return html`<span class="muted">nothing sent</span>`;
	return `${count(last.delivered)} of ${plural(last.attempts, "attempt")} succeeded`;
}

const columnsOf = id => [
	["Webhook", row => html`
		<a href=${link(`campaigns/${id}/webhooks/${row.referenceId}`)}>${urlParts(row.url)[0]}</a><br />
		<span class="muted">${urlParts(row.url)[1]}</span>`, "long"],
	["Status", row => html`<${WebhookState} webhook=${row} />`],
	["Last 24 hours", lastDay],
	["Pending since", row => html`<${Waiting} at=${row.oldest_due} />`],
	["Last success", row => html`<${Time} at=${row.last_delivery_at} none="never" />`],
	["Events", row => (row.events.length === Object.keys(EVENTS).length ? "all" : row.events.map(eventName).join(", "))],
];

const WebhookTable = ({ id, rows }) => html`
	<${Table} name="Webhooks" id=${row => row.referenceId} rows=${[...rows].sort((a, b) => rank(a) - rank(b))} columns=${columnsOf(id)} />`;

export function Webhooks({ id, query }) {
	const live = useLive(`campaigns/${id}/webhooks`, {}, { every: 10 });
	useEffect(() => {
		if (query.add) {
			setQuery({ add: null });
			addWebhook(id, live.reload);
		}
	}, [query.add]);
	const add = () => addWebhook(id, live.reload);
	const none = html`
		<${Empty} title="No webhooks yet">
			<p>
				A webhook sends each sign-up to another system, such as your CRM or newsletter, at once. When that system is down,
				deliveries are retried for three days.
			</p>
			<${Button} kind="primary" onClick=${add}>Add the first webhook<//>
		<//>`;
	return html`
		<${Page} title="Webhooks" campaign=${id} live=${live} actions=${html`<${Button} kind="primary" onClick=${add}>Add webhook<//>`}>
			<${List} live=${live} none=${none}>${rows => html`<${WebhookTable} id=${id} rows=${rows} />`}<//>
		<//>`;
}
