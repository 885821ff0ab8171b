// SPDX-License-Identifier: MIT
// The view that imports a file: look, check, import. An import that was stopped can continue there, even after a reload.
import { useEffect, useRef, useState } from "./hooks.js";
import { bytes, count, plural } from "./format.js";
import { Columns, Constants, Questions, Reading, becomes, isAnswered, wordOf } from "./import_columns.js";
import { forgetPlace, joinQuestions, keepPlace, storedPlace, lookAt, nothingYet, sendFile } from "./import_file.js";
import { useLeaveWarning } from "./leave.js";
import { link } from "./route.js";
import { Button, Card, Notice, Page, Problem, Progress, Table, download, html, sentence } from "./ui.js";

const SHOWN_ROWS = 50;

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
			<input type="file" id="import-file" accept=".csv,.txt,.tsv,.ndjson,.jsonl,text/csv" onChange=${choose} />
			<p class="muted">
				Exports from Mailchimp, HubSpot, Brevo, ActiveCampaign, Google and Outlook contacts, and CSV files from Excel work,
				whatever their size. One line must contain the column names.
			</p>
		</div>`;
}

const STARTING = { map: {}, set: {}, value: {} };

/** The object without its empty members; null: all are empty. */
function filled(object) {
	const entries = Object.entries(object).filter(([, value]) => value !== undefined && String(value).trim() !== "");
	return entries.length > 0 ? Object.fromEntries(entries) : null;
}

/** The choices as members of a call. A column with an empty name is left out, and so are meanings of values in mapped columns. */
function optionsOf(look, { map, set, value, ...others }, file) {
	// the column of addresses may have been found by its cells; it is sent, because later slices have other cells
	const found = Object.fromEntries(look.columns.flatMap(({ field }, at) => (field === "email" ? [[`#${at + 1}`, field]] : [])));
	const words = Object.entries({ ...found, ...map }).map(([column, word]) => [column, word?.trim() === "" ? "-" : word]);
	const meanings = Object.entries(value).filter(([key]) => map[key.slice(0, key.indexOf(":"))] === undefined);
	return {
		...filled({ encoding: look.encoding, delimiter: look.delimiter, heading: look.heading, ...others }),
		map: filled(Object.fromEntries(words)),
		set: filled(set),
		value: filled(Object.fromEntries(meanings)),
		file_name: file.name,
	};
}

const Sending = ({ state, file, what, children }) => html`
	<${Card}>
		<${Progress} label=${what} max=${file.size} value=${state.offset}
			text=${`${what}: ${plural(state.counts.rows, "row")}, ${Math.floor((100 * state.offset) / file.size)} %.`} />
		${children}
	<//>`;

const REASONS = [
	["Rows", ([, rows]) => count(rows), "number"],
	["Why they are skipped", ([reason]) => sentence(reason)],
];
const SKIPPED = [
	["Line", row => row.line, "number"],
	["Reason", row => sentence(row.reason)],
	["Row", row => html`<code>${row.record}</code>`],
];
const REMARKS = [
	["Line", row => row.line, "number"],
	["What", row => sentence(row.remark)],
	["Value", row => html`<code>${row.value}</code>`],
];

const cell = text => `"${text.replaceAll('"', '""')}"`;

function Skipped({ state, look }) {
	const reasons = Object.entries(state.reasons).sort((a, b) => b[1] - a[1]);
	if (reasons.length === 0)
		return null;
	const between = look.delimiter === "tab" ? "\t" : look.delimiter;
	const heading = ["_line", "_reason", ...look.columns.map(one => one.column)].map(cell).join(between);
	const rows = state.skipped.map(row => `${row.line}${between}${cell(row.reason)}${between}${row.record || ""}`);
	const save = () => download("skipped.csv", `\ufeff${[heading, ...rows].join("\n")}\n`, "text/csv");
	return html`
		<${Table} name="Skipped rows" id=${([reason]) => reason} rows=${reasons} columns=${REASONS} />
		<details>
			<summary>Show the skipped rows</summary>
			<${Table} name="Rows" id=${row => `${row.line}${row.reason}`} rows=${state.skipped.slice(0, SHOWN_ROWS)} columns=${SKIPPED} />
			${look.delimiter && html`<${Button} onClick=${save}>Download skipped rows<//>`}
		</details>`;
}

/** What is imported differently from the file, and the tags. */
function Remarks({ state, isCheck, choices }) {
	const { phone_numbers_left_out: numbers, rows_in_other_encoding: others, left_out: left, tagged, opted_out: out } = state.counts;
	const { rows_with_several_emails: several } = state.counts;
	const tags = Object.entries(state.tags).map(([name, rows]) => `${name} (${plural(rows, "row")})`).join(", ");
	return html`
		<ul>
			${left > 0 && html`<li>${plural(left, "row")} left out, as you chose.</li>`}
			${tagged > 0 && html`<li>${plural(tagged, "lead")} that existed got tags.</li>`}
			${out > 0 && html`<li>${plural(out, "lead")} that existed ${isCheck ? "would be" : out === 1 ? "was" : "were"} unsubscribed.</li>`}
			${numbers > 0 && html`
				<li>
					${plural(numbers, "phone number")} not valid and left out. The leads are imported with the email address.
				</li>`}
			${several > 0 && html`<li>${plural(several, "row")} with several email addresses. The first one is taken.</li>`}
			${others > 0 && html`<li>${plural(others, "row")} not in the encoding of the file. Please check their accents below.</li>`}
			${state.waiting.length > 0 && isCheck && html`<li>${plural(state.waiting.length, "row")} with a referrer elsewhere in the file.</li>`}
			${tags && !choices.make_tags && html`<li>The campaign does not have these tags, so leads do not get them: ${tags}.</li>`}
			${tags && choices.make_tags && isCheck && html`<li>These tags will be created: ${tags}.</li>`}
		</ul>
		${state.remarks.length > 0 && html`
			<details>
				<summary>Show values that differ from the file</summary>
				<${Table} name="Values" id=${row => `${row.line}${row.remark}`} rows=${state.remarks.slice(0, SHOWN_ROWS)} columns=${REMARKS} />
			</details>`}`;
}

const BECOMES = [
	["Column", row => html`<strong>${row.column || "(no name)"}</strong>`],
	["Becomes", row => row.becomes],
];
const fieldsOf = (look, choices) =>
	look.columns.map((column, at) => ({
		column: column.column,
		at,
		becomes: Object.keys(choices.value).some(key => key.startsWith(`#${at + 1}:`)) && choices.map[`#${at + 1}`] === undefined
			? "whether they may get mail"
			: becomes(wordOf(look, choices, at)),
	}));

function Mapping({ file, look, choices, set, change, onCheck, back }) {
	const words = look.columns.map((_, at) => wordOf(look, choices, at));
	const identifies = look.format === "ndjson" || words.some(word => word === "email" || word === "phone_number");
	const isReady = identifies && isAnswered(look, choices);
	return html`
		<${Card} title="How the file is read">
			<p class="muted">${file.name}, ${bytes(file.size)}.</p>
			<${Reading} look=${look} change=${change} />
			${look.columns.length > 0 && html`<${Columns} look=${look} choices=${choices} set=${set} />`}
			${!identifies && html`<p class="error" role="status">One column must be the email address or the phone number.</p>`}
		<//>
		<${Questions} look=${look} choices=${choices} set=${set} />
		<${Constants} choices=${choices} set=${set} />
		${identifies && !isReady && html`<p class="error" role="status">Please answer the questions above.</p>`}
		<div class="buttons">
			<${Button} kind="primary" disabled=${!isReady} onClick=${onCheck}>Check the file<//>
			<button type="button" class="quiet" onClick=${back}>Choose another file</button>
		</div>`;
}

function Checked({ look, state, choices, start, back }) {
	const { valid, unchanged, rejected } = state.counts;
	const able = valid + state.waiting.length;
	return html`
		<${Card} title=${`${plural(able, "lead")} can be imported`}>
			<p>
				${plural(unchanged, "row")} with leads that already exist or appear twice. ${plural(rejected, "row")} will be skipped.
			</p>
			<${Remarks} state=${state} isCheck=${true} choices=${choices} />
			<${Skipped} state=${state} look=${look} />
			${look.columns.length > 0 && html`
				<${Table} name="Columns" id=${row => row.at} rows=${fieldsOf(look, choices)} columns=${BECOMES} />`}
			<p class="muted">
				The import sends no emails and no webhooks. Imported leads appear on the leaderboard. Existing leads are not changed,
				but ${choices.add_tags ? "get tags, and " : ""}are unsubscribed if the file says so.
			</p>
			<div class="buttons">
				<${Button} kind="primary" disabled=${able === 0 && !(choices.add_tags && unchanged > 0)} onClick=${start}>
					Import ${plural(able, "lead")}
				<//>
				<button type="button" onClick=${back}>Back</button>
			</div>
		<//>`;
}

const Done = ({ id, look, state, choices, isStopped, resume }) => html`
	<${Card} title=${isStopped ? "Stopped" : "Done"}>
		<p>
			<strong>${plural(state.counts.imported, "lead")}</strong> imported, ${count(state.counts.unchanged)} already existed,
			${" "}${plural(state.counts.rejected, "row")} skipped.
		</p>
		<${Remarks} state=${state} choices=${choices} />
		<${Skipped} state=${state} look=${look} />
		<div class="buttons">
			<a class="button primary" href=${link(`campaigns/${id}/leads`)}>Show the leads</a>
			${isStopped && html`<${Button} onClick=${resume}>Continue<//>`}
		</div>
	<//>`;

const Interrupted = ({ stored, file, resume, start }) => html`
	<${Notice} tone="wait" beside=${html`
		<${Button} kind="primary" onClick=${resume}>Continue<//>
		<button type="button" onClick=${start}>Start again</button>`}>
		The import of this file was stopped at ${Math.floor((100 * stored.state.offset) / file.size)} %:
		${" "}${plural(stored.state.counts.imported, "lead")} imported.
	<//>`;

/** Checks or imports the file from the offset of `state`. `show` updates the view. */
async function send({ id, file, look, choices, state, isImport, stopping, show }) {
	const stop = { now: false };
	stopping.current = stop;
	show({ step: isImport ? "importing" : "checking", look, choices, state, failure: null });
	const options = { ...optionsOf(look, choices, file), ...(isImport ? {} : { dry_run: true }) };
	const report = reached => {
		show({ state: reached });
		if (isImport) keepPlace(id, file, look, choices, reached);
	};
	try {
		const last = await sendFile(id, file, look, options, state, stop, report);
		if (isImport && !stop.now) forgetPlace(id);
		const asks = !isImport && last.questions.length > 0;
		const found = asks ? { ...look, questions: joinQuestions(look.questions, last.questions) } : look;
		show({ state: last, look: found, step: isImport ? "done" : stop.now || asks ? "columns" : "checked" });
	} catch (failure) {
		stop.now = true;
		show({ failure, step: isImport ? "done" : "columns" });
	}
}

export function Import({ id }) {
	const [now, setNow] = useState({ step: "file", choices: STARTING });
	const { step, file, look, choices, state, stored } = now;
	const show = some => setNow(old => ({ ...old, ...some }));
	const set = some => setNow(old => ({ ...old, choices: { ...old.choices, ...some } }));
	const stopping = useRef({ now: false });
	const stop = () => {
		stopping.current.now = true;
	};
	useEffect(() => stop, []);
	useLeaveWarning(step === "checking" || step === "importing", ["Stop the import?", "Stop"]);
	const read = (chosen, options) => {
		show({ failure: null });
		lookAt(id, chosen, options).then(found => show({ look: found, step: "columns" }), failure => show({ failure }));
	};
	const choose = chosen => {
		const before = storedPlace(id, chosen);
		show({ file: chosen, choices: STARTING, look: null, stored: before, step: before ? "stored" : step });
		if (!before) read(chosen, {});
	};
	/** Reads the file again, with another encoding, delimiter or heading, which may change the columns. */
	const change = some => {
		const next = { encoding: look.encoding, delimiter: look.delimiter, heading: look.heading, ...some };
		show({ choices: { ...STARTING, set: choices.set, encoding: next.encoding } });
		read(file, next);
	};
	const run = some => send({ id, file, look, choices, stopping, show, ...some });
	const check = async () => {
		const found = await lookAt(id, file, optionsOf(look, choices, file));
		if (found.questions?.length > 0) show({ look: { ...look, questions: joinQuestions(look.questions, found.questions) } });
		else run({ isImport: false, state: nothingYet(found) });
	};
	const start = () => run({ isImport: true, state: { ...nothingYet(look), lastNumber: state.lastNumber } });
	const goOn = from => run({ isImport: true, look: from.look, choices: from.choices, state: from.state });
	const startAgain = () => {
		forgetPlace(id);
		show({ stored: null, step: "file" });
		read(file, {});
	};
	const back = () => show({ step: "columns" });
	const stopButton = html`<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>`;
	return html`
		<${Page} title="Import leads" campaign=${id} list=${["leads", "Leads"]}>
			<${Problem} failure=${now.failure} />
			${step === "file" && html`<${Choose} onFile=${choose} />`}
			${step === "stored" && html`
				<${Interrupted} stored=${stored} file=${file} resume=${() => goOn(stored)} start=${startAgain} />`}
			${step === "columns" && html`
				<${Mapping} file=${file} look=${look} choices=${choices} set=${set} change=${change} onCheck=${check}
					back=${() => show({ step: "file", failure: null })} />`}
			${step === "checking" && html`<${Sending} state=${state} file=${file} what="Checked">${stopButton}<//>`}
			${step === "checked" && html`<${Checked} look=${look} state=${state} choices=${choices} start=${start} back=${back} />`}
			${step === "importing" && html`
				<${Sending} state=${state} file=${file} what="Imported">
					<p class="muted">Keep this tab open. You can continue a stopped import later with the same file.</p>
					${stopButton}
				<//>`}
			${step === "done" && html`
				<${Done} id=${id} look=${look} state=${state} choices=${choices} isStopped=${stopping.current.now}
					resume=${() => goOn(now)} />`}
		<//>`;
}
