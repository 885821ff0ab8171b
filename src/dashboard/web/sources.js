// SPDX-License-Identifier: MIT
// Where leads come from: values of UTM parameters, and referring sites.
import { useState } from "./hooks.js";
import { plural, utcDay } from "./format.js";
import { useLive } from "./live.js";
import { Bars, Loaded, Segments, html } from "./ui.js";

const KINDS = [
	["utm_source", "UTM source"],
	["utm_campaign", "UTM campaign"],
	["utm_medium", "UTM medium"],
	["site", "Websites"],
];

const OTHERS = html`<span class="muted">All others</span>`;

/** The values since the day of a time, one kind at a time; nothing if there are none. */
export function SourceValues({ id, since }) {
	const live = useLive(`campaigns/${id}/sources`, { since }, { every: 60 });
	const [chosen, choose] = useState(null);
	return html`
		<${Loaded} live=${live} lines=${3}>${found => {
			const kinds = KINDS.filter(([kind]) => found.some(row => row.kind === kind));
			const refused = Object.fromEntries(found.filter(row => row.kind === "refused").map(row => [row.value, row.signups]));
			const notice = refused.signups > 0 && html`
				<p class="notice">
					${refused.signups} sign-ups since ${utcDay(since)} were refused because too many came from the same IP address
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
