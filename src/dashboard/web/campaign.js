// SPDX-License-Identifier: MIT
// One campaign: growth, sources, referrals, leaderboard.
import { Chart } from "./chart.js";
import { change, count, percent, plural, rfc3339 } from "./format.js";
import { campaignName } from "./frame.js";
import { useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { may } from "./session.js";
import { SOURCES, nameOf, outcome, urlParts } from "./words.js";
import { Checklist } from "./checklist.js";
import { Chip, Empty, Loaded, Notice, Number_, Page, Tile, Time, Updated, html } from "./ui.js";

const HOUR = 3600e3,
	DAY = 24 * HOUR;

/** The periods: hours back from now; `all` from the campaign's beginning. */
const PERIODS = [
	["24h", "24 hours", DAY, "hour"],
	["7d", "7 days", 7 * DAY, "day"],
	["30d", "30 days", 30 * DAY, "day"],
	["90d", "90 days", 90 * DAY, "day"],
	["all", "All", 0, "day"],
];

/** The query of the statistics; it changes with the hour, so that answers can be 304. */
function periodQuery(key, created) {
	const [, , size, by] = PERIODS.find(([name]) => name === key) || PERIODS[2];
	const unit = by === "hour" ? HOUR : DAY,
		now = Math.ceil(Date.now() / unit) * unit;
	const longest = now - 1099 * DAY;
	return { by, since: rfc3339(new Date(size ? now - size : Math.max(longest, Math.floor(Date.parse(created) / DAY) * DAY))) };
}

function Delta({ now, before }) {
	const by = change(now, before);
	return by === null
		? html`${count(before)} in the previous period`
		: html`<span class=${by < 0 ? "down" : "up"}>${by < 0 ? "↓" : "↑"} ${count(Math.abs(by))} %</span> from ${count(before)}`;
}

function Sources({ stats, id }) {
	const rows = stats.sources.filter(row => row.signups > 0).sort((a, b) => b.leads - a.leads),
		top = Math.max(1, ...rows.map(row => row.leads));
	if (rows.length === 0)
		return html`<p class="muted">No sign-ups in this period.</p>`;
	return html`<ol class="bars">${rows.map(
		row => html`<li key=${row.source}>
		<meter min="0" max=${top} value=${row.leads} aria-hidden="true" />
		<span class="bar-name">${SOURCES[row.source] || row.source}</span>
		<span class="number">${count(row.leads)}</span><span class="muted number">${percent(row.verified, row.leads)} verified</span></li>`,
	)}</ol>`;
}

function Referrals({ stats, id }) {
	const whole = useList("overview", {}, { every: 60 })?.find(row => row.id === Number(id));
	const { leads, referred, referred_verified: verified, referrers } = stats.totals;
	if (leads === 0)
		return html`<p class="muted">No sign-ups in this period.</p>`;
	const steps = [
		["Signed up through a referral link", referred],
		["Verified", verified],
	];
	return html`${whole?.referrers > 0 && html`<p>In the whole campaign, <strong>${plural(whole.referred, "lead")}</strong> came through <strong>${plural(whole.referrers, "person", "people")}</strong>.</p>`}
		<ol class="bars">${steps.map(
			([text, value]) => html`<li key=${text}><meter min="0" max=${Math.max(1, referred)} value=${value} aria-hidden="true" />
			<span class="bar-name">${text}</span><span class="number">${count(value)}</span><span class="muted number">${percent(value, referred)}</span></li>`,
		)}</ol>
		<p class="muted">${plural(referrers, "lead")} of this period (${percent(referrers, leads)}) referred others.</p>`;
}

function Leaders({ id }) {
	const live = useLive(`campaigns/${id}/leads`, { order: "score", limit: 10 }, { every: 30 });
	return html`<${Loaded} live=${live}>${rows =>
		rows.length === 0
			? html`<p class="muted">No leads yet.</p>`
			: html`<ol class="leaders">${rows.map(
					lead => html`<li key=${lead.id}><a href=${link(`campaigns/${id}/leads/${lead.social_id}`)}>${nameOf(lead)}</a>
			<span class="number">${plural(lead.contest_score, "point")}</span><span class="muted number">${plural(lead.referrals, "referral")}</span></li>`,
				)}</ol>`}<//>`;
}

/** Webhooks that do not work, each with the way to its page. */
function WebhookProblems({ id }) {
	const webhooks = useList(may("hooks") ? `campaigns/${id}/webhooks` : null, {}, { every: 30 });
	const bad = (webhooks || []).filter(one => one.gone || one.state !== "active");
	if (bad.length === 0)
		return null;
	return html`<ul class="problems" aria-label="Needs attention">${bad.map(
		one => html`<li key=${one.referenceId} class=${one.state === "failing" || one.gone ? "" : "wait"}>
			<a href=${link(`campaigns/${id}/webhooks/${one.referenceId}`)}>The webhook ${urlParts(one.url).join("")} ${one.state === "failing" ? `is failing: ${outcome(one.last_status, one.last_error)}` : one.gone ? "answered 410 Gone" : "is disabled"}.</a></li>`,
	)}</ul>`;
}

export function Campaign({ id, query }) {
	const campaign = useLive(`campaigns/${id}`, {}, { every: 60 });
	const period = query.period || "30d";
	const stats = useLive(
		campaign.value ? `campaigns/${id}/stats` : null,
		campaign.value ? periodQuery(period, campaign.value.created_at) : {},
		{ every: 30 },
	);
	const since = campaign.value ? periodQuery(period, campaign.value.created_at).since : null;
	const leads = (text, filter) =>
		may("leads") ? html`<a href=${link(`campaigns/${id}/leads`, { ...filter, since, newest: true })}>${text}</a>` : text;
	return html`<${Page} title=${campaign.value?.name || campaignName(id)} actions=${html`<${Updated} live=${stats} />`}>
		<${Loaded} live=${campaign}>${one => html`
			${
				one.state === "ended" &&
				html`<${Notice} tone="wait"><p><strong>This campaign has ended</strong> <${Time} at=${one.ended_at || one.ends_at} />. Sign-ups are closed.</p>
				${may("manage") && html`<a class="button" href=${link(`campaigns/${id}/settings`)}>Settings</a>`}<//>`
			}
			<${WebhookProblems} id=${id} />
			<${Checklist} id=${id} campaign=${one} />
			<div class="segments" role="group" aria-label="Period">${PERIODS.map(
				([key, text]) => html`<button type="button" key=${key} class="small" aria-pressed=${period === key}
				onClick=${() => setQuery({ period: key === "30d" ? null : key })}>${text}</button>`,
			)}</div>
			<${Loaded} live=${stats} lines=${8}>${found => html`
				${!found.complete && html`<${Notice}><p>Statistics are still being built. Earlier hours are missing.</p><//>`}
				<div class="tiles">
					<${Tile} label="Leads" value=${leads(count(found.totals.leads), {})} note=${html`<${Delta} now=${found.totals.leads} before=${found.previous.leads} />`} />
					<${Tile} label="Verified" value=${leads(percent(found.totals.verified, found.totals.leads), { verified: "on" })} note=${plural(found.totals.verified, "verified lead")} />
					<${Tile} label="Referred" value=${percent(found.totals.referred, found.totals.leads)} note=${`${plural(found.totals.referred, "lead")} from referral links`} />
					<${Tile} label="Fraudulent" tone=${found.totals.fraudulent ? "wait" : ""} value=${leads(count(found.totals.fraudulent), { fraudulent: "on" })} note="by a rule or manually" />
				</div>
				<section class="card"><h2>Sign-ups</h2>
					<${Chart} key=${`${period}${found.by}`} points=${found.points} by=${found.by} label="Sign-ups over time"
						series=${[
							["leads", "Leads", 1],
							["verified", "Verified", 2],
							["referred", "Referred", 3],
							["fraudulent", "Fraudulent", 4],
						]} /></section>
				<div class="masonry">
					<section class="card"><h2>Where leads come from</h2><${Sources} stats=${found} id=${id} /></section>
					<section class="card"><h2>Referrals</h2><${Referrals} stats=${found} id=${id} /></section>
					${may("leads") && html`<section class="card"><h2>Leaderboard</h2><${Leaders} id=${id} /></section>`}
				</div>`}<//>`}<//>
	<//>`;
}
