// SPDX-License-Identifier: MIT
// Deliveries: events sent to webhooks, their attempts, and why they are pending.
import { get, getWhole, pause, post } from "./api.js";
import { duration, full, plural, second } from "./format.js";
import { useList, useLive } from "./live.js";
import { link } from "./route.js";
import { may } from "./session.js";
import { DELIVERY_STATES, EVENTS, eventName, explained, outcome, statusHint, urlParts, waitReason } from "./words.js";
import { Dates, Filter, Filters, Pager, Selected, selectColumn, useSelection } from "./lists.js";
import { Button, Card, Chip, Copy, Empty, Facts, Loaded, Moment, Notice, Page, Table, Time, html, toast } from "./ui.js";

const PART = 50;
const SENT_WAITS = [500, 1000, 2000, 3000]; // milliseconds before each check for the requested attempt

const isRetried = delivery => delivery.state === "pending" && delivery.attempts > 0;

function stateOf(delivery) {
	const [text, tone] = DELIVERY_STATES[delivery.state];
	return html`<${Chip} tone=${tone}>${isRetried(delivery) ? "retrying" : text}<//>`;
}

function reasonOf(delivery, say = outcome) {
	const last = delivery.state === "failed" || isRetried(delivery) ? say(delivery.last_status, delivery.last_error) : "";
	return [last, delivery.state === "pending" && waitReason(delivery)].filter(Boolean).join(". ");
}

/** What a redelivery did, in sentences. `disabled`: how many of the queued deliveries have a disabled webhook. */
function resent(queued, disabled) {
	const sent = `${plural(queued - disabled, "delivery", "deliveries")} will be sent now`;
	const waits = `${plural(disabled, "delivery waits", "deliveries wait")} until the webhook is enabled`;
	return [(queued > disabled || disabled === 0) && sent, disabled > 0 && waits].filter(Boolean).join(". ");
}

/** Requests an attempt for each delivery. Resolves to whether all are sent now. */
async function resend(campaign, deliveries) {
	const webhooks = (await getWhole(`campaigns/${campaign}/webhooks`)).value;
	const { value } = await post("deliveries/redeliver", { deliveries: deliveries.map(one => one.id) });
	const isDisabled = one => webhooks.find(hook => hook.referenceId === one.webhook_id)?.state === "disabled";
	const disabled = deliveries.filter(isDisabled).length;
	toast(resent(value.queued, Math.min(disabled, value.queued)));
	return disabled === 0;
}

/** The event, or the number of the delivery for users without access to leads, who do not see events. */
const titleOf = delivery => (delivery.event ? eventName(delivery.event) : `Delivery ${delivery.id}`);

function statusOf(delivery) {
	const reason = reasonOf(delivery);
	return html`
		${stateOf(delivery)}
		${reason && html`<br class="off" /><span class="muted off" title=${statusHint(delivery.last_status)}>${reason}</span>`}`;
}

/** `selection`: the result of useSelection; `webhooks`: omitted if all rows belong to the same webhook. */
export function DeliveryTable({ campaign, rows, webhooks, selection }) {
	const urlOf = delivery => webhooks.find(one => one.referenceId === delivery.webhook_id)?.url || "removed webhook";
	const columns = [
		selection && selectColumn(rows, "deliveries", row => `delivery ${row.id}`, selection),
		["Event", row => html`<a href=${link(`campaigns/${campaign}/deliveries/${row.id}`)}>${titleOf(row)}</a>`],
		webhooks && ["Webhook", row => html`
			<a href=${link(`campaigns/${campaign}/webhooks/${row.webhook_id}`)}>${urlParts(urlOf(row))[0]}</a>`, "long off"],
		["Lead", row => (row.lead
			? html`<a href=${link(`campaigns/${campaign}/leads/${row.lead}`)}>${row.lead_email || row.lead_name || row.lead}</a>`
			: html`<span class="muted">deleted</span>`), "long plain"],
		["Status", statusOf, "plain"],
		["Attempts", row => row.attempts, "number off"],
		["Created", row => html`<${Time} at=${row.created_at} />`, "plain"],
	];
	const newest = [...rows].sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
	return html`<${Table} name="Deliveries" rows=${newest} columns=${columns} />`;
}

const STATES = [
	["pending", "Pending or retrying"],
	["failed", "Failed"],
	["delivered", "Delivered"],
];

const RESPONSES = [
	["2xx", "2xx"],
	["3xx", "3xx: redirect"],
	["4xx", "4xx: refused"],
	["5xx", "5xx: server error"],
	["error", "none"],
];

const EVENT_NAMES = Object.entries(EVENTS).map(([code, [name]]) => [code, name]);

const isFiltered = query => Object.keys(query).some(name => name !== "after");

function DeliveryFilters({ query, webhooks }) {
	const urls = (webhooks || []).map(one => [one.referenceId, urlParts(one.url).join("")]);
	const filters = [
		["state", "Status", STATES],
		["webhook", "Webhook", urls],
		may("leads") && ["event", "Event", EVENT_NAMES],
		["status", "Response", RESPONSES],
	];
	return html`
		<${Filters} clear=${isFiltered(query) && query}>
			${filters.filter(Boolean).map(([name, label, options]) => html`
				<${Filter} key=${name} name=${name} label=${label} all=${`${label}: all`} query=${query} options=${options} />`)}
			<span class="dates"><${Dates} query=${query} /></span>
			${query.lead && html`<${Chip}>Lead ${query.lead}<//>`}
		<//>`;
}

function NoDeliveries({ id, query, webhooks }) {
	if (isFiltered(query))
		return html`<${Empty} title="No matching deliveries" text="No stored delivery matches the filters." />`;
	const add = link(`campaigns/${id}/webhooks`, { add: "yes" });
	return html`
		<${Empty} title="No deliveries yet" text="Each event creates a delivery for each webhook that subscribes to it.">
			${webhooks?.length === 0 && html`<p><a class="button primary" href=${add}>Add the first webhook</a></p>`}
		<//>`;
}

export function Deliveries({ id, query }) {
	const live = useLive(`campaigns/${id}/deliveries`, { ...query, limit: PART }, { every: 5 });
	const webhooks = useList(`campaigns/${id}/webhooks`, {}, { every: 30 });
	const selection = useSelection(row => row.id);
	const { chosen, clear } = selection;
	async function again() {
		await resend(id, [...chosen.values()]);
		clear();
		live.reload();
	}
	const order = live.next || query.after ? "Newest first on each page. Pages are ordered by day." : "Newest first.";
	const list = rows => html`
		${rows.length > 0 && html`
			<p class="muted">${order}</p>
			<${DeliveryTable} campaign=${id} rows=${rows} webhooks=${webhooks} selection=${selection} />`}
		${rows.length === 0 && html`<p>No matching deliveries so far. Older ones were not searched yet.</p>`}
		<${Pager} after=${query.after} next=${live.next} further=${rows.length < PART ? "Continue searching" : "Older"} />`;
	return html`
		<${Page} title="Deliveries" campaign=${id} live=${live}>
			<${DeliveryFilters} query=${query} webhooks=${webhooks} />
			<${Loaded} live=${live}>
				${rows => rows.length === 0 && !live.next
					? html`<${NoDeliveries} id=${id} query=${query} webhooks=${webhooks} />`
					: list(rows)}
			<//>
			${chosen.size > 0 && html`
				<${Selected} what="deliveries" text=${plural(chosen.size, "delivery", "deliveries")} clear=${clear}>
					<${Button} kind="primary small" onClick=${again}>Resend<//>
				<//>`}
		<//>`;
}

/* ---- one delivery ---- */

const Attempt = ({ one }) => html`
	<li>
		<time datetime=${one.at} title=${full(one.at)}>${second(one.at)}</time>
		<div>
			<p>
				<strong>Attempt ${one.attempt}</strong>: ${outcome(one.status, one.error)}
				${" "}in ${duration(one.duration_ms)} · <${Time} at=${one.at} />
			</p>
			${one.answer ? html`<pre class="answer" tabindex="0">${one.answer}</pre>` : ""}
		</div>
	</li>`;

function StateSentence({ one }) {
	if (one.state === "delivered")
		return html`<${Notice} tone="good" title="Delivered." />`;
	if (one.state === "pending")
		return html`<${Notice} tone="wait" title=${one.attempts > 0 ? "Retrying." : "Pending."}>${reasonOf(one, explained)}.<//>`;
	const error = explained(one.last_status, one.last_error);
	const text = one.attempts > 0
		? `All attempts failed. Last error: ${error}. Fix the receiver, then resend the delivery.`
		: `Reason: ${error}.`;
	return html`<${Notice} tone="bad" title="Failed.">${text}<//>`;
}

function factsOf(one, id) {
	const lead = one.payload?.email || one.payload?.display_name || one.lead;
	return [
		["Webhook", html`<a href=${link(`campaigns/${id}/webhooks/${one.webhook_id}`)}>${one.url}</a>`],
		["Lead", one.lead ? html`<a href=${link(`campaigns/${id}/leads/${one.lead}`)}>${lead}</a>` : "deleted"],
		["Created", html`<${Moment} at=${one.created_at} />`],
		["Attempts", one.attempts],
		["Message ID", html`<code>${one.message_id}</code> <${Copy} text=${one.message_id} what="the message ID" />`],
	];
}

function Attempts({ log }) {
	if (log.length === 0)
		return html`<p class="muted">No attempts yet.</p>`;
	return html`
		<ol class="timeline">
			${[...log].reverse().map(attempt => html`<${Attempt} key=${attempt.attempt} one=${attempt} />`)}
		</ol>`;
}

const Payload = ({ payload }) => html`
	<${Card} title="Payload" beside=${payload && html`<${Copy} text=${JSON.stringify(payload)} what="the payload" />`}>
		${payload
			? html`<pre class="payload" tabindex="0">${JSON.stringify(payload, null, 2)}</pre>`
			: html`<p class="muted">Your role has no access to lead data, or the event is no longer stored.</p>`}
	<//>`;

export function Delivery({ id, delivery: number }) {
	const live = useLive(`deliveries/${number}`, {}, { every: 5 });
	const { value } = live;
	async function again() {
		const { state } = (await get(`deliveries/${number}`)).value;
		if (value.state === "pending" && state !== "pending") {
			live.reload();
			toast("The delivery was attempted meanwhile");
			return;
		}
		const isSent = await resend(id, [value]);
		for (const wait of isSent ? SENT_WAITS : []) {
			live.reload();
			await pause(wait);
			if ((await get(`deliveries/${number}`)).value.attempts > value.attempts)
				break;
		}
		live.reload();
	}
	const actions = value && html`<${Button} kind="primary" onClick=${again}>${value.state === "pending" ? "Send now" : "Resend"}<//>`;
	return html`
		<${Page} title=${value ? titleOf(value) : "Delivery"} campaign=${id} list=${["deliveries", "Deliveries"]} live=${live}
			actions=${actions}>
			<${Loaded} live=${live} lines=${6}>${one => html`
				<${StateSentence} one=${one} />
				<div class="columns">
					<${Card} title="Delivery"><${Facts} rows=${factsOf(one, id)} /><//>
					<${Card} title="Attempts"><${Attempts} log=${one.log} /><//>
				</div>
				<${Payload} payload=${one.payload} />`}
			<//>
		<//>`;
}
