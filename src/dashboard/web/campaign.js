// SPDX-License-Identifier: MIT
// One campaign: first steps, growth, sources, referrals, leaderboard.
import { useMemo, useState } from "./hooks.js";
import { Chart } from "./chart.js";
import { change, count, growth, percent, plural, utcDay } from "./format.js";
import { campaignName, useList, useLive } from "./live.js";
import { link, setQuery } from "./route.js";
import { may } from "./session.js";
import { SOURCES, nameOf, outcome, urlParts } from "./words.js";
import { Bars, Card, Chip, Code, List, Loaded, Notice, Page, Problems, Segments, Tile, Time, html } from "./ui.js";
import { rfc3339 } from "./zone.js";

const HOUR = 3600e3;
const DAY = 24 * HOUR;

/** Periods that end now: [key, text, ms, step]. `all` is the longest that the API allows: imported leads may be old. */
const PERIODS = [
	["24h", "24 hours", DAY, "hour"],
	["7d", "7 days", 7 * DAY, "day"],
	["30d", "30 days", 30 * DAY, "day"],
	["90d", "90 days", 90 * DAY, "day"],
	["all", "All", 1099 * DAY, "day"],
];

const SERIES = [
	["leads", "Leads", 1],
	["verified", "Verified", 2],
	["referred", "Referred", 3],
	["fraudulent", "Fraudulent", 4],
];

/** The query of the statistics. It stays the same for an hour or a day, so that the answer can be 304. */
function periodQuery(key) {
	const [, , size, by] = PERIODS.find(([name]) => name === key) || PERIODS[2];
	const unit = by === "hour" ? HOUR : DAY;
	const now = Math.ceil(Date.now() / unit) * unit;
	return { by, since: rfc3339(now - size) };
}

function Delta({ now, before }) {
	const by = change(now, before);
	if (by === null)
		return html`${count(before)} in the previous period`;
	return html`<span class=${by < 0 ? "down" : "up"}>${growth(by)}</span> from ${count(before)}`;
}

const NoSignups = () => html`<p class="muted">No sign-ups in this period.</p>`;

function Sources({ stats }) {
	const found = stats.sources.filter(row => row.signups > 0).sort((a, b) => b.leads - a.leads);
	if (found.length === 0)
		return html`<${NoSignups} />`;
	const rows = found.map(row => {
		const verified = `${percent(row.verified, row.leads)} verified`;
		return [row.source, SOURCES[row.source] || row.source, row.leads, verified];
	});
	return html`<${Bars} rows=${rows} top=${stats.totals.leads} />`;
}

const SOURCE_KINDS = [
	["utm_source", "UTM source"],
	["utm_campaign", "UTM campaign"],
	["utm_medium", "UTM medium"],
	["site", "Websites"],
];

const OTHERS = html`<span class="muted">All others</span>`;

/** Sign-ups by UTM parameter or by referring site since the day of `since`, one kind at a time; nothing if there are none. */
function SourceValues({ id, since }) {
	const live = useLive(`campaigns/${id}/sources`, { since }, { every: 60 });
	const [chosen, choose] = useState(null);
	return html`
		<${Loaded} live=${live} lines=${3}>${found => {
			const kinds = SOURCE_KINDS.filter(([kind]) => found.some(row => row.kind === kind));
			const refused = Object.fromEntries(found.filter(row => row.kind === "refused").map(row => [row.value, row.signups]));
			const notice = refused.signups > 0 && html`
				<p class="notice">
					${plural(refused.signups, "sign-up")} since ${utcDay(since)} ${refused.signups === 1 ? "was" : "were"} refused
					${" "}because too many came from the same IP address
					${" "}(${plural(refused.addresses, "address", "addresses")} in total). A school or an office may share one.
				</p>`;
			if (kinds.length === 0)
				return notice || null;
			const [shown, name] = kinds.find(([kind]) => kind === chosen) || kinds[0];
			const rows = found.filter(row => row.kind === shown).map(row => [row.value ?? "", row.value ?? OTHERS, row.signups]);
			return html`
				${notice}
				<${Segments} label="Kind of source" options=${kinds} value=${shown} choose=${choose} kind="small" />
				<p class="muted">Sign-ups since ${utcDay(since)} (UTC), including those of deleted leads.</p>
				<${Bars} label=${name} rows=${rows} top=${rows.reduce((sum, row) => sum + row[2], 0)} />`;
		}}<//>`;
}

function Referrals({ stats, id }) {
	const whole = useList("overview", { after: id - 1, limit: 1 }, { every: 60 })?.find(row => row.id === Number(id));
	const { leads, referred, referred_verified: verified, referrers } = stats.totals;
	if (leads === 0)
		return html`<${NoSignups} />`;
	const rows = [
		["referred", "Signed up through a referral link", referred, percent(referred, referred)],
		["verified", "Verified", verified, percent(verified, referred)],
	];
	return html`
		${whole?.referrers > 0 && html`
			<p>
				In the whole campaign, <strong>${plural(whole.referred, "lead")}</strong> came through${" "}
				<strong>${plural(whole.referrers, "person", "people")}</strong>.
			</p>`}
		<${Bars} rows=${rows} top=${referred} />
		<p class="muted">${plural(referrers, "lead")} of this period (${percent(referrers, leads)}) referred others.</p>`;
}

function Leaders({ id }) {
	const live = useLive(`campaigns/${id}/leads`, { order: "score", fraudulent: "off", limit: 10 }, { every: 30 });
	const leader = lead => html`
		<li key=${lead.id}>
			<span>
				<a href=${link(`campaigns/${id}/leads/${lead.social_id}`)}>${nameOf(lead)}</a>
				${!lead.verified && html` <${Chip}>not verified<//>`}
			</span>
			<span class="number">${plural(lead.contest_score, "point")}</span>
			<span class="muted number">${plural(lead.referrals, "referral")}</span>
		</li>`;
	return html`
		<${List} live=${live} none=${html`<p class="muted">No leads yet.</p>`}>${rows => html`
			<ol class="leaders">${rows.map(leader)}</ol>
			<p class="hint">By points, without fraudulent leads.</p>`}
		<//>`;
}

function problemOf(webhook) {
	if (webhook.state === "failing")
		return `is failing: ${outcome(webhook.last_status, webhook.last_error)}`;
	return `${webhook.gone ? "answered 410 Gone" : "is disabled"}: deliveries wait until it is enabled`;
}

/** Webhooks that do not work, as rows of Problems. */
const problemsOf = (id, webhooks) => (webhooks || []).filter(one => one.state !== "active").map(one => [
	one.state === "failing" || one.gone ? "" : "wait",
	link(`campaigns/${id}/webhooks/${one.referenceId}`),
	`The webhook ${urlParts(one.url).join("")} ${problemOf(one)}.`,
]);

const Ended = ({ id, campaign }) => html`
	<${Notice} tone="wait" title="This campaign has ended"
		beside=${may("manage") && html`<a class="button" href=${link(`campaigns/${id}/settings`)}>Settings</a>`}>
		<${Time} at=${campaign.ended_at || campaign.ends_at} />. Sign-ups are closed.
	<//>`;

/** The numbers of a period. `previous`: those of the period before; `leads` turns a number into a link to its leads. */
function Numbers({ totals, previous, leads }) {
	const verified = percent(totals.verified, totals.leads);
	const referred = percent(totals.referred, totals.leads);
	return html`
		<div class="tiles">
			<${Tile} label="Leads" value=${leads(count(totals.leads), {})}
				note=${previous && html`<${Delta} now=${totals.leads} before=${previous.leads} />`} />
			<${Tile} label="Verified" value=${leads(verified, { verified: "on" })}
				note=${plural(totals.verified, "verified lead")} />
			<${Tile} label="Referred" value=${referred} note=${`${plural(totals.referred, "lead")} from referral links`} />
			<${Tile} label="Fraudulent" tone=${totals.fraudulent ? "wait" : ""} note="by a rule or manually"
				value=${leads(count(totals.fraudulent), { fraudulent: "on" })} />
		</div>`;
}

function Signups({ stats, period }) {
	const points = useMemo(() => {
		const first = period === "all" ? stats.points.findIndex(point => point.leads > 0) : 0;
		return stats.points.slice(first); // -1 without sign-ups: the last point
	}, [stats, period]);
	return html`
		<${Card} title="Sign-ups">
			<${Chart} key=${`${period}${stats.by}`} points=${points} by=${stats.by} label="Sign-ups over time" series=${SERIES} />
		<//>`;
}

/* ---- the first steps of a new campaign, shown until all are done or the user hides them ---- */

const hiddenKey = id => `checklist-${id}`;

const Step = ({ done, title, children }) => html`
	<li class=${done ? "done" : ""}>
		<details open=${!done}>
			<summary>
				<span class="tick" aria-hidden="true">${done ? "✓" : "○"}</span>
				${title}<span class="offscreen">${done ? " (done)" : " (to do)"}</span>
			</summary>
			<div class="prose">${children}</div>
		</details>
	</li>`;

function SignUpStep({ id, campaign, embed, done }) {
	const page = campaign.pages && embed.page;
	return html`
		<${Step} done=${done} title="Get the first sign-up">
			${page && html`
				<p>
					Your sign-up page is online: <a href=${page} target="_blank" rel="noreferrer noopener">${page}</a>.
					${" "}<a href=${link(`campaigns/${id}/pages`)}>Change its texts and colors</a>, or${" "}
					<a href=${link(`campaigns/${id}/pages`, { tab: "mails" })}>see which emails leads get</a>.
				</p>`}
			${embed.script && html`
				<p>Or add the form to your own page. Paste this where the form belongs:</p>
				<${Code} text=${[embed.script, embed.form].filter(Boolean).join("\n")} what="the form" />`}
			<p class="muted" role="status">
				${done ? "The first lead has arrived." : "Waiting for the first sign-up. This page updates automatically."}
			</p>
		<//>`;
}

const WebhookStep = ({ id, done }) => html`
	<${Step} done=${done} title="Send leads to your other systems">
		<p>A webhook sends each sign-up to your CRM, newsletter or automation, and retries when the receiver is down.</p>
		<p><a class="button" href=${link(`campaigns/${id}/webhooks`, { add: "yes" })}>Add a webhook</a></p>
	<//>`;

function RewardStep({ id, campaign, done }) {
	const countsVerified = campaign.require_verification ||
		(campaign.public_lookup !== "all" && (campaign.verify_email || campaign.verify_phone));
	return html`
		<${Step} done=${done} title="Give leads a reason to invite friends">
			<p>
				Leads reach rewards with points.
				${" "}A lead gets ${plural(campaign.points_direct, "point")} for each friend who
				${countsVerified ? " signs up and is verified" : " signs up"}.
			</p>
			<p><a class="button" href=${link(`campaigns/${id}/settings`, { tab: "rewards" })}>Add a reward</a></p>
		<//>`;
}

function Checklist({ id, campaign, webhooks }) {
	const [hidden, hide] = useState(localStorage.getItem(hiddenKey(id)) === "yes");
	const wanted = !hidden && may("manage");
	const embed = useList(wanted ? `campaigns/${id}/embed` : null, {}, { every: 0 });
	const rewards = useList(wanted ? `campaigns/${id}/rewards` : null, {}, { every: 60 });
	if (!wanted || !embed || !webhooks || !rewards)
		return null;
	const isReferral = campaign.points_direct > 0;
	const steps = [campaign.lead_count > campaign.jump_start, webhooks.length > 0, !isReferral || rewards.length > 0];
	if (steps.every(Boolean))
		return null;
	const drop = () => {
		localStorage.setItem(hiddenKey(id), "yes");
		hide(true);
	};
	const hiding = html`<button type="button" class="small quiet" onClick=${drop}>Hide</button>`;
	return html`
		<${Card} title="Get started" kind="checklist" beside=${hiding}>
			<ol>
				<${SignUpStep} id=${id} campaign=${campaign} embed=${embed} done=${steps[0]} />
				<${WebhookStep} id=${id} done=${steps[1]} />
				${isReferral && html`<${RewardStep} id=${id} campaign=${campaign} done=${steps[2]} />`}
			</ol>
		<//>`;
}

/* ---- the view ---- */

export function Campaign({ id, query }) {
	const campaign = useLive(`campaigns/${id}`, {}, { every: 60 });
	const period = query.period || "30d";
	const filter = periodQuery(period);
	const stats = useLive(`campaigns/${id}/stats`, filter, { every: 30 });
	const webhooks = useList(may("hooks") ? `campaigns/${id}/webhooks` : null, {}, { every: 15 });
	const leads = (text, filters) => {
		const place = link(`campaigns/${id}/leads`, { ...filters, since: filter.since, newest: true });
		return may("leads") ? html`<a href=${place}>${text}</a>` : text;
	};
	const choose = key => setQuery({ period: key === "30d" ? null : key });
	return html`
		<${Page} title=${campaign.value?.name || campaignName(id)} live=${stats}>
			<${Loaded} live=${campaign}>${one => html`
				${one.state === "ended" && html`<${Ended} id=${id} campaign=${one} />`}
				<${Problems} rows=${problemsOf(id, webhooks)} />
				<${Checklist} id=${id} campaign=${one} webhooks=${webhooks} />
				<${Segments} label="Period" options=${PERIODS} value=${period} choose=${choose} kind="small" />
				<${Loaded} live=${stats} lines=${8}>${found => html`
					${!found.complete && html`<${Notice}>Statistics are still being built. Earlier hours are missing.<//>`}
					<${Numbers} totals=${found.totals} previous=${period !== "all" && found.previous} leads=${leads} />
					<${Signups} stats=${found} period=${period} />
					<div class="masonry">
						<${Card} title="Where leads come from">
							<${Sources} stats=${found} />
							<${SourceValues} id=${id} since=${filter.since} />
						<//>
						<${Card} title="Referrals"><${Referrals} stats=${found} id=${id} /><//>
						${may("leads") && html`<${Card} title="Leaderboard"><${Leaders} id=${id} /><//>`}
					</div>`}<//>`}<//>
		<//>`;
}
