// SPDX-License-Identifier: MIT
// Import and export of leads in parts, with progress. A part whose response was lost is sent again.
import { useEffect, useRef, useState } from "./hooks.js";
import { get, post } from "./api.js";
import { bytes, count, plural } from "./format.js";
import { Crumbs, campaignName } from "./frame.js";
import { useLeaveWarning } from "./leave.js";
import { useList } from "./live.js";
import { link } from "./route.js";
import { Field, Form, useForm } from "./forms.js";
import { Button, Chip, Notice, Page, Problem, Table, download, html, toast } from "./ui.js";
import { dayOf, lastDayBefore } from "./zone.js";

const PART_ROWS = 1000;
const PART_BYTES = 900 * 1000;
const PREVIEW_ROWS = 5;

/* ---- reading a file ---- */

/** The text of a file, whose encoding is guessed: UTF-8, UTF-16 by its mark, else Windows-1252. */
async function textOf(file) {
	const data = new Uint8Array(await file.arrayBuffer());
	if (data[0] === 0xff && data[1] === 0xfe)
		return new TextDecoder("utf-16le").decode(data);
	if (data[0] === 0xfe && data[1] === 0xff)
		return new TextDecoder("utf-16be").decode(data);
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(data);
	} catch (error) {
		return new TextDecoder("windows-1252").decode(data);
	}
}

/** The records of CSV as pieces of the text, with respect to quotes. */
function recordsOf(text) {
	const records = [];
	let begin = 0;
	let quoted = false;
	for (let at = 0; at < text.length; at++) {
		const sign = text[at];
		if (sign === '"') quoted = !quoted;
		else if (sign === "\n" && !quoted) {
			if (text.slice(begin, at).trim()) records.push(text.slice(begin, at + 1));
			begin = at + 1;
		}
	}
	if (text.slice(begin).trim()) records.push(`${text.slice(begin)}\n`);
	return records;
}

const DELIMITERS = [",", ";", "\t", "|"];
const delimiterOf = heading =>
	DELIMITERS.reduce((best, one) => (heading.split(one).length > heading.split(best).length ? one : best), ",");

/** The cells of one record. */
function cellsOf(record, delimiter) {
	const cells = [];
	let cell = "";
	let quoted = false;
	for (let at = 0; at < record.length; at++) {
		const sign = record[at];
		if (quoted && sign === '"' && record[at + 1] === '"') {
			cell += '"';
			at++;
		} else if (sign === '"') quoted = !quoted;
		else if (sign === delimiter && !quoted) {
			cells.push(cell);
			cell = "";
		} else cell += sign;
	}
	return [...cells, cell.replace(/\r?\n$/, "")];
}

/** Parts of records that one call takes; each has the heading. */
function* partsOf(heading, records) {
	const encoder = new TextEncoder();
	let part = [];
	let size = 0;
	for (const record of records) {
		const length = encoder.encode(record).length;
		if (part.length === PART_ROWS || (part.length > 0 && size + length > PART_BYTES)) {
			yield [heading, ...part].join("");
			part = [];
			size = 0;
		}
		part.push(record);
		size += length;
	}
	if (part.length > 0) yield [heading, ...part].join("");
}

/* ---- import ---- */

const FIELDS = [
	["", "field of that name"],
	["email", "email address"],
	["phone_number", "phone number"],
	["first_name", "first name"],
	["last_name", "last name"],
	["subscription_number", "subscription number"],
	["social_id", "lead ID"],
	["parent_id", "lead ID of the referrer"],
	["contest_score", "points"],
	["verified", "verified"],
	["opted_out", "unsubscribed"],
	["tags", "tags"],
	["created", "sign-up time"],
	["ip", "IP address"],
];
const FIELD_NAMES = new Map(FIELDS.filter(([name]) => name));
const GUESSES = {
	__proto__: null,
	mail: "email",
	"e-mail": "email",
	"email address": "email",
	"e-mail address": "email",
	phone: "phone_number",
	mobile: "phone_number",
	"first name": "first_name",
	firstname: "first_name",
	"last name": "last_name",
	lastname: "last_name",
	surname: "last_name",
	score: "contest_score",
	points: "contest_score",
	created_at: "created",
	when: "created",
	vorname: "first_name",
	nachname: "last_name",
	telefon: "phone_number",
	nombre: "first_name",
	apellido: "last_name",
	apellidos: "last_name",
	teléfono: "phone_number",
	prénom: "first_name",
	nom: "last_name",
	téléphone: "phone_number",
};

const guess = column => (FIELD_NAMES.has(column) ? column : GUESSES[column.trim().toLowerCase()] || "");

function Choose({ onFile }) {
	const [over, set] = useState(false);
	const dragOver = event => {
		event.preventDefault();
		set(true);
	};
	const drop = event => {
		event.preventDefault();
		set(false);
		if (event.dataTransfer.files[0]) onFile(event.dataTransfer.files[0]);
	};
	const choose = event => event.currentTarget.files[0] && onFile(event.currentTarget.files[0]);
	return html`
		<div class=${`drop ${over ? "over" : ""}`} onDragOver=${dragOver} onDragLeave=${() => set(false)} onDrop=${drop}>
			<p><label for="import-file">Choose a CSV file</label> or drop it here.</p>
			<input type="file" id="import-file" accept=".csv,.txt,text/csv" onChange=${choose} />
			<p class="muted">
				The first line must contain the column names. CSV files from Excel, HubSpot and Mailchimp work, of any size.
			</p>
		</div>`;
}

function FieldChoice({ column, map, setMap }) {
	const chosen = map[column] || "";
	const choose = event => setMap({ ...map, [column]: event.currentTarget.value });
	return html`
		<select aria-label=${`Field for ${column}`} value=${chosen} onChange=${choose}>
			${FIELDS.map(([value, text]) => html`
				<option key=${value} value=${value} selected=${value === chosen}>${text}</option>`)}
		</select>`;
}

function Columns({ file, map, setMap, onCheck }) {
	const examplesOf = at => file.samples.map(cells => cells[at]).filter(Boolean).slice(0, 3).join(", ");
	const identifies = Object.values(map).some(value => value === "email" || value === "phone_number");
	const columns = [
		{ title: "Column", cell: row => html`<strong>${row.name}</strong>` },
		{ title: "Examples", cell: row => html`<span class="muted">${examplesOf(row.at)}</span>` },
		{ title: "Field", cell: row => html`<${FieldChoice} column=${row.name} map=${map} setMap=${setMap} />` },
	];
	const rows = file.columns.map((name, at) => ({ name, at }));
	return html`
		<section class="card">
			<h2>Map the columns</h2>
			<p class="muted">${file.name}: ${plural(file.records.length, "row")}, ${bytes(file.size)}.</p>
			<${Table} name="Columns" id=${row => row.at} rows=${rows} columns=${columns} />
			${!identifies && html`
				<p class="error" role="status">Map one column to the email address or the phone number.</p>`}
			<div class="buttons">
				<${Button} kind="primary" disabled=${!identifies} onClick=${onCheck}>Check the file<//>
			</div>
		</section>`;
}

function linesFrom(text, line) {
	const end = text.includes("\n") ? "\n" : "\r";
	return text.split(end).slice(line - 1).join(end);
}

const NOTHING = { rows: 0, imported: 0, unchanged: 0, rejected: 0, valid: 0 };

/** Sends a part, when it is its turn. */
async function sendPart(campaign, body) {
	for (;;) {
		try {
			return (await post(`campaigns/${campaign}/import`, body)).value;
		} catch (failure) {
			if (failure.code !== "busy")
				throw failure;
			await new Promise(resolve => setTimeout(resolve, failure.retryAfter * 1000));
		}
	}
}

/** Sends all parts; `stop.now` ends it after the present one. Calls `report` with the sums so far, and what the columns become. */
async function sendParts(campaign, file, map, options, stop, report) {
	const sums = { ...NOTHING, rejectedRows: [] };
	const names = Object.fromEntries(Object.entries(map).filter(([name, value]) => value && value !== name));
	let last = null;
	const parts = partsOf(file.heading, file.records);
	for (let records = parts.next().value; records; ) {
		if (stop.now)
			return { ...sums, stopped: true };
		const value = await sendPart(campaign, {
			records,
			delimiter: file.delimiter === "\t" ? "tab" : file.delimiter,
			...(Object.keys(names).length > 0 ? { map: names } : {}),
			...(last ? { last_number: last } : {}),
			...options,
		});
		const before = sums.rows;
		for (const name of Object.keys(NOTHING)) sums[name] += value[name] || 0;
		sums.columns ||= value.columns;
		sums.rejectedRows.push(...(value.rejected_rows || []).map(row => ({ ...row, line: row.line + before })));
		last = value.last_number || last;
		records = value.next_line ? file.heading + linesFrom(records, value.next_line) : parts.next().value;
		report({ ...sums });
	}
	return sums;
}

function Progress({ sums, total, what }) {
	return html`
		<div class="progress">
			<progress max=${total} value=${sums.rows} aria-label=${what} />
			<p role="status">${what}: ${count(sums.rows)} of ${plural(total, "row")}.</p>
		</div>`;
}

const REJECTED = [
	{ title: "Line", kind: "number", cell: row => row.line },
	{ title: "Reason", cell: row => row.reason },
	{ title: "Row", cell: row => html`<code>${row.record}</code>` },
];

function Rejected({ sums, file }) {
	const rows = sums.rejectedRows;
	if (rows.length === 0)
		return null;
	const save = () => download("rejected.csv", [file.heading, ...rows.map(row => `${row.record}\n`)].join(""), "text/csv");
	return html`
		<details>
			<summary>${plural(rows.length, "rejected row")}</summary>
			<${Table} name="Rejected rows" id=${row => `${row.line}${row.reason}`} rows=${rows.slice(0, 50)} columns=${REJECTED} />
			<${Button} onClick=${save}>Download rejected rows<//>
		</details>`;
}

const BECOMES = [
	{ title: "Column", cell: row => html`<strong>${row.column}</strong>` },
	{ title: "Becomes", cell: row => FIELD_NAMES.get(row.becomes) || row.becomes },
];

/** The steps of an import after the columns are mapped; `back` leads to them. */
const STEPS = {
	checking: ({ file, sums, stop }) => html`
		<section class="card">
			<${Progress} sums=${sums} total=${file.records.length} what="Checked" />
			<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
		</section>`,
	checked: ({ file, sums, start, back }) => html`
		<section class="card">
			<h2>${plural(sums.valid, "lead")} can be imported</h2>
			${sums.rejected > 0 && html`<p>${plural(sums.rejected, "row")} will be skipped.</p>`}
			<${Rejected} sums=${sums} file=${file} />
			<${Table} name="Columns" id=${row => row.column} rows=${sums.columns} columns=${BECOMES} />
			<p class="muted">The import sends no emails and no webhooks. Existing leads are not changed. Imported leads appear on the leaderboard, with their names.</p>
			<div class="buttons">
				<${Button} kind="primary" disabled=${sums.valid === 0} onClick=${start}>Import ${plural(sums.valid, "lead")}<//>
				<button type="button" onClick=${back}>Back</button>
			</div>
		</section>`,
	importing: ({ file, sums, stop }) => html`
		<section class="card">
			<${Progress} sums=${sums} total=${file.records.length} what="Imported" />
			<p class="muted">Keep this tab open. You can repeat a stopped import with the same file.</p>
			<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
		</section>`,
	done: ({ id, file, sums, start }) => html`
		<section class="card">
			<h2>${sums.stopped ? "Stopped" : "Done"}</h2>
			<p>
				<strong>${plural(sums.imported, "lead")}</strong> imported, ${count(sums.unchanged)} already existed,
				${" "}${plural(sums.rejected, "row")} skipped.
			</p>
			<${Rejected} sums=${sums} file=${file} />
			<div class="buttons">
				<a class="button primary" href=${link(`campaigns/${id}/leads`)}>Show the leads</a>
				${sums.stopped && html`<${Button} onClick=${start}>Continue<//>`}
			</div>
		</section>`,
};

export function Import({ id }) {
	const [step, setStep] = useState("file");
	const [file, setFile] = useState(null);
	const [map, setMap] = useState({});
	const [sums, setSums] = useState(null);
	const [failure, setFailure] = useState(null);
	const stopping = useRef({ now: false });
	useLeaveWarning(step === "checking" || step === "importing", ["Stop the import?", "Stop"]);
	const stop = () => {
		stopping.current.now = true;
	};
	useEffect(() => stop, []);
	async function choose(chosen) {
		setFailure(null);
		const text = (await textOf(chosen)).replace(/^\ufeff/, "");
		const all = recordsOf(text);
		if (all.length < 2) {
			setFailure(
				new Error("The file has no rows. The first line must contain the column names, and each further line a lead."),
			);
			return;
		}
		const delimiter = delimiterOf(all[0]);
		const columns = cellsOf(all[0], delimiter).map(name => name.trim());
		setFile({
			name: chosen.name,
			size: chosen.size,
			heading: all[0],
			records: all.slice(1),
			delimiter,
			columns,
			samples: all.slice(1, 1 + PREVIEW_ROWS).map(record => cellsOf(record, delimiter)),
		});
		setMap(Object.fromEntries(columns.map(name => [name, guess(name)])));
		setStep("columns");
	}
	async function run(next, done, options) {
		stopping.current = { now: false };
		setFailure(null);
		setSums({ ...NOTHING, rejectedRows: [] });
		setStep(next);
		try {
			const found = await sendParts(id, file, map, options, stopping.current, setSums);
			setSums(found);
			setStep(found.stopped && next === "checking" ? "columns" : done);
		} catch (problem) {
			setFailure(problem);
			setSums(found => ({ ...found, stopped: true }));
			setStep(next === "checking" ? "columns" : done);
		}
	}
	const check = () => {
		run("checking", "checked", { dry_run: true });
	};
	const start = () => {
		run("importing", "done", {});
	};
	const back = () => setStep("columns");
	return html`
		<${Page} title="Import leads" above=${html`<${Crumbs} id=${id} path="leads" name="Leads" />`}>
			<${Problem} failure=${failure} />
			${step === "file" && html`<${Choose} onFile=${one => choose(one).catch(setFailure)} />`}
			${step === "columns" && html`
				<${Columns} file=${file} map=${map} setMap=${setMap} onCheck=${check} />
				<p><button type="button" class="quiet" onClick=${() => setStep("file")}>Choose another file</button></p>`}
			${STEPS[step]?.({ id, file, sums, start, stop, back })}
		<//>`;
}

/* ---- export ---- */

const ORDERS = { __proto__: null, newest: "newest first", order: "highest score first" };
const FILTERS = ["name", "verified", "waitlisted", "fraudulent", "opted_out", "tag", "source", "since", "until"];
const WORDS = {
	__proto__: null,
	verified: { __proto__: null, on: "verified", off: "not verified" },
	fraudulent: { __proto__: null, on: "fraudulent", off: "not fraudulent" },
	waitlisted: { __proto__: null, on: "waitlisted", off: "not waitlisted" },
	opted_out: { __proto__: null, on: "unsubscribed", off: "not unsubscribed" },
};

/* The last day is exported, too. */
const DATES = { __proto__: null, since: value => `from ${dayOf(value)}`, until: value => `to ${lastDayBefore(value)}` };

const VERIFIED = [
	["", "Verified or not"],
	["on", "Verified"],
	["off", "Not verified"],
];

const BYTE_ORDER_MARK = "\ufeff"; // without it spreadsheets take the text for that of another encoding
const FORMATS = [
	["csv", "CSV, for spreadsheets"],
	["ndjson", "NDJSON (one JSON object per line, for programs)"],
];

/** A filter in words; `tags`: those of the campaign. */
function wordOf([name, value], tags) {
	if (name === "tag")
		return `tag ${tags?.find(one => String(one.id) === value)?.name || value}`;
	return ORDERS[name] || DATES[name]?.(value) || WORDS[name]?.[value] || `${name} ${value}`;
}
/** A part of the name of a file. */
const forFile = text => text.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").toLowerCase();

export function Export({ id, query }) {
	const form = useForm({ format: "csv", verified: query.verified || "" });
	const [state, set] = useState(null);
	const stopping = useRef(false);
	const stop = () => {
		stopping.current = true;
	};
	useEffect(() => stop, []);
	useEffect(() => () => URL.revokeObjectURL(state?.url), [state?.url]);
	const filters = {
		...Object.fromEntries([...FILTERS, ...Object.keys(ORDERS)].filter(name => query[name]).map(name => [name, query[name]])),
		verified: form.values.verified,
	};
	const tags = useList(query.tag ? `campaigns/${id}/tags` : null, {}, { every: 0 });
	const words = Object.entries(filters).filter(([, value]) => value).map(one => wordOf(one, tags));
	async function run() {
		const { format } = form.values;
		const pieces = format === "ndjson" ? [] : [BYTE_ORDER_MARK];
		stopping.current = false;
		let leads = 0;
		for (let next = { ...filters, format: format === "ndjson" ? format : undefined }; next && !stopping.current;) {
			const part = await get(`campaigns/${id}/export`, next);
			pieces.push(part.value.records);
			leads += part.value.leads;
			next = part.next;
			set({ leads });
		}
		if (stopping.current) {
			set(null);
			return;
		}
		const type = format === "ndjson" ? "application/x-ndjson" : "text/csv";
		const url = URL.createObjectURL(new Blob(pieces, { type }));
		const name = `${[campaignName(id), ...(words.length > 0 ? words : ["leads"])].map(forFile).join("-")}.${format}`;
		Object.assign(document.createElement("a"), { href: url, download: name }).click();
		set({ leads, done: true, url, name });
		toast(`${plural(leads, "lead")} exported`);
	}
	return html`
		<${Page} title="Export leads" above=${html`<${Crumbs} id=${id} path="leads" name="Leads" />`}>
			<section class="card">
				<p>
					${words.length > 0
						? html`Exports the leads as listed: ${words.map(one => html`<${Chip} key=${one}>${one}<//> `)}`
						: "Exports all leads."}
				</p>
				<${Form} form=${form} onSubmit=${run} submit=${form.busy ? null : "Export"}>
					<${Field} form=${form} name="verified" label="Verification" type="select" options=${VERIFIED} />
					<${Field} form=${form} name="format" label="Format" type="select" options=${FORMATS} />
				<//>
				${form.busy && html`
					<div class="progress">
						<progress aria-label="Export" />
						<p role="status">${state ? `${plural(state.leads, "lead")} so far…` : "Starting…"}</p>
						<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
					</div>`}
				${state?.done && html`
					<${Notice} tone="good">
						<p role="status">
							<strong>${plural(state.leads, "lead")} exported.</strong> If the download does not start:
							${" "}<a href=${state.url} download=${state.name}>${state.name}</a>
						</p>
					<//>`}
			</section>
		<//>`;
}
