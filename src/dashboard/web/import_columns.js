// SPDX-License-Identifier: MIT
// What the columns of a file become, questions about them, and values for all rows.
import { count, plural } from "./format.js";
import { Field } from "./forms.js";
import { Card, Notice, Select, Table, html } from "./ui.js";

const FIELDS = [
	["email", "Email address"],
	["phone_number", "Phone number"],
	["country_code", "Country of the phone number"],
	["first_name", "First name"],
	["last_name", "Last name"],
	["name", "Full name"],
	["created", "Sign-up time"],
	["opted_out", "Unsubscribed"],
	["sms_opted_out", "Unsubscribed from texts"],
	["verified", "Verified"],
	["tags", "Tags"],
	["completed_actions", "Completed actions"],
	["contest_score", "Points"],
	["subscription_number", "Sign-up number"],
	["social_id", "Lead ID"],
	["parent_id", "Referrer (lead ID or email address)"],
	["waitlisted", "On the waitlist"],
	["fraudulent", "Fraudulent"],
	["source", "Source"],
	["ip", "IP address"],
];
const NAMES = new Map([...FIELDS, ["points", "Points"]]);
const OWN = "own field";
const CONSENT = "consent";
const LEFT_OUT = "-";

/** What a column becomes, in words. */
export const becomes = word => (word === LEFT_OUT || word === "ignored" ? "left out" : NAMES.get(word) || `own field “${word}”`);

const questionOf = (look, at, about) => look.questions?.find(one => one.column === `#${at + 1}` && one.about === about);

/** What a column becomes, in the words of the API: the user's choice, or what the service has found. */
export const wordOf = (look, choices, at) => choices.map[`#${at + 1}`] ?? look.columns[at].field;

/** The name of a column when it becomes a field of its own. */
const ownName = column => (column.is_custom ? column.field : column.column).slice(0, 60);

function FieldChoice({ look, choices, set, at }) {
	const key = `#${at + 1}`;
	const column = look.columns[at];
	const word = wordOf(look, choices, at);
	const isAsked = choices.map[key] === undefined && questionOf(look, at, "values");
	const isOwn = !isAsked && word !== LEFT_OUT && !NAMES.has(word);
	const chosen = isAsked ? CONSENT : isOwn ? OWN : word === "points" ? "contest_score" : word;
	const question = choices.map[key] === undefined && questionOf(look, at, "name");
	const setWord = value => set({ map: { ...choices.map, [key]: value } });
	const choose = value => {
		if (value === CONSENT) set({ map: { ...choices.map, [key]: undefined } });
		else setWord(value === OWN ? ownName(column) : value);
	};
	const options = [
		...(questionOf(look, at, "values") ? [[CONSENT, "Says whether they may get mail"]] : []),
		[LEFT_OUT, "– leave out –"],
		[OWN, "Field of its own"],
		...FIELDS,
	];
	return html`
		<${Select} aria-label=${`Field for ${column.column}`} value=${chosen} options=${options} choose=${choose} />
		${isOwn && html`
			<input type="text" aria-label=${`Name of the field for ${column.column}`} value=${word} maxlength="60"
				onInput=${event => setWord(event.currentTarget.value)} />`}
		${question && html`<p class="error">${question.question}</p>`}`;
}

const MEANINGS = [
	["active", "may get mail"],
	["opted_out", "unsubscribed"],
	["verified", "confirmed, may get mail"],
	["left_out", "do not import"],
];

const SHOWN = { "": "(empty)", "*": "any other value, such as a time" };

function Values({ look, question, choices, set }) {
	const keyOf = value => `${question.column}:${value}`;
	const choose = (value, meaning) => set({ value: { ...choices.value, [keyOf(value)]: meaning } });
	const suggested = question.values.filter(one => one.suggested);
	const all = () =>
		set({ value: { ...choices.value, ...Object.fromEntries(suggested.map(one => [keyOf(one.value), one.suggested])) } });
	const keep = () => set({ map: { ...choices.map, [question.column]: ownName(look.columns[question.column.slice(1) - 1]) } });
	return html`
		<${Card} aria-label=${`Meaning of ${question.name}`}>
			<h3>What does “${question.name}” mean?</h3>
			<p>${question.question} Leads that are imported as unsubscribed get none.</p>
			${question.values.map(one => html`
				<fieldset class="values" key=${one.value}>
					<legend>${SHOWN[one.value] ?? one.value} <span class="muted">${plural(one.rows, "row")}</span></legend>
					${MEANINGS.map(([meaning, text]) => html`
						<label key=${meaning}>
							<input type="radio" name=${keyOf(one.value)} value=${meaning} checked=${choices.value[keyOf(one.value)] === meaning}
								onChange=${() => choose(one.value, meaning)} />
							${" "}${text}
						</label>`)}
				</fieldset>`)}
			<div class="buttons">
				${suggested.length > 0 && html`<button type="button" onClick=${all}>Use the suggested meanings</button>`}
				<button type="button" onClick=${keep}>It is about something else</button>
			</div>
		<//>`;
}

const OrAsk = ({ question, name, options, value, choose }) => html`
	<${Card} aria-label=${question}>
		<fieldset class="values">
			<legend>${question}</legend>
			${options.map(([key, text]) => html`
				<label key=${key}>
					<input type="radio" name=${name} checked=${value === key} onChange=${() => choose(key)} /> ${text}
				</label>`)}
		</fieldset>
	<//>`;

/** All questions except those about names. They stay after they are answered, so that the answers can be changed. */
export function Questions({ look, choices, set }) {
	const find = about => (look.questions || []).filter(one => one.about === about);
	const values = find("values").filter(one => choices.map[one.column] === undefined);
	return html`
		${values.map(one => html`<${Values} key=${one.column} look=${look} question=${one} choices=${choices} set=${set} />`)}
		${find("file").length > 0 && html`
			<${OrAsk} question=${find("file")[0].question} name="file" value=${choices.set.opted_out}
				options=${[["on", "Yes, all of them"], ["off", "No, they may get mail"]]}
				choose=${value => set({ set: { ...choices.set, opted_out: value } })} />`}
		${find("dates").length > 0 && html`
			<${OrAsk} question=${find("dates")[0].question} name="dates" value=${choices.dates}
				options=${[["day-first", "Day first: 3/1/2024 is 3 January"], ["month-first", "Month first: 3/1/2024 is March 1"]]}
				choose=${value => set({ dates: value })} />`}`;
}

export function isAnswered(look, choices) {
	return (look.questions || []).every(({ about, column, values }) => {
		if (about === "file")
			return choices.set.opted_out !== undefined;
		if (about === "dates")
			return choices.dates !== undefined;
		if (choices.map[column] !== undefined)
			return true;
		return about === "values" && values.every(one => choices.value[`${column}:${one.value}`] !== undefined);
	});
}

export function Columns({ look, choices, set }) {
	const columns = [
		["Column", row => html`<strong>${row.column || "(no name)"}</strong>`],
		["Examples", row => html`<span class="muted">${row.examples.join(", ")}</span>`],
		["Becomes", row => html`<${FieldChoice} look=${look} choices=${choices} set=${set} at=${row.at} />`],
	];
	const rows = look.columns.map((column, at) => ({ ...column, at }));
	const words = rows.map(row => wordOf(look, choices, row.at));
	const own = rows.filter(row => words[row.at] !== LEFT_OUT && !NAMES.has(words[row.at]));
	const isTooMany = own.length > look.custom_fields_max;
	const leaveOut = list =>
		set({ map: { ...choices.map, ...Object.fromEntries(list.map(row => [`#${row.at + 1}`, LEFT_OUT])) } });
	return html`
		${isTooMany && html`
			<${Notice} tone="wait" beside=${html`
				<button type="button" onClick=${() => leaveOut(own.slice(look.custom_fields_max))}>
					Leave out the last ${count(own.length - look.custom_fields_max)}
				</button>
				<button type="button" onClick=${() => leaveOut(own)}>Leave out all of them</button>`}>
				${count(own.length)} columns become fields of their own. A lead can have ${count(look.custom_fields_max)} of them: rows with
				more are skipped.
			<//>`}
		<${Table} name="Columns" id=${row => row.at} rows=${rows} columns=${columns} />`;
}

const CODES = `AE AL AM AR AT AU AZ BA BE BG BR BY CA CH CL CN CO CR CY CZ DE DK DO EC EE EG ES FI FR GB GE GR HK HR HU ID IE IL IN
	IS IT JP KE KR KZ LI LT LU LV MA MD ME MK MT MX MY NG NL NO NZ PE PH PK PL PT RO RS SA SE SG SI SK TH TN TR TW
	UA US UY VE VN ZA`.split(/\s+/);
const regionNames = new Intl.DisplayNames(["en"], { type: "region" });
const COUNTRIES = CODES.map(code => [code, regionNames.of(code)]).sort((a, b) => (a[1] < b[1] ? -1 : 1));

const CONSTANTS = [
	["country", "Country of phone numbers", [["", "as in the file"], ...COUNTRIES], "For numbers without + and country code."],
	["verified", "Verified", [["", "as in the file"], ["on", "all are verified"]], "They have confirmed their address elsewhere."],
	["opted_out", "Unsubscribed", [["", "as in the file"], ["on", "all have unsubscribed"], ["off", "only those in the file"]]],
	["tag", "Tag"],
	["source", "Source"],
];

const TICKS = [
	["add_tags", "Add the tags in the file to existing leads"],
	["make_tags", "Create tags that the campaign does not have"],
	["strict", "Skip rows with an invalid phone number"],
];

/** Values for all rows. */
export function Constants({ choices, set }) {
	const constants = {
		values: Object.fromEntries(CONSTANTS.map(([name]) => [name, choices.set[name] || ""])),
		fields: {},
		set: (name, value) => set({ set: { ...choices.set, [name]: value || undefined } }),
	};
	const ticks = { values: choices, fields: {}, set: (name, value) => set({ [name]: value || undefined }) };
	return html`
		<${Card} title="For all rows">
			<div class="row top">
				${CONSTANTS.map(([name, label, options, hint]) => html`
					<${Field} key=${name} form=${constants} name=${name} label=${label} hint=${hint} options=${options}
						...${options ? { type: "select" } : { maxlength: 200 }} />`)}
			</div>
			${TICKS.map(([name, label]) => html`<${Field} key=${name} form=${ticks} name=${name} label=${label} type="check" />`)}
		<//>`;
}

const ENCODINGS = [
	["UTF-8", "UTF-8"],
	["windows-1252", "Western European (Windows)"],
	["windows-1250", "Central European (Windows)"],
	["windows-1251", "Cyrillic (Windows)"],
	["windows-1253", "Greek (Windows)"],
	["windows-1254", "Turkish (Windows)"],
	["windows-1257", "Baltic (Windows)"],
	["ISO-8859-2", "Central European (ISO)"],
	["ISO-8859-15", "Western European (ISO)"],
	["macintosh", "Western European (Mac)"],
	["IBM850", "Western European (DOS)"],
	["UTF-16LE", "UTF-16"],
	["UTF-16BE", "UTF-16, big-endian"],
	["UTF-8+windows-1250", "UTF-8, other rows Central European"],
	["UTF-8+windows-1251", "UTF-8, other rows Cyrillic"],
	["UTF-8+macintosh", "UTF-8, other rows Mac"],
	["UTF-8+IBM850", "UTF-8, other rows DOS"],
];
const DELIMITERS = [
	[",", "comma"],
	[";", "semicolon"],
	["tab", "tab"],
	["|", "bar"],
];

const withValue = (options, value) => (options.some(([one]) => one === value) ? options : [[value, value], ...options]);

/** How the file is read. `change` reads it again. */
export function Reading({ look, change }) {
	const form = { values: look, fields: {}, set: (name, value) => change({ [name]: value }) };
	return html`
		<div class="row">
			<${Field} form=${form} name="encoding" label="Encoding" type="select"
				options=${withValue(ENCODINGS, look.encoding)} />
			${look.delimiter && html`
				<${Field} form=${form} name="delimiter" label="Column separator" type="select"
					options=${withValue(DELIMITERS, look.delimiter)} />
				<div class="field">
					<label for="heading-line">Line with the column names</label>
					<input id="heading-line" type="number" min="1" value=${look.heading}
						onChange=${event => change({ heading: Number(event.currentTarget.value) || 1 })} />
				</div>`}
		</div>
		${!look.encoding_is_certain && html`
			<p class="hint">
				The encoding of this file is a guess. If “${look.encoding_example}” is not right, choose another one.
			</p>`}`;
}
