// SPDX-License-Identifier: MIT
// One webhook: state, test, attempts, deliveries.
import { useState } from "./hooks.js";
import { post, remove, runJob } from "./api.js";
import { Chart } from "./chart.js";
import { count, duration, full, lasting, percent, plural } from "./format.js";
import { refresh, useList, useLive } from "./live.js";
import { go, link } from "./route.js";
import { DeliveryTable } from "./deliveries.js";
import { eventName, explained, isRedirect, redirectMeaning, statusHint, urlParts } from "./words.js";
import { ConfirmButton, Field, Form, useForm } from "./forms.js";
import { Button, Card, Dialog, Facts, List, Loaded, Notice, Page, Tile, Time, html, openDialog, toast } from "./ui.js";
import { Secret, Test, editWebhook, useLastTest } from "./webhooks.js";
import { rfc3339 } from "./zone.js";

const RETRY_MS = 2000; // until the result of a retry is shown
const HOUR = 3600e3;

/* ---- state ---- */

const isOff = webhook => webhook.state === "disabled"; // also when the receiver answered 410

/** The state, its cause, and what happens next, in sentences. */
function StateSentence({ webhook }) {
	if (webhook.gone)
		return html`
			<${Notice} tone="bad">
				<strong>The receiver answered 410 Gone</strong>, so nothing is sent to it. Events are stored and sent when you enable
				the webhook: ${waiting(webhook)}. If the receiver has moved, edit the URL first. If it is gone for good, remove the
				webhook.
			<//>`;
	if (webhook.state === "disabled")
		return html`
			<${Notice} tone="wait" title="Disabled.">
				Events are stored and sent when the webhook is enabled: ${waiting(webhook)}.
				${webhook.failing_since && ` All attempts since ${full(webhook.failing_since)} failed. Last error: ${errorOf(webhook)}.`}
			<//>`;
	if (webhook.state === "failing")
		return html`<${FailingSentence} webhook=${webhook} />`;
	if (webhook.last_delivery_at)
		return html`
			<${Notice} tone="good" title="Working.">Last successful delivery <${Time} at=${webhook.last_delivery_at} />.<//>`;
	return html`<${UnusedSentence} webhook=${webhook} />`;
}

const waiting = ({ pending }) => (pending ? `${plural(pending, "delivery waits", "deliveries wait")}` : "none waits yet");

const errorOf = webhook => explained(webhook.last_status, webhook.last_error);

function UnusedSentence({ webhook }) {
	const test = useLastTest(webhook.referenceId);
	const next = pendingSentence(webhook) || "The first event will be sent at once.";
	return html`<${Notice} title="No deliveries to this URL yet.">${test || "Send a test."} ${next}<//>`;
}

const pendingSentence = ({ pending }) => (pending ? `${plural(pending, "delivery is", "deliveries are")} pending.` : "");

function FailingSentence({ webhook }) {
	const next =
		webhook.breaker === "open"
			? "One delivery at a time is tried until one succeeds."
			: "Deliveries are retried with increasing delays.";
	return html`
		<${Notice} tone="bad" title=${`Failing for ${lasting(webhook.failing_since)}.`}>
			${plural(webhook.failures, "failed attempt")} in a row. Last error: ${errorOf(webhook)}.
			${" "}${isRedirect(webhook.last_status) && `${redirectMeaning(webhook.last_status)} A test shows where it points. `}
			${" "}${next}
			${webhook.held_until ? html` The next attempt is <${Time} at=${webhook.held_until} />.` : ""}
			${" "}${pendingSentence(webhook)}
		<//>`;
}

/* ---- redelivery ---- */

const SINCE = [
	["8h", "8 hours", 8],
	["24h", "24 hours", 24],
	["3d", "3 days", 72],
	["7d", "7 days", 168],
	["all", "All stored deliveries", 0],
];

const REDELIVERED = [
	["pending", "Pending (retried now)"],
	["failed", "Failed"],
	["delivered", "Delivered (the receiver gets them again)"],
	["", "All (the receiver gets delivered ones again)"],
];

/** A sentence about the queued deliveries that wait; empty if there are none. */
const waitsOf = held =>
	held > 0 ? ` ${plural(held, "of them waits", "of them wait")} until the webhook accepts deliveries again.` : "";

function RedeliveryState({ job }) {
	const deliveries = number => plural(number, "delivery", "deliveries");
	const texts = {
		__proto__: null,
		done: () => `Done: ${deliveries(job.result?.queued || 0)} queued.${waitsOf(job.result?.held || 0)}`,
		failed: () => job.error,
		cancelled: () => `Canceled. ${deliveries(job.done)} were queued before that.`,
	};
	const text = texts[job.state] || (() => `In progress: ${count(job.done)} so far.`);
	const tone = job.state === "done" ? "good" : job.state === "failed" ? "bad" : "plain";
	return html`<${Notice} tone=${tone} role="status">${text()}<//>`;
}

function Redelivery({ job, set, close }) {
	const cancel = async () => set((await post(`jobs/${job.id}/cancel`)).value);
	return html`
		<${Dialog} title="Resend deliveries" close=${close}>
			<${RedeliveryState} job=${job} />
			<div class="buttons">
				${!job.ended_at && html`<${Button} onClick=${cancel}>Cancel<//>`}
				<button type="button" class="primary" onClick=${() => close(true)}>Close</button>
			</div>
		<//>`;
}

function Redeliver({ campaign, webhook, close }) {
	const form = useForm({ state: webhook.pending > 0 ? "pending" : "failed", since: "24h", enable: true });
	const [job, setJob] = useState(null);
	const hours = SINCE.find(([key]) => key === form.values.since)[2];
	const filter = {
		webhook: webhook.referenceId,
		state: form.values.state || undefined,
		since: hours ? rfc3339(Math.floor(Date.now() / HOUR) * HOUR - hours * HOUR) : undefined,
	};
	const found = useList(job ? null : `campaigns/${campaign}/deliveries/count`, filter, { every: 0 });
	const isWaiting = isOff(webhook);
	const enables = isWaiting && form.values.enable;
	async function submit() {
		if (enables) await post(`webhooks/${webhook.referenceId}/enable`);
		await runJob(`campaigns/${campaign}/redeliver`, filter, setJob, Array(120).fill(2000));
	}
	if (job)
		return html`<${Redelivery} job=${job} set=${setJob} close=${close} />`;
	const number = found && `${plural(found.count, "delivery", "deliveries")}${found.more ? " or more" : ""}`;
	const verb = enables ? "Enable and resend" : isWaiting ? "Queue" : "Resend";
	const effect = isWaiting && !enables ? "queued. Nothing is sent until the webhook is enabled" : "resent";
	return html`
		<${Dialog} title="Resend deliveries" close=${close}>
			<${Form} form=${form} onSubmit=${submit} submit=${verb} cancel=${close}>
				${isWaiting && html`
					<${Notice} tone="wait">
						${webhook.gone ? "The receiver answered 410 Gone" : "The webhook is disabled"}: nothing is sent until it is enabled.
					<//>`}
				<${Field} form=${form} name="state" label="Deliveries" type="select" options=${REDELIVERED} />
				<${Field} form=${form} name="since" label="From the last" type="select" options=${SINCE} />
				${isWaiting && html`<${Field} form=${form} name="enable" label="Enable the webhook first" type="check" />`}
				<p class="muted" role="status">${found ? `${number} will be ${effect}.` : "Counting…"}</p>
			<//>
		<//>`;
}

/* ---- attempts ---- */

/** "3 × HTTP 5xx, 1 without a response". */
function errorsOf(totals) {
	const found = [
		[totals.answers_3xx, "× HTTP 3xx", statusHint(300)],
		[totals.answers_4xx, "× HTTP 4xx", statusHint(400)],
		[totals.answers_5xx, "× HTTP 5xx", statusHint(500)],
		[totals.no_answer, "without a response"],
	].filter(([number]) => number > 0);
	return found.map(([number, text, hint], at) => html`${at > 0 && ", "}<span title=${hint}>${count(number)} ${text}</span>`);
}

const ATTEMPTS = [
	["delivered", "Delivered", 1],
	["answers_4xx", "HTTP 4xx", 3],
	["answers_5xx", "HTTP 5xx", 4],
	["no_answer", "No response", 2],
];

function AttemptTiles({ totals }) {
	const { attempts, delivered, failed, p50_ms, p95_ms } = totals;
	const errors = totals.answers_3xx + totals.answers_4xx + totals.answers_5xx + totals.no_answer;
	return html`
		<div class="tiles">
			<${Tile} label="Delivered" value=${percent(delivered, delivered + failed)}
				note=${`${count(delivered)} delivered, ${count(failed)} failed for good`} />
			<${Tile} label="Attempts" value=${count(attempts)}
				note=${attempts > 0 && `${count(delivered)} of ${count(attempts)} succeeded`} />
			<${Tile} label="Response time" value=${p50_ms === null ? "–" : duration(p50_ms)}
				note=${p95_ms === null ? "" : `95 % of answers within ${duration(p95_ms)}`} />
			<${Tile} label="Errors" tone=${errors ? "bad" : ""} value=${count(errors)} note=${errorsOf(totals)} />
		</div>`;
}

function Attempts({ id }) {
	const now = Math.ceil(Date.now() / HOUR) * HOUR;
	const live = useLive(`webhooks/${id}/stats`, { by: "hour", since: rfc3339(now - 48 * HOUR) }, { every: 30 });
	return html`
		<${Card} title="Last 48 hours">
			<${Loaded} live=${live}>${({ totals, points }) => html`
				<${AttemptTiles} totals=${totals} />
				${totals.attempts > 0 && html`
					<${Chart} points=${points} by="hour" label="Attempts by hour" series=${ATTEMPTS} />`}`}
			<//>
		<//>`;
}

/* ---- the view ---- */

const ROTATION = html`
	<p>
		For a while, requests are signed with both the old and the new secret, so that you can update your receiver without losing
		deliveries.
	</p>`;

/** `reload` reads the webhook again, `reloadAll` its deliveries as well. */
function Actions({ campaign, webhook, reload, reloadAll }) {
	const { referenceId: id, pending, url } = webhook;
	const turn = word => post(`webhooks/${id}/${word}`).then(reload);
	const enable = async () => {
		await turn("enable");
		toast("Enabled. Pending deliveries are sent now.");
	};
	const disable = async () => {
		await turn("disable");
		toast("Disabled. Events stay queued.", () => turn("enable"));
	};
	const retry = async () => {
		await post(`webhooks/${id}/enable`); // ends a pause
		await post(`campaigns/${campaign}/redeliver`, { webhook: id, state: "pending" });
		toast("Pending deliveries are sent now.");
		setTimeout(refresh, RETRY_MS);
	};
	const edit = () => editWebhook(id).then(saved => saved && reload());
	const again = () => openDialog(Redeliver, { campaign, webhook }).then(done => done && reloadAll());
	const rotate = async () => {
		const { value } = await post(`webhooks/${id}/rotate`);
		reload();
		setTimeout(() => openDialog(Secret, { secret: value.secret }));
	};
	const drop = async () => {
		await remove(`webhooks/${id}`);
		toast("The webhook was removed");
		go(`campaigns/${campaign}/webhooks`);
	};
	const removal = html`
		<p>
			No more events are sent to <strong>${url}</strong>.
			${pending > 0 && ` ${plural(pending, "pending delivery", "pending deliveries")} will fail.`}
		</p>`;
	const isOn = !isOff(webhook);
	return html`
		<div class="buttons">
			${!isOn && html`<${Button} kind="primary" onClick=${enable}>Enable<//>`}
			${isOn && pending > 0 && html`<${Button} kind="primary" onClick=${retry}>Retry now<//>`}
			<${Button} onClick=${edit}>Edit<//>
			${isOn && html`<${Button} onClick=${disable}>Disable<//>`}
			<${Button} onClick=${again}>Resend deliveries…<//>
			<${ConfirmButton} title="Rotate the secret?" verb="Rotate secret" text=${ROTATION} work=${rotate}>Rotate secret…<//>
			<${ConfirmButton} kind="danger" title="Remove this webhook?" verb="Remove webhook" text=${removal} work=${drop}>Remove…<//>
		</div>`;
}

const detailsOf = webhook => [
	["URL", html`<code>${webhook.url}</code>`],
	["Events", webhook.events.map(eventName).join(", ")],
	["Format", webhook.format === "json" ? "JSON" : "form fields"],
	webhook.rate && ["Rate limit", `${plural(webhook.rate, "delivery", "deliveries")} per second`],
	webhook.schedule && ["Retry schedule", webhook.schedule],
	webhook.accepts.length > 0 && ["Also delivered with", webhook.accepts.map(status => `HTTP ${status}`).join(", ")],
	webhook.previous_secret_until && ["Previous secret", html`valid until <${Time} at=${webhook.previous_secret_until} />`],
	["Last success", html`<${Time} at=${webhook.last_delivery_at} none="never" />`],
];

const Deliveries = ({ campaign, live, title, beside, none }) => html`
	<${Card} title=${title} beside=${beside}>
		<${List} live=${live} none=${html`<p class="muted">${none}</p>`}>
			${rows => html`<${DeliveryTable} campaign=${campaign} rows=${rows} />`}
		<//>
	<//>`;

export function Webhook({ id, webhook: number }) {
	const live = useLive(`webhooks/${number}`, {}, { every: 10 });
	const failed = useLive(`campaigns/${id}/deliveries`, { webhook: number, state: "failed", limit: 5 }, { every: 10 });
	const pending = useLive(`campaigns/${id}/deliveries`, { webhook: number, state: "pending", limit: 5 }, { every: 10 });
	const reloadAll = () => [live, failed, pending].forEach(one => one.reload());
	const hrefOf = state => link(`campaigns/${id}/deliveries`, { webhook: number, state });
	const title = live.value ? urlParts(live.value.url).join("") : "Webhook";
	return html`
		<${Page} title=${title} campaign=${id} list=${["webhooks", "Webhooks"]} live=${live}>
			<${Loaded} live=${live} lines=${8}>${webhook => html`
				<${StateSentence} webhook=${webhook} />
				<${Actions} campaign=${id} webhook=${webhook} reload=${live.reload} reloadAll=${reloadAll} />
				<${Card} title="Test">
					<p class="muted">Sends a sample lead and shows the response of the receiver.</p>
					<${Test} id=${webhook.referenceId} url=${webhook.url} edited=${live.reload} />
				<//>
				<${Attempts} id=${number} />
				<${Deliveries} campaign=${id} live=${pending} title="Pending and retrying" none="No pending deliveries."
					beside=${webhook.pending > 0 && html`<a href=${hrefOf("pending")}>Show all ${count(webhook.pending)}</a>`} />
				<${Deliveries} campaign=${id} live=${failed} title="Failed" beside=${html`<a href=${hrefOf("failed")}>Show all</a>`}
					none="No delivery has failed for good. Those that are being retried are above." />
				<${Card} title="Details"><${Facts} rows=${detailsOf(webhook)} /><//>`}
			<//>
		<//>`;
}
