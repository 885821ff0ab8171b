// SPDX-License-Identifier: MIT
// Deliveries: events sent to webhooks, their attempts, and why they are pending.
import { useState } from "./hooks.js";
import { post } from "./api.js";
import { duration, full, hour, plural } from "./format.js";
import { campaignName } from "./frame.js";
import { useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { DELIVERY_STATES, EVENTS, eventName, outcome, urlParts, waitReason } from "./words.js";
import { Button, Chip, Copy, Empty, Facts, Loaded, Notice, Page, Table, Time, Updated, html, toast } from "./ui.js";

const PART = 50;

const isRetried = delivery => delivery.state === "pending" && delivery.attempts > 0;

export const stateOf = delivery =>
	html`<${Chip} tone=${DELIVERY_STATES[delivery.state][1]}>${isRetried(delivery) ? "retrying" : DELIVERY_STATES[delivery.state][0]}<//>`;

function reasonOf(delivery) {
	const last = delivery.state === "failed" || isRetried(delivery) ? outcome(delivery.last_status, delivery.last_error) : "";
	return [last, delivery.state === "pending" && waitReason(delivery)].filter(Boolean).join(". ");
}

/** What a redelivery has done, from the answer of the API. */
export const resent = ({ queued, held = 0 }) =>
	`${plural(queued, "delivery", "deliveries")} will be sent now${held > 0 ? `. ${plural(held, "delivery waits", "deliveries wait")} until the webhook accepts deliveries again` : ""}`;

export function DeliveryTable({ campaign, rows, webhooks, chosen, choose }) {
	const host = delivery => urlParts(webhooks?.find(one => one.referenceId === delivery.webhook_id)?.url || "removed webhook")[0];
	return html`<${Table} name="Deliveries" rows=${rows} columns=${[
		choose && {
			title: "Select",
			hidden: true,
			head: html`<input type="checkbox" aria-label="Select all deliveries on this page" checked=${rows.every(row => chosen.has(row.id))} onChange=${event => rows.forEach(row => choose(row.id, event.currentTarget.checked))} />`,
			kind: "tick",
			cell: row =>
				html`<input type="checkbox" aria-label=${`Select delivery ${row.id}`} checked=${chosen.has(row.id)} onChange=${event => choose(row.id, event.currentTarget.checked)} />`,
		},
		{
			title: "Event",
			cell: row => html`<a href=${link(`campaigns/${campaign}/deliveries/${row.id}`)}>${eventName(row.event)}</a>`,
		},
		webhooks && {
			title: "Webhook",
			kind: "long",
			cell: row => html`<a href=${link(`campaigns/${campaign}/webhooks/${row.webhook_id}`)}>${host(row)}</a>`,
		},
		{
			title: "Lead",
			kind: "long",
			cell: row =>
				row.lead
					? html`<a href=${link(`campaigns/${campaign}/leads/${row.lead}`)}>${row.lead_email || row.lead_name || row.lead}</a>`
					: html`<span class="muted">deleted</span>`,
		},
		{
			title: "Status",
			cell: row => html`${stateOf(row)}${reasonOf(row) ? html`<br /><span class="muted">${reasonOf(row)}</span>` : ""}`,
		},
		{ title: "Attempts", kind: "number", cell: row => row.attempts },
		{ title: "Created", cell: row => html`<${Time} at=${row.created_at} />` },
	].filter(Boolean)} />`;
}

function Filters({ query, webhooks }) {
	const choose = (name, label, options) => html`<label class="offscreen" for=${`filter-${name}`}>${label}</label>
		<select id=${`filter-${name}`} value=${query[name] || ""} onChange=${event => setQuery({ [name]: event.currentTarget.value, after: null })}>
			<option value="">${label}: all</option>${options.map(([value, text]) => html`<option key=${value} value=${value} selected=${query[name] === String(value)}>${text}</option>`)}</select>`;
	return html`<div class="filters" role="group" aria-label="Filters">
		${choose("state", "Status", [
			["pending", "Pending or retrying"],
			["failed", "Failed"],
			["delivered", "Delivered"],
		])}
		${choose(
			"webhook",
			"Webhook",
			(webhooks || []).map(one => [one.referenceId, urlParts(one.url).join("")]),
		)}
		${choose(
			"event",
			"Event",
			Object.entries(EVENTS).map(([code, [name]]) => [code, name]),
		)}
		${choose("status", "Response", [
			["2xx", "2xx"],
			["3xx", "3xx"],
			["4xx", "4xx"],
			["5xx", "5xx"],
			["error", "none"],
		])}
		<span class="dates"><label>From <input type="date" value=${query.since?.slice(0, 10) || ""} onChange=${event => setQuery({ since: event.currentTarget.value, after: null })} /></label>
		<label>Before <input type="date" value=${query.until?.slice(0, 10) || ""} onChange=${event => setQuery({ until: event.currentTarget.value, after: null })} /></label></span>
		${query.lead && html`<${Chip}>Lead ${query.lead}<//>`}
		${Object.keys(query).some(name => name !== "after") && html`<button type="button" class="small quiet" onClick=${() => setQuery(Object.fromEntries(Object.keys(query).map(name => [name, null])))}>Clear filters</button>`}
	</div>`;
}

export function Deliveries({ id, query }) {
	const live = useLive(`campaigns/${id}/deliveries`, { ...query, limit: PART }, { every: 5 });
	const webhooks = useList(`campaigns/${id}/webhooks`, {}, { every: 30 });
	const [chosen, setChosen] = useState(new Set());
	const choose = (delivery, on) =>
		setChosen(old => {
			const next = new Set(old);
			next[on ? "add" : "delete"](delivery);
			return next;
		});
	async function again() {
		const { value } = await post("deliveries/redeliver", { deliveries: [...chosen] });
		setChosen(new Set());
		toast(resent(value));
		live.reload();
	}
	const filtered = Object.keys(query).some(name => name !== "after");
	return html`<${Page} title="Deliveries" above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a>`} actions=${html`<${Updated} live=${live} />`}>
		<${Filters} query=${query} webhooks=${webhooks} />
		<${Loaded} live=${live}>${rows =>
			rows.length === 0 && !live.next
				? filtered
					? html`<${Empty} title="No matching deliveries"><p>No stored delivery matches the filters.</p><//>`
					: html`<${Empty} title="No deliveries yet"><p>Each event creates a delivery for each webhook that subscribes to it.</p>${webhooks?.length === 0 && html`<p><a class="button primary" href=${link(`campaigns/${id}/webhooks`, { add: "yes" })}>Add the first webhook</a></p>`}<//>`
				: html`${rows.length > 0 && html`<${DeliveryTable} campaign=${id} rows=${rows} webhooks=${webhooks || []} chosen=${chosen} choose=${choose} />`}
			${rows.length === 0 && html`<p>No matching deliveries so far. Older ones were not searched yet.</p>`}
			<nav class="buttons pager" aria-label="Pages">${query.after && html`<button type="button" onClick=${() => setQuery({ after: null })}>Newest</button>`}
				${
					live.next &&
					html`<button type="button" onClick=${() => {
						setQuery({ after: live.next.after });
						scrollTo(0, 0);
					}}>${rows.length < PART ? "Continue searching" : "Older"}</button>`
				}</nav>`}<//>
		${
			chosen.size > 0 &&
			html`<div class="bulk" role="region" aria-label="Selected deliveries"><strong>${plural(chosen.size, "delivery", "deliveries")} selected</strong>
			<${Button} kind="primary small" onClick=${again}>Resend<//><button type="button" class="small quiet" onClick=${() => setChosen(new Set())}>Clear</button></div>`
		}
	<//>`;
}

/* ---- one delivery ---- */

function Attempt({ one }) {
	return html`<li><time datetime=${one.at} title=${full(one.at)}>${hour(one.at)}</time><div><p><strong>Attempt ${one.attempt}</strong>: ${outcome(one.status, one.error)} in ${duration(one.duration_ms)} · <${Time} at=${one.at} /></p>
		${one.answer ? html`<pre class="answer" tabindex="0">${one.answer}</pre>` : ""}</div></li>`;
}

export function Delivery({ id, delivery: number }) {
	const live = useLive(`deliveries/${number}`, {}, { every: 5 });
	async function again() {
		toast(resent((await post("deliveries/redeliver", { deliveries: [number] })).value));
		live.reload();
	}
	return html`<${Page} title=${live.value ? eventName(live.value.event) : "Delivery"} above=${html`<a href=${link(`campaigns/${id}`)}>${campaignName(id)}</a> › <a href=${link(`campaigns/${id}/deliveries`)}>Deliveries</a>`}
			actions=${html`<${Updated} live=${live} />${live.value && html`<${Button} kind="primary" onClick=${again}>${live.value.state === "pending" ? "Send now" : "Resend"}<//>`}`}>
		<${Loaded} live=${live} lines=${6}>${one => html`
			<${Notice} tone=${one.state === "delivered" ? "good" : one.state === "failed" ? "bad" : "wait"}><p><strong>${{ delivered: "Delivered.", failed: "Failed.", pending: one.attempts > 0 ? "Retrying." : "Pending." }[one.state]}</strong>
				${" "}${one.state === "pending" ? `${reasonOf(one)}.` : one.state === "failed" ? `All attempts failed. Last error: ${outcome(one.last_status, one.last_error)}. Fix the receiver, then resend the delivery.` : ""}</p><//>
			<div class="columns"><section class="card"><h2>Delivery</h2><${Facts} rows=${[
				["Webhook", html`<a href=${link(`campaigns/${id}/webhooks/${one.webhook_id}`)}>${one.url}</a>`],
				[
					"Lead",
					one.lead
						? html`<a href=${link(`campaigns/${id}/leads/${one.lead}`)}>${one.payload?.email || one.payload?.display_name || one.lead}</a>`
						: "deleted",
				],
				["Created", html`${full(one.created_at)} (<${Time} at=${one.created_at} />)`],
				["Attempts", one.attempts],
				["Message ID", html`<code>${one.message_id}</code> <${Copy} text=${one.message_id} what="the message ID" />`],
			]} /></section>
			<section class="card"><h2>Attempts</h2>${one.log.length === 0 ? html`<p class="muted">No attempts yet.</p>` : html`<ol class="timeline">${[...one.log].reverse().map(attempt => html`<${Attempt} key=${attempt.attempt} one=${attempt} />`)}</ol>`}</section></div>
			<section class="card"><header><h2>Payload</h2>${one.payload && html`<${Copy} text=${JSON.stringify(one.payload)} what="the payload" />`}</header>
				${one.payload ? html`<pre class="payload" tabindex="0">${JSON.stringify(one.payload, null, 2)}</pre>` : html`<p class="muted">Your role has no access to lead data, or the event is no longer stored.</p>`}</section>`}<//>
	<//>`;
}
