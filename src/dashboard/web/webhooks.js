// SPDX-License-Identifier: MIT
// The webhooks of a campaign: state, health, tests, settings.
import { useEffect, useState } from "./hooks.js";
import { get, patch, post, remove } from "./api.js";
import { Chart } from "./chart.js";
import { count, duration, lasting, percent, plural, rfc3339 } from "./format.js";
import { campaignName } from "./frame.js";
import { refresh, useList, useLive } from "./live.js";
import { go, link, setQuery } from "./route.js";
import { RECEIVERS } from "./receivers.js";
import { DeliveryTable } from "./deliveries.js";
import { EVENTS, eventName, outcome, urlParts } from "./words.js";
import {
	Button,
	Chip,
	Choices,
	Code,
	Dialog,
	Empty,
	Facts,
	Field,
	Form,
	Loaded,
	Notice,
	Page,
	Problem,
	Table,
	Tile,
	Time,
	Waiting,
	Updated,
	ask,
	html,
	openDialog,
	toast,
	useForm,
} from "./ui.js";

const RETRY_MS = 2000; // until the result of a retry is shown
const HOUR = 3600e3,
	TEST_WAITS = [500, 500, 1000, 1000, 2000, 2000, 5000, 5000, 10000, 10000, 10000];

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

/* ---- words ---- */

export function stateChip(webhook) {
	if (webhook.gone)
		return html`<${Chip} tone="bad">gone<//>`;
	if (webhook.state === "disabled")
		return html`<${Chip} tone="wait">disabled<//>`;
	return webhook.state === "failing" ? html`<${Chip} tone="bad">failing<//>` : html`<${Chip} tone="good">working<//>`;
}

/** State, cause and what happens next, in sentences. */
function StateSentence({ webhook }) {
	if (webhook.gone)
		return html`<${Notice} tone="bad"><p><strong>The receiver answered 410 Gone.</strong> New events are not stored for it. Enable the webhook when the receiver is back.</p><//>`;
	if (webhook.state === "disabled")
		return html`<${Notice} tone="wait"><p><strong>Disabled.</strong> Events are stored and sent when the webhook is enabled.${webhook.failing_since ? " It was disabled because it failed for days." : ""}</p><//>`;
	if (webhook.state !== "failing")
		return webhook.last_delivery_at
			? html`<${Notice} tone="good"><p><strong>Working.</strong> Last successful delivery <${Time} at=${webhook.last_delivery_at} />.</p><//>`
			: html`<${Notice}><p><strong>No leads sent yet.</strong> Send a test or wait for the first event.</p><//>`;
	return html`<${Notice} tone="bad"><p><strong>Failing for ${lasting(webhook.failing_since)}.</strong> ${plural(webhook.failures, "failed attempt")} in a row. Last error: ${outcome(webhook.last_status, webhook.last_error)}.
		${webhook.breaker === "open" ? " The circuit breaker is open: only single probes are sent until one succeeds." : " Deliveries are retried with increasing delays."}
		${webhook.held_until ? html` The next attempt is <${Time} at=${webhook.held_until} />.` : ""} ${webhook.pending ? `${plural(webhook.pending, "delivery is", "deliveries are")} pending.` : ""}</p><//>`;
}

/* ---- adding ---- */

const eventOptions = Object.entries(EVENTS).map(([code, [name, why]]) => [code, name, why]);
const USUAL = ["new_signup", "verified"];

function Secret({ secret, test, close }) {
	const [language, set] = useState(0);
	return html`<${Dialog} wide title="Webhook secret" close=${() => close()}>
		<p>Your receiver verifies requests with this secret. <strong>It is shown only once.</strong> Store it where your receiver reads it.</p>
		<${Code} text=${secret} what="the secret" />
		${test}
		<details><summary>For developers: sample receiver</summary><div class="stack">
		<div class="segments" role="group" aria-label="Language">${RECEIVERS.map(([name], at) => html`<button type="button" class="small" key=${name} aria-pressed=${language === at} onClick=${() => set(at)}>${name}</button>`)}</div>
		<${Code} text=${RECEIVERS[language][1](secret)} what="the receiver" /></div></details>
		<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>I have stored the secret</button></div><//>`;
}

function Add({ campaign, close }) {
	const form = useForm({ url: "https://", events: USUAL, format: "json" });
	async function submit() {
		if (form.values.events.length === 0)
			throw Object.assign(new Error(""), { fields: { events: "Select at least one event." } });
		const { value } = await post(`campaigns/${campaign}/webhooks`, {
			url: form.values.url.trim(),
			events: form.values.events,
			format: form.values.format,
		});
		close({ ...value, url: form.values.url.trim() });
	}
	return html`<${Dialog} wide title="Add a webhook" close=${() => close()}><${Form} form=${form} onSubmit=${submit} submit="Add webhook" cancel=${() => close()}>
		<${Field} form=${form} name="url" label="Webhook URL" type="url" inputmode="url" hint="The address that your CRM, automation tool or server gives you for webhooks. Only new events are sent: export leads that you already have as CSV." />
		<${Choices} form=${form} name="events" label="Events" options=${eventOptions} />
		<${Field} form=${form} name="format" label="Format" type="select" options=${[
			["json", "JSON (most receivers)"],
			["form", "Form fields"],
		]} />
	<//><//>`;
}

export async function addWebhook(campaign, reload) {
	const made = await openDialog(close => html`<${Add} campaign=${campaign} close=${close} />`);
	if (!made)
		return;
	reload?.();
	if (made.secret)
		await openDialog(close => html`<${Secret} secret=${made.secret} close=${close} test=${html`<${Test} id=${made.id} />`} />`);
	go(`campaigns/${campaign}/webhooks/${made.id}`);
}

/* ---- testing ---- */

function TestResult({ job }) {
	if (!job)
		return null;
	if (job.state === "failed")
		return html`<${Notice} tone="bad"><p>The test failed: ${job.error}</p><//>`;
	if (!job.ended_at)
		return html`<${Notice}><p role="status">${job.gaveUp ? "The test is still queued. Check that the dispatcher is running." : "Sending a sample lead…"}</p><//>`;
	const { ok, status, error, duration_ms, answer } = job.result;
	return html`<${Notice} tone=${ok ? "good" : "bad"}><div class="prose"><p role="status"><strong>${ok ? "Success" : "Failed"}:</strong> ${outcome(status, error)}${duration_ms === null ? "" : ` in ${duration(duration_ms)}`}.</p>
		${answer && html`<pre class="answer" tabindex="0">${answer}</pre>`}</div><//>`;
}

function Test({ id }) {
	const [job, set] = useState(null);
	async function test() {
		const { value } = await post(`webhooks/${id}/test`);
		set(value);
		const last = await waitForJob(value, set);
		set(last.ended_at ? last : { ...last, gaveUp: true });
	}
	return html`<div class="stack"><div><${Button} onClick=${test}>Send a test<//></div><${TestResult} job=${job} /></div>`;
}

/* ---- the list ---- */

export function Webhooks({ id, query }) {
	const live = useLive(`campaigns/${id}/webhooks`, {}, { every: 10 });
	useEffect(() => {
		if (query.add) {
			setQuery({ add: null });
			addWebhook(id, live.reload);
		}
	}, [query.add]);
	return html`<${Page} title="Webhooks" above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>`} actions=${html`<${Updated} live=${live} />
			<${Button} kind="primary" onClick=${() => addWebhook(id, live.reload)}>Add webhook<//>`}>
		<${Loaded} live=${live}>${rows =>
			rows.length === 0
				? html`<${Empty} title="No webhooks yet">
				<p>A webhook sends each sign-up to another system, such as your CRM or newsletter, at once. When that system is down, deliveries are retried for three days.</p>
				<${Button} kind="primary" onClick=${() => addWebhook(id, live.reload)}>Add the first webhook<//><//>`
				: html`<${Table} name="Webhooks" id=${row => row.referenceId} rows=${[...rows].sort((a, b) => (a.state === "failing" ? 0 : a.state === "disabled" ? 1 : 2) - (b.state === "failing" ? 0 : b.state === "disabled" ? 1 : 2))} columns=${[
						{
							title: "Webhook",
							kind: "long",
							cell: row => {
								const [host, path] = urlParts(row.url);
								return html`<a href=${link(`campaigns/${id}/webhooks/${row.referenceId}`)}>${host}</a><br /><span class="muted">${path}</span>`;
							},
						},
						{
							title: "Status",
							cell: row =>
								html`${stateChip(row)}${row.state === "failing" ? html`<br /><span class="muted">for ${lasting(row.failing_since)}: ${outcome(row.last_status, row.last_error)}</span>` : ""}`,
						},
						{
							title: "Last 24 hours",
							kind: "number",
							cell: row =>
								!row.last_24_hours?.attempts
									? html`<span class="muted">nothing sent</span>`
									: html`${percent(row.last_24_hours.delivered, row.last_24_hours.attempts)}
					<br /><span class="muted">${plural(row.last_24_hours.attempts, "attempt")}</span>`,
						},
						{
							title: "Pending",
							cell: row =>
								html`<${Waiting} at=${row.oldest_due} />`,
						},
						{ title: "Last success", cell: row => html`<${Time} at=${row.last_delivery_at} none="never" />` },
						{
							title: "Events",
							cell: row =>
								row.events.length === Object.keys(EVENTS).length ? "all" : row.events.map(eventName).join(", "),
						},
					]} />`}<//>
	<//>`;
}

/* ---- one webhook ---- */

function Settings({ webhook, tag, reload }) {
	const form = useForm({
		events: webhook.events,
		format: webhook.format,
		rate: String(webhook.rate || 0),
		schedule: webhook.schedule || "",
	});
	async function submit() {
		await patch(
			`webhooks/${webhook.referenceId}`,
			{
				events: form.values.events,
				format: form.values.format,
				rate: Number(form.values.rate),
				schedule: form.values.schedule.trim(),
			},
			tag,
		);
		toast("Saved");
		reload();
	}
	return html`<details class="card"><summary>Events and settings</summary><${Form} form=${form} onSubmit=${submit} submit="Save">
		<${Choices} form=${form} name="events" label="Events" options=${eventOptions} />
		<${Field} form=${form} name="format" label="Format" type="select" options=${[
			["json", "JSON"],
			["form", "Form fields"],
		]} hint="Applies to new deliveries." />
		<${Field} form=${form} name="rate" label="Rate limit (deliveries per second)" inputmode="numeric" hint="0 means no limit." />
		<${Field} form=${form} name="schedule" label="Retry schedule" placeholder="5s 1m 10m 1h 6h" hint="Delays between attempts. Leave empty for the default of the installation." />
	<//></details>`;
}

const SINCE = [
	["8h", "8 hours", 8],
	["24h", "24 hours", 24],
	["3d", "3 days", 72],
	["7d", "7 days", 168],
	["all", "All stored deliveries", 0],
];

function Redeliver({ campaign, webhook, close }) {
	const form = useForm({ state: webhook.pending > 0 ? "pending" : "failed", since: "24h" });
	const [job, setJob] = useState(null);
	const hours = SINCE.find(([key]) => key === form.values.since)[2];
	const filter = {
		webhook: webhook.referenceId,
		state: form.values.state,
		since: hours ? rfc3339(new Date(Math.floor(Date.now() / HOUR) * HOUR - hours * HOUR)) : undefined,
	};
	const found = useList(job ? null : `campaigns/${campaign}/deliveries/count`, filter, { every: 0 });
	async function submit() {
		const body = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ""));
		const { value } = await post(`campaigns/${campaign}/redeliver`, body);
		setJob(value);
		setJob(await waitForJob(value, setJob, Array(120).fill(2000)));
	}
	const cancel = async () => setJob((await post(`jobs/${job.id}/cancel`)).value);
	return html`<${Dialog} title="Resend deliveries" close=${() => close()}>
		${
			job
				? html`<${Notice} tone=${job.state === "done" ? "good" : job.state === "failed" ? "bad" : "plain"}><p role="status">
			${job.state === "done" ? `Done: ${plural(job.result?.queued || 0, "delivery", "deliveries")} queued.` : job.state === "failed" ? job.error : job.state === "cancelled" ? `Cancelled. ${plural(job.done, "delivery", "deliveries")} were queued before that.` : `In progress: ${count(job.done)} so far.`}</p><//>
			<div class="buttons">${!job.ended_at && html`<${Button} onClick=${cancel}>Cancel<//>`}<button type="button" class="primary" onClick=${() => close(true)}>Close</button></div>`
				: html`<${Form} form=${form} onSubmit=${submit} submit="Resend" cancel=${() => close()}>
			<${Field} form=${form} name="state" label="Deliveries" type="select" options=${[
				["pending", "Pending (retried now)"],
				["failed", "Failed"],
				["delivered", "Delivered (the receiver gets them again)"],
				["", "All (the receiver gets delivered ones again)"],
			]} />
			<${Field} form=${form} name="since" label="From the last" type="select" options=${SINCE.map(([key, text]) => [key, text])} />
			<p class="muted" role="status">${found ? `${plural(found.count, "delivery", "deliveries")}${found.more ? " or more" : ""} will be resent.` : "Counting…"}</p>
		<//>`
		}<//>`;
}

/** "3 × HTTP 5xx, 1 without a response". */
const errorsOf = totals =>
	[
		totals.answers_4xx > 0 && `${count(totals.answers_4xx)} × HTTP 4xx`,
		totals.answers_5xx > 0 && `${count(totals.answers_5xx)} × HTTP 5xx`,
		totals.no_answer > 0 && `${count(totals.no_answer)} without a response`,
	]
		.filter(Boolean)
		.join(", ");

function Attempts({ id }) {
	const now = Math.ceil(Date.now() / HOUR) * HOUR;
	const live = useLive(`webhooks/${id}/stats`, { by: "hour", since: rfc3339(new Date(now - 48 * HOUR)) }, { every: 30 });
	return html`<section class="card"><h2>Last 48 hours</h2><${Loaded} live=${live}>${stats => html`
		<div class="tiles"><${Tile} label="Attempts" value=${count(stats.totals.attempts)} />
			<${Tile} label="Delivered" value=${percent(stats.totals.delivered, stats.totals.attempts)} note=${`${plural(stats.totals.delivered, "delivery", "deliveries")}, ${count(stats.totals.failed)} failed for good`} />
			<${Tile} label="Response time" value=${stats.totals.p50_ms === null ? "–" : duration(stats.totals.p50_ms)} note=${stats.totals.p95_ms === null ? "" : `95 % within ${duration(stats.totals.p95_ms)}`} />
			<${Tile} label="Errors" tone=${stats.totals.answers_4xx + stats.totals.answers_5xx + stats.totals.no_answer ? "bad" : ""} value=${count(stats.totals.answers_4xx + stats.totals.answers_5xx + stats.totals.no_answer)}
				note=${errorsOf(stats.totals)} /></div>
		${
			stats.totals.attempts > 0 &&
			html`<${Chart} points=${stats.points} by="hour" label="Attempts by hour" series=${[
				["delivered", "Delivered", 1],
				["answers_4xx", "HTTP 4xx", 3],
				["answers_5xx", "HTTP 5xx", 4],
				["no_answer", "No response", 2],
			]} />`
		}`}<//></section>`;
}

export function Webhook({ id, webhook: number }) {
	const live = useLive(`webhooks/${number}`, {}, { every: 10 });
	const failed = useLive(`campaigns/${id}/deliveries`, { webhook: number, state: "failed", limit: 5 }, { every: 10 });
	const pending = useLive(`campaigns/${id}/deliveries`, { webhook: number, state: "pending", limit: 5 }, { every: 10 });
	const title = live.value ? urlParts(live.value.url).join("") : "Webhook";
	const act = (word, text) => async () => {
		await post(`webhooks/${number}/${word}`);
		toast(
			text,
			word === "disable"
				? async () => {
						await post(`webhooks/${number}/enable`);
						live.reload();
					}
				: undefined,
		);
		live.reload();
	};
	const retry = async () => {
		await post(`webhooks/${number}/enable`); // ends a pause
		await post(`campaigns/${id}/redeliver`, { webhook: Number(number), state: "pending" });
		toast("Pending deliveries are sent now.");
		setTimeout(refresh, RETRY_MS);
	};
	const rotate = () =>
		ask({
			title: "Rotate the secret?",
			verb: "Rotate secret",
			danger: false,
			text: html`<p>For a while, requests are signed with both the old and the new secret, so that you can update your receiver without losing deliveries.</p>`,
			work: async () => {
				const { value } = await post(`webhooks/${number}/rotate`);
				live.reload();
				setTimeout(() => openDialog(close => html`<${Secret} secret=${value.secret} close=${close} />`));
			},
		});
	const drop = webhook =>
		ask({
			title: "Remove this webhook?",
			verb: "Remove webhook",
			text: html`<p>No more events are sent to <strong>${webhook.url}</strong>. ${plural(webhook.pending, "pending delivery", "pending deliveries")} will fail.</p>`,
			work: async () => {
				await remove(`webhooks/${number}`);
				toast("The webhook was removed");
				go(`campaigns/${id}/webhooks`);
			},
		});
	const again = webhook =>
		openDialog(
			close =>
				html`<${Redeliver} campaign=${id} webhook=${webhook} close=${done => {
					close();
					if (done) {
						failed.reload();
						pending.reload();
					}
				}} />`,
		);
	return html`<${Page} title=${title} above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a> › <a href=${link(`campaigns/${id}/webhooks`)}>Webhooks</a>`} actions=${html`<${Updated} live=${live} />`}>
		<${Loaded} live=${live} lines=${8}>${(webhook, { tag }) => html`
			<${StateSentence} webhook=${webhook} />
			<div class="buttons">
				${
					webhook.state === "disabled" || webhook.gone
						? html`<${Button} kind="primary" onClick=${act("enable", "Enabled. Pending deliveries are sent now.")}>Enable<//>`
						: html`${webhook.pending > 0 && html`<${Button} kind="primary" onClick=${retry}>Retry now<//>`}<${Button} onClick=${act("disable", "Disabled. Events stay queued.")}>Disable<//>`
				}
				<${Button} onClick=${() => again(webhook)}>Resend deliveries…<//><${Button} onClick=${rotate}>Rotate secret…<//><${Button} kind="danger" onClick=${() => drop(webhook)}>Remove…<//></div>
			<section class="card"><h2>Test</h2><p class="muted">Sends a sample lead and shows the response of the receiver.</p><${Test} id=${number} /></section>
			<${Attempts} id=${number} />
			<section class="card"><header><h2>Pending</h2>${webhook.pending > 0 && html`<a href=${link(`campaigns/${id}/deliveries`, { webhook: number, state: "pending" })}>Show all ${count(webhook.pending)}</a>`}</header>
				<${Loaded} live=${pending}>${rows => (rows.length === 0 ? html`<p class="muted">No pending deliveries.</p>` : html`<${DeliveryTable} campaign=${id} rows=${rows} />`)}<//></section>
			<section class="card"><header><h2>Failed</h2><a href=${link(`campaigns/${id}/deliveries`, { webhook: number, state: "failed" })}>Show all</a></header>
				<${Loaded} live=${failed}>${rows => (rows.length === 0 ? html`<p class="muted">No failed deliveries.</p>` : html`<${DeliveryTable} campaign=${id} rows=${rows} />`)}<//></section>
			<section class="card"><h2>Details</h2><${Facts} rows=${[
				["URL", html`<code>${webhook.url}</code>`],
				["Events", webhook.events.map(eventName).join(", ")],
				["Format", webhook.format === "json" ? "JSON" : "form fields"],
				webhook.previous_secret_until && [
					"Previous secret",
					html`valid until <${Time} at=${webhook.previous_secret_until} />`,
				],
				["Last success", html`<${Time} at=${webhook.last_delivery_at} none="never" />`],
			]} /></section>
			<${Settings} key=${webhook.referenceId} webhook=${webhook} tag=${tag} reload=${live.reload} />`}<//>
	<//>`;
}
