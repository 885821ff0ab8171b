// SPDX-License-Identifier: MIT
// The view that imports a file: look, check, import. A stopped import goes on where it was, also after a reload.
import { useEffect, useRef, useState } from "./hooks.js";
import { bytes, count, plural } from "./format.js";
import { Crumbs } from "./frame.js";
import { Columns, Constants, Questions, Reading, becomes, isAnswered } from "./import_columns.js";
import { forgetPlace, joinQuestions, keepPlace, storedPlace, lookAt, nothingYet, sendFile } from "./import_file.js";
import { useLeaveWarning } from "./leave.js";
import { link } from "./route.js";
import { Button, Notice, Page, Problem, Table, download, html, sentence } from "./ui.js";

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
				Exports of Mailchimp, HubSpot, Brevo, ActiveCampaign, Google and Outlook contacts, and CSV files of Excel work, of any size.
				One line must contain the column names.
			</p>
		</div>`;
}

const STARTING = { map: {}, set: {}, value: {} };

/** An object without what is empty; null: it has nothing. */
function filled(object) {
	const entries = Object.entries(object).filter(([, value]) => value !== undefined && String(value).trim() !== "");
	return entries.length > 0 ? Object.fromEntries(entries) : null;
}

/** The choices as members of a call. A column that is mapped has no meanings; one without a name is left out. */
function optionsOf(look, { map, set, value, ...others }, file) {
	// a column that was found by its cells is named, because a later slice may have other ones
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

function Progress({ state, file, what }) {
	return html`
		<div class="progress">
			<progress max=${file.size} value=${state.offset} aria-label=${what} />
			<p role="status">${what}: ${plural(state.counts.rows, "row")}, ${Math.floor((100 * state.offset) / file.size)} %.</p>
		</div>`;
}

const REASONS = [
	{ title: "Rows", kind: "number", cell: ([, rows]) => count(rows) },
	{ title: "Why they are skipped", cell: ([reason]) => sentence(reason) },
];
const SKIPPED = [
	{ title: "Line", kind: "number", cell: row => row.line },
	{ title: "Reason", cell: row => sentence(row.reason) },
	{ title: "Row", cell: row => html`<code>${row.record}</code>` },
];
const REMARKS = [
	{ title: "Line", kind: "number", cell: row => row.line },
	{ title: "What", cell: row => sentence(row.remark) },
	{ title: "Value", cell: row => html`<code>${row.value}</code>` },
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

/** What is imported though not as it is in the file, and tags. */
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
			${tags && choices.make_tags && isCheck && html`<li>These tags will be made: ${tags}.</li>`}
		</ul>
		${state.remarks.length > 0 && html`
			<details>
				<summary>Show values that are not as in the file</summary>
				<${Table} name="Values" id=${row => `${row.line}${row.remark}`} rows=${state.remarks.slice(0, SHOWN_ROWS)} columns=${REMARKS} />
			</details>`}`;
}

const BECOMES = [
	{ title: "Column", cell: row => html`<strong>${row.column || "(no name)"}</strong>` },
	{ title: "Becomes", cell: row => row.becomes },
];
const fieldsOf = (look, choices) =>
	look.columns.map((column, at) => ({
		column: column.column,
		at,
		becomes: Object.keys(choices.value).some(key => key.startsWith(`#${at + 1}:`)) && choices.map[`#${at + 1}`] === undefined
			? "whether they may get mail"
			: becomes(choices.map[`#${at + 1}`] ?? column.field),
	}));

function Mapping({ file, look, choices, set, change, onCheck, back }) {
	const words = look.columns.map((column, at) => choices.map[`#${at + 1}`] ?? column.field);
	const identifies = look.format === "ndjson" || words.some(word => word === "email" || word === "phone_number");
	const isReady = identifies && isAnswered(look, choices);
	return html`
		<section class="card">
			<h2>How the file is read</h2>
			<p class="muted">${file.name}, ${bytes(file.size)}.</p>
			<${Reading} look=${look} change=${change} />
			${look.columns.length > 0 && html`<${Columns} look=${look} choices=${choices} set=${set} />`}
			${!identifies && html`<p class="error" role="status">One column must be the email address or the phone number.</p>`}
		</section>
		<${Questions} look=${look} choices=${choices} set=${set} />
		<${Constants} choices=${choices} set=${set} />
		${identifies && !isReady && html`<p class="error" role="status">Please answer the questions above.</p>`}
		<div class="buttons">
			<${Button} kind="primary" disabled=${!isReady} onClick=${onCheck}>Check the file<//>
			<button type="button" class="quiet" onClick=${back}>Choose another file</button>
		</div>`;
}

/** The steps after the columns; `back` leads to them. */
const STEPS = {
	checking: ({ file, state, stop }) => html`
		<section class="card">
			<${Progress} state=${state} file=${file} what="Checked" />
			<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
		</section>`,
	checked: ({ look, state, choices, start, back }) => {
		const { valid, unchanged, rejected } = state.counts;
		const able = valid + state.waiting.length;
		return html`
			<section class="card">
				<h2>${plural(able, "lead")} can be imported</h2>
				<p>
					${plural(unchanged, "row")} with leads that exist already or come twice. ${plural(rejected, "row")} will be skipped.
				</p>
				<${Remarks} state=${state} isCheck=${true} choices=${choices} />
				<${Skipped} state=${state} look=${look} />
				${look.columns.length > 0 && html`<${Table} name="Columns" id=${row => row.at} rows=${fieldsOf(look, choices)} columns=${BECOMES} />`}
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
			</section>`;
	},
	importing: ({ file, state, stop }) => html`
		<section class="card">
			<${Progress} state=${state} file=${file} what="Imported" />
			<p class="muted">Keep this tab open. A stopped import can be continued with the same file, also later.</p>
			<div class="buttons"><button type="button" onClick=${stop}>Stop</button></div>
		</section>`,
	done: ({ id, look, state, choices, isStopped, resume }) => html`
		<section class="card">
			<h2>${isStopped ? "Stopped" : "Done"}</h2>
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
		</section>`,
};

const Interrupted = ({ stored, file, resume, start }) => html`
	<${Notice} tone="wait">
		<p>
			The import of this file was stopped at ${Math.floor((100 * stored.state.offset) / file.size)} %:
			${" "}${plural(stored.state.counts.imported, "lead")} imported.
		</p>
		<${Button} kind="primary" onClick=${resume}>Continue<//>
		<button type="button" onClick=${start}>Start again</button>
	<//>`;

export function Import({ id }) {
	const [step, setStep] = useState("file");
	const [file, setFile] = useState(null);
	const [look, setLook] = useState(null);
	const [choices, setChoices] = useState(STARTING);
	const [state, setState] = useState(null);
	const [stored, setStored] = useState(null);
	const [failure, setFailure] = useState(null);
	const stopping = useRef({ now: false });
	const set = some => setChoices(old => ({ ...old, ...some }));
	useLeaveWarning(step === "checking" || step === "importing", ["Stop the import?", "Stop"]);
	const stop = () => {
		stopping.current.now = true;
	};
	useEffect(() => stop, []);
	async function read(chosen, next) {
		setFailure(null);
		try {
			const found = await lookAt(id, chosen, next);
			setLook(found);
			setStep("columns");
		} catch (problem) {
			setFailure(problem);
		}
	}
	async function choose(chosen) {
		setFile(chosen);
		setChoices(STARTING);
		setLook(null);
		const before = storedPlace(id, chosen);
		setStored(before);
		if (before) setStep("stored");
		else await read(chosen, {});
	}
	/** Encoding, delimiter or heading: the columns may be others. */
	const change = some => {
		const next = { encoding: look.encoding, delimiter: look.delimiter, heading: look.heading, ...some };
		setChoices({ ...STARTING, set: choices.set, encoding: next.encoding });
		read(file, next).catch(setFailure);
	};
	async function run(next, done, options, from, found, chosen) {
		const mine = { now: false };
		stopping.current = mine;
		setFailure(null);
		setState(from);
		setStep(next);
		const isImport = next === "importing";
		let last = from;
		const report = now => {
			last = now;
			setState(now);
			if (isImport) keepPlace(id, file, found, chosen, now);
		};
		try {
			last = await sendFile(id, file, found, options, from, mine, report);
			setState(last);
			if (isImport && !mine.now) forgetPlace(id);
			const open = !isImport && last.questions.length > 0;
			if (open) setLook({ ...found, questions: joinQuestions(found.questions, last.questions) });
			setStep(!isImport && (mine.now || open) ? "columns" : done);
		} catch (problem) {
			setFailure(problem);
			mine.now = true;
			setStep(isImport ? done : "columns");
		}
	}
	const check = async () => {
		const options = optionsOf(look, choices, file);
		const found = await lookAt(id, file, options);
		if (found.questions?.length > 0) {
			setLook({ ...look, questions: joinQuestions(look.questions, found.questions) });
			return;
		}
		run("checking", "checked", { ...options, dry_run: true }, nothingYet(found), look, choices);
	};
	const start = () => {
		const from = { ...nothingYet(look), lastNumber: state.lastNumber };
		run("importing", "done", optionsOf(look, choices, file), from, look, choices);
	};
	const resume = () => run("importing", "done", optionsOf(look, choices, file), state, look, choices);
	const resumeStored = () => {
		setLook(stored.look);
		setChoices(stored.choices);
		run("importing", "done", optionsOf(stored.look, stored.choices, file), stored.state, stored.look, stored.choices);
	};
	const startAgain = () => {
		forgetPlace(id);
		setStored(null);
		setStep("file");
		read(file, {}).catch(setFailure);
	};
	const back = () => setStep("columns");
	const again = () => {
		setFailure(null);
		setStep("file");
	};
	return html`
		<${Page} title="Import leads" above=${html`<${Crumbs} id=${id} path="leads" name="Leads" />`}>
			<${Problem} failure=${failure} />
			${step === "file" && html`<${Choose} onFile=${one => choose(one).catch(setFailure)} />`}
			${step === "stored" && html`<${Interrupted} stored=${stored} file=${file} resume=${resumeStored} start=${startAgain} />`}
			${step === "columns" && html`
				<${Mapping} file=${file} look=${look} choices=${choices} set=${set} change=${change} onCheck=${check} back=${again} />`}
			${STEPS[step]?.({ id, file, look, state, choices, start, stop, back, resume, isStopped: stopping.current.now })}
		<//>`;
}
