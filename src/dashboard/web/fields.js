// SPDX-License-Identifier: MIT
// The fields of a sign-up form (docs/pages.md 2) as a text and as rows, and the editor for both.
import { useEffect, useLayoutEffect, useRef, useState } from "./hooks.js";
import { labelOf } from "./format.js";
import { Field } from "./forms.js";
import { html, say } from "./ui.js";

/* ---- text and rows ---- */

const FIELDS_MAX = 20;
const OPTIONS_MAX = 50;
const TEXT_MAX_BYTES = 300; // of a label or an option
const DEFAULT = "email";
const TYPES = [
	["text", "Short text"],
	["textarea", "Long text"],
	["select", "Dropdown"],
	["checkbox", "Checkbox"],
	["number", "Number"],
	["email", "Email address"],
	["tel", "Phone number"],
	["url", "Web address"],
];
const IDENTIFIERS = ["email", "phone_number"];
/* Names with a default label: type, label in English. */
const USUAL = new Map([
	["email", ["email", "Email"]],
	["phone_number", ["tel", "Phone number with country code"]],
	["first_name", ["text", "First name"]],
	["last_name", ["text", "Last name"]],
	["company", ["text", "Company"]],
	["name", ["text", "Name"]],
	["website", ["url", "Website"]],
]);
const OFFERED = ["email", "phone_number", "first_name", "last_name", "company"];
/* Parameters of a sign-up that have another meaning. */
const RESERVED = [
	"action", "altcha", "api_key", "campaign_id", "campaignid", "consent", "consent_version", "controller", "country_code",
	"format", "ip", "ip_address", "jsonp", "kid", "kolid", "landing_page_id", "list_id", "must_exist", "points", "redirect_url",
	"referrer", "skip_ar", "social_id",
];

const trim = text => text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, "");
const bytesOf = text => new TextEncoder().encode(text).length;
const typeOf = name => USUAL.get(name)?.[0] || "text";
const identifies = row => IDENTIFIERS.includes(row.name);
const isName = name => /^[a-z][a-z0-9_]{0,39}$/.test(name) && !name.startsWith("utm_");
const optionsOf = row => row.options.split("\n").map(trim).filter(Boolean);
/* Stands between the stored value of an option and its label. */
const ARROW = "=>";
const partsOf = option => {
	const at = option.indexOf(ARROW);
	return at < 0 ? [option, option] : [trim(option.slice(0, at)), trim(option.slice(at + ARROW.length))];
};
const optionText = ([value, label]) => (value === label ? value : `${value} ${ARROW} ${label}`);

/** The text before the first `mark` and the text after it. */
function cut(text, mark) {
	const at = text.indexOf(mark);
	return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** What is wrong with a row, by part: name, label, options. */
function problemsOf(row, rows) {
	const found = {};
	const options = optionsOf(row);
	if (!isName(row.name))
		found.name = "Use at most 40 lowercase letters, digits and _. Begin with a letter, but not with utm_.";
	else if (RESERVED.includes(row.name))
		found.name = "This name has another meaning. Choose a different one.";
	else if (rows.some(other => other !== row && other.name === row.name))
		found.name = "Another field has this name.";
	if (!trim(row.label) && !USUAL.has(row.name))
		found.label = "Enter a label.";
	else if (bytesOf(trim(row.label)) > TEXT_MAX_BYTES)
		found.label = "This label is too long.";
	if (row.type === "select" && options.length === 0)
		found.options = "Enter at least one option.";
	else if (row.type === "select" && options.length > OPTIONS_MAX)
		found.options = `A dropdown has at most ${OPTIONS_MAX} options.`;
	else if (row.type === "select" && options.some(one => partsOf(one).some(part => bytesOf(part) > TEXT_MAX_BYTES)))
		found.options = "One of the options is too long.";
	else if (row.type === "select" && options.some(one => partsOf(one).includes("")))
		found.options = `Enter what is stored before ${ARROW}, and what is shown after it.`;
	return found;
}

/** What is wrong with the rows together; null: nothing. */
function problemOfAll(rows) {
	if (rows.length > FIELDS_MAX)
		return `A form has at most ${FIELDS_MAX} fields.`;
	return rows.some(identifies) ? null : "Add Email or Phone number. A form needs at least one of them.";
}

/** Parses one field: { row } or { problem }. */
function parseField(text) {
	const [words, rest] = cut(text, ":");
	const [name = "", ...others] = words.split(/[, \t-\r]+/).filter(Boolean);
	const row = { name, type: typeOf(name), required: false, label: trim(rest), options: "" };
	for (const word of others)
		if (word === "required") row.required = true;
		else if (!identifies(row) && TYPES.some(([type]) => type === word)) row.type = word;
		else return { problem: `Only a type and “required” can follow the name, not “${word}”.` };
	if (row.type !== "select")
		return { row };
	const [label, list] = cut(rest, "=");
	const options = list.split("|");
	if (options.at(-1) === "")
		options.pop();
	if (options.some(one => !trim(one)))
		return { problem: "An option is empty." };
	return { row: { ...row, label: trim(label), options: options.map(one => optionText(partsOf(trim(one)))).join("\n") } };
}

/**
 * Parses a text: { rows }, or { problem }, a sentence. A row has name, type, required, label ("": the default one) and options, one
 * per line.
 */
export function parse(text) {
	const rows = [];
	for (const item of text.split(/[\n;]/).map(trim).filter(Boolean)) {
		const { row, problem } = parseField(item);
		if (problem)
			return { problem: `“${item}”: ${problem}` };
		rows.push(row);
	}
	for (const row of rows) {
		const [problem] = Object.values(problemsOf(row, rows));
		if (problem)
			return { problem: `“${row.name}”: ${problem}` };
	}
	const problem = problemOfAll(rows);
	return problem ? { problem } : { rows };
}

function printField(row) {
	const words = [row.name];
	const label = trim(row.label);
	if (!identifies(row) && row.type !== typeOf(row.name))
		words.push(row.type);
	if (row.required)
		words.push("required");
	if (row.type === "select" && !identifies(row))
		return `${words.join(" ")}: ${trim(`${label} = ${optionsOf(row).map(one => optionText(partsOf(one))).join(" | ")}`)}`;
	return label ? `${words.join(" ")}: ${label}` : words.join(" ");
}

/** The text of rows, one per line. */
export const print = rows => rows.map(printField).join("\n");

/* ---- the editor ---- */

/** A name for a new field, made from its label. No other row has it. */
function nameFor(label, rows) {
	const plain = label.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
	const words = plain.replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");
	const start = (isName(words.slice(0, 36)) ? words : words ? `field_${words}` : "field").slice(0, 36);
	const taken = name => RESERVED.includes(name) || IDENTIFIERS.includes(name) || rows.some(one => one.name === name);
	let name = start;
	for (let number = 2; taken(name); number++)
		name = `${start}_${number}`;
	return name;
}

/* Removes characters that the text cannot contain as they are typed. */
const TIDY = {
	name: value => value.toLowerCase().replace(/[^a-z0-9_]+/g, "_"),
	label: (value, row) => value.replace(row.type === "select" ? /[;=\r\n]/g : /[;\r\n]/g, ""),
	options: value => value.replace(/;/g, "").replace(/ *\|/g, "\n").replace(/^ +/gm, ""),
};

let keys = 0;
/** A row for the editor, with a key, and with `own`: whether users choose its name. */
const keyed = row => ({ ...row, key: ++keys, own: !USUAL.has(row.name) });
/** A row of “All languages”, to be translated: each option shows its stored value, which must stay. */
const translated = row => ({ ...row, options: optionsOf(row).map(one => partsOf(one).join(` ${ARROW} `)).join("\n") });

const titleOf = row => trim(row.label) || USUAL.get(row.name)?.[1] || "New field";

/** The hint of a row's checkbox "Required", and whether it is disabled. */
function requiredBox(row, rows) {
	const others = rows.filter(other => other !== row && identifies(other));
	if (!identifies(row))
		return {};
	if (others.length === 0)
		return { disabled: true, hint: "Always required, because nothing else identifies the lead." };
	if (row.required || others.some(other => other.required))
		return {};
	return { hint: "Visitors must enter an email address or a phone number." };
}

function Row({ row, rows, failed, busy, translates, update, move, remove }) {
	const [seen, setSeen] = useState(!row.fresh); // while false, the name follows the label and no problem is shown
	const [left, setLeft] = useState({}); // by part: a note about removed characters
	useEffect(() => {
		if (busy) setSeen(true);
	}, [busy]);
	const at = rows.indexOf(row);
	const title = titleOf(row);
	const { hint, disabled } = requiredBox(row, rows);
	function set(part, value) {
		const next = { ...row, [part]: value };
		if (TIDY[part])
			next[part] = TIDY[part](value, row);
		if (part === "type")
			next.label = TIDY.label(row.label, next);
		if (part !== "label")
			setSeen(true);
		else if (!seen && row.own)
			next.name = nameFor(next.label, rows.filter(other => other !== row));
		const isLost = sign => part !== "name" && String(value).includes(sign) && !String(next[part]).includes(sign);
		const refused = [";", "="].filter(isLost);
		const note = refused.map(one => `${one} cannot be used here.`).join(" ");
		setLeft(old => ({ [part]: note || old[part] })); // shown while that part is typed
		if (note)
			say(note);
		update(row.key, next);
	}
	const form = {
		values: { ...row, required: row.required || Boolean(disabled) },
		fields: seen || failed ? problemsOf(row, rows) : {},
		set,
	};
	const button = (part, text, off, act) => html`
		<button type="button" class="small" data-part=${part} disabled=${off} onClick=${act} aria-label=${`${text}: ${title}`}>
			${text}
		</button>`;
	return html`
		<fieldset class="stack" data-key=${row.key}>
			<legend>${at + 1}. ${title}</legend>
			<div class="parts">
				<${Field} form=${form} name="label" label="Label" hint=${left.label} placeholder=${USUAL.get(row.name)?.[1]}
					autocomplete="off" data-part="label" onBlur=${() => setSeen(true)} />
				${!identifies(row) && html`<${Field} form=${form} name="type" label="Kind" type="select" options=${TYPES} />`}
			</div>
			${row.type === "select" && !identifies(row) && html`
				<${Field} form=${form} name="options" label="Options" type="area" rows="3"
					hint=${left.options || (translates
						? `Translate the text after ${ARROW}. The text before it is stored.`
						: `One per line. To store a value that differs from the label: value ${ARROW} label.`)} />`}
			${row.own && html`
				<${Field} form=${form} name="name" label="Name in your data" hint="In webhooks, exports and the API." maxlength="40"
					autocomplete="off" autocapitalize="off" spellcheck="false" />`}
			<${Field} form=${form} name="required" label="Required" type="check" hint=${hint} disabled=${disabled} />
			<div class="buttons">
				${button("up", "Move up", at === 0, () => move(row, -1))}
				${button("down", "Move down", at === rows.length - 1, () => move(row, 1))}
				${button("remove", "Remove", rows.length === 1, () => remove(row))}
			</div>
		</fieldset>`;
}

/** Buttons that add another field, or one of the usual fields that the form lacks. */
function AddField({ rows, add }) {
	const offered = OFFERED.filter(usual => !rows.some(row => row.name === usual)).map(usual => [usual, labelOf(usual)]);
	if (rows.length >= FIELDS_MAX)
		return html`<p class="hint">A form has at most ${FIELDS_MAX} fields.</p>`;
	return html`
		<div class="buttons" role="group" aria-label="Add field">
			<span aria-hidden="true">Add field</span>
			${[...offered, ["", "Other"]].map(([usual, text]) => html`
				<button type="button" class="small" key=${usual} onClick=${() => add(usual)} aria-label=${`Add ${text}`}>
					${text}
				</button>`)}
		</div>`;
}

function rowsHint(isDefault, fallback) {
	if (!isDefault)
		return "Standard fields such as Email are labeled in the language of the page. Enter a label to replace it.";
	if (fallback)
		return "These are the fields of all languages. After a change, this language has fields of its own.";
	return "This is the default form. Change it or add fields.";
}

function Rows({ form, name, label, rows, write, isDefault, fallback }) {
	const root = useRef(null);
	const focus = useRef(null); // gets the focus after the next change: the first enabled part of the row with this key
	useLayoutEffect(() => {
		if (!focus.current)
			return;
		const { key, parts } = focus.current;
		const row = root.current.querySelector(`[data-key="${key}"]`);
		focus.current = null;
		parts.map(part => row.querySelector(`[data-part=${part}]`)).find(one => !one.disabled)?.focus();
	}, [rows]);
	const update = (key, next) => write(rows.map(row => (row.key === key ? next : row)));
	function move(row, by) {
		const others = rows.filter(other => other !== row);
		const at = rows.indexOf(row) + by;
		focus.current = { key: row.key, parts: by < 0 ? ["up", "down"] : ["down", "up"] };
		say(`${titleOf(row)} is field ${at + 1} of ${rows.length}`);
		write([...others.slice(0, at), row, ...others.slice(at)]);
	}
	function remove(row) {
		const others = rows.filter(other => other !== row);
		focus.current = { key: others[Math.min(rows.indexOf(row), others.length - 1)].key, parts: ["remove", "label"] };
		say(`${titleOf(row)} removed`);
		write(others);
	}
	function add(usual) {
		const row = { name: usual || nameFor("", rows), type: typeOf(usual), required: false, label: "", options: "" };
		const made = { ...keyed(row), fresh: true };
		focus.current = { key: made.key, parts: ["label"] };
		write([...rows, made]);
	}
	const error = form.fields[name];
	const problem = problemOfAll(rows);
	return html`
		<fieldset class="stack" name=${name} ref=${root}>
			<legend>${label}</legend>
			<p class="hint">${rowsHint(isDefault, fallback)}</p>
			<ol>
				${rows.map(row => html`
					<li key=${row.key}>
						<${Row} row=${row} rows=${rows} failed=${Boolean(error)} busy=${form.busy} translates=${Boolean(fallback)}
							update=${update} move=${move} remove=${remove} />
					</li>`)}
			</ol>
			${problem && !error && html`<p class="error">${problem}</p>`}
			${error && html`<p class="error" role="alert" tabindex="-1">${error}</p>`}
			<${AddField} rows=${rows} add=${add} />
		</fieldset>`;
}

/**
 * Edits the text `name` of a form as rows, or as the text itself. An empty text stands for `fallback` or the default form; it stays
 * empty until the user changes something.
 */
export function FieldsEditor({ form, name, label, fallback = "" }) {
	const [asText, setAsText] = useState(false);
	const held = useRef(null); // the text, what it stands for, and its rows or its problem
	const text = form.values[name];
	const meant = text || fallback || DEFAULT;
	if (held.current?.text !== text || held.current.meant !== meant) {
		const { rows, problem } = parse(meant);
		const own = !text && fallback ? rows?.map(translated) : rows;
		held.current = { text, meant, rows: own?.map(keyed), problem };
	}
	const { rows, problem } = held.current;
	function write(changed) {
		const printed = print(changed);
		held.current = { text: printed, meant: printed || fallback || DEFAULT, rows: changed };
		form.set(name, printed);
	}
	function type(_, value) {
		setAsText(true); // typing does not switch to rows, even when the text is complete
		form.set(name, value);
	}
	return html`
		<div class="stack form-fields">
			${asText || !rows
				? html`
					<${Field} form=${{ ...form, set: type }} name=${name} label=${label} type="area" rows="6" spellcheck="false"
						placeholder=${fallback || DEFAULT} hint="For example: email; first_name; plan select: Plan = Free | Pro" />`
				: html`
					<${Rows} form=${form} name=${name} label=${label} rows=${rows} write=${write}
						isDefault=${text === ""} fallback=${fallback} />`}
			${problem && html`<p class="hint">To edit these fields one by one, correct the text. ${problem}</p>`}
			${rows && html`
				<div class="buttons">
					<button type="button" class="small" onClick=${() => setAsText(!asText)}>
						${asText ? "Edit as fields" : "Edit as text"}
					</button>
				</div>`}
		</div>`;
}
