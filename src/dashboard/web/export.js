// SPDX-License-Identifier: MIT
// The view that exports leads, part by part.
import { useEffect, useRef, useState } from "./hooks.js";
import { get } from "./api.js";
import { plural } from "./format.js";
import { campaignName, useList } from "./live.js";
import { Field, Form, useForm, wrongField } from "./forms.js";
import { Card, Chip, Notice, Page, Progress, html, toast } from "./ui.js";
import { dayOf, lastDayBefore } from "./zone.js";

const ORDERS = { __proto__: null, newest: "newest first", order: "most points first" };
const FILTERS = ["name", "verified", "waitlisted", "fraudulent", "opted_out", "tag", "source", "since", "until"];
const STATES = { __proto__: null, verified: "verified", fraudulent: "fraudulent", waitlisted: "waitlisted", opted_out: "unsubscribed" };
const DATES = { __proto__: null, since: value => `from ${dayOf(value)}`, until: value => `to ${lastDayBefore(value)}` };

const VERIFIED = [["", "Verified or not"], ["on", "Verified"], ["off", "Not verified"]];

const BYTE_ORDER_MARK = "\ufeff"; // without it, spreadsheets guess another encoding
const FORMATS = [
	["csv", "CSV, for spreadsheets"],
	["ndjson", "NDJSON (one JSON object per line, for programs)"],
];

/** A filter in words. */
function wordOf([name, value], tags) {
	if (name === "tag")
		return `tag ${tags?.find(one => String(one.id) === value)?.name || value}`;
	if (STATES[name] && (value === "on" || value === "off"))
		return value === "on" ? STATES[name] : `not ${STATES[name]}`;
	return ORDERS[name] || DATES[name]?.(value) || `${name} ${value}`;
}

/** The first records of a text. In CSV, the heading counts as one, and quoted values may contain line ends. */
function firstOf(text, records, format) {
	let left = records;
	for (const { 0: piece, index } of text.matchAll(format === "csv" ? /"[^"]*"|\n/g : /\n/g))
		if (piece === "\n" && --left === 0)
			return text.slice(0, index + 1);
	return text;
}

/** A text as part of a file name. */
const forFile = text => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase();

/**
 * Reads the leads with these filters, at most `most`, until `stopping` is true. `report` gets their number after each part. Returns
 * the number and the pieces of the file.
 */
async function readLeads(id, filters, format, most, stopping, report) {
	const pieces = format === "ndjson" ? [] : [BYTE_ORDER_MARK];
	let [leads, headings] = [0, format === "csv" ? 1 : 0]; // leads read so far; heading lines not yet read
	for (let next = { ...filters, format: format === "ndjson" ? format : undefined }; next && leads < most && !stopping.current;) {
		const part = await get(`campaigns/${id}/export`, next);
		const { records } = part.value;
		const taken = Math.min(part.value.leads, most - leads);
		pieces.push(taken < part.value.leads ? firstOf(records, headings + taken, format) : records);
		leads += taken;
		if (records) headings = 0;
		next = part.next;
		report(leads);
	}
	return { leads, pieces };
}

/** The filters of the export, and the same in words. */
function useFilters(id, query, verified) {
	const tags = useList(query.tag ? `campaigns/${id}/tags` : null, {}, { every: 0 });
	const names = [...FILTERS, ...Object.keys(ORDERS)].filter(name => query[name]);
	const filters = { ...Object.fromEntries(names.map(name => [name, query[name]])), verified };
	return [filters, Object.entries(filters).filter(([, value]) => value).map(one => wordOf(one, tags))];
}

export function Export({ id, query }) {
	const form = useForm({ format: "csv", verified: query.verified || "", most: "" });
	const [state, set] = useState(null);
	const stopping = useRef(false);
	const stop = () => {
		stopping.current = true;
	};
	useEffect(() => stop, []);
	useEffect(() => () => URL.revokeObjectURL(state?.url), [state?.url]);
	const [filters, words] = useFilters(id, query, form.values.verified);
	async function run() {
		const { format } = form.values;
		const most = form.values.most.trim() === "" ? Infinity : Math.floor(Number(form.values.most));
		if (!(most >= 1))
			throw wrongField("most", "Enter a number, or leave the field empty to export all.");
		stopping.current = false;
		const { leads, pieces } = await readLeads(id, filters, format, most, stopping, so => set({ leads: so }));
		if (stopping.current) {
			set(null);
			return;
		}
		const name = `${[campaignName(id), ...(words.length > 0 ? words : ["leads"])].map(forFile).join("-")}.${format}`;
		const url = URL.createObjectURL(new Blob(pieces, { type: format === "ndjson" ? "application/x-ndjson" : "text/csv" }));
		Object.assign(document.createElement("a"), { href: url, download: name }).click();
		set({ leads, done: true, url, name });
		toast(`${plural(leads, "lead")} exported`);
	}
	return html`
		<${Page} title="Export leads" campaign=${id} list=${["leads", "Leads"]}>
			<${Card}>
				<p>
					${words.length > 0
						? html`Exports the leads of the list: ${words.map(one => html`<${Chip} key=${one}>${one}<//> `)}`
						: "Exports all leads."}
				</p>
				<${Form} form=${form} onSubmit=${run} submit=${form.busy ? null : "Export"}>
					<${Field} form=${form} name="verified" label="Verification" type="select" options=${VERIFIED} />
					<${Field} form=${form} name="most" label="Number of leads" type="number"
						hint=${`Leave empty for all. 10 exports the ${query.order ? "ten with the most points" : "first ten of the list"}.`} />
					<${Field} form=${form} name="format" label="Format" type="select" options=${FORMATS} />
				<//>
				${form.busy && html`
					<${Progress} label="Export" text=${state ? `${plural(state.leads, "lead")} so far…` : "Starting…"}>
						<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
					<//>`}
				${state?.done && html`
					<${Notice} tone="good" role="status" title=${`${plural(state.leads, "lead")} exported.`}>
						If the download does not start: <a href=${state.url} download=${state.name}>${state.name}</a>
					<//>`}
			<//>
		<//>`;
}
