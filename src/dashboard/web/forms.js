// SPDX-License-Identifier: MIT
// Forms and their fields, and dialogs that are forms.
import { useCallback, useEffect, useId, useRef, useState } from "./hooks.js";
import { Cancelled } from "./api.js";
import { Button, Check, Dialog, Problem, Select, html, messageOf, openDialog } from "./ui.js";

const IDLE = { busy: false, failure: null, fields: {} };

/** The state of a form: values, errors by field, and `run`, which sends it. */
export function useForm(initial) {
	const [values, setValues] = useState(initial);
	const [state, setState] = useState(IDLE);
	const set = useCallback((name, value) => {
		setValues(old => ({ ...old, [name]: value }));
		setState(old => (old.fields[name] ? { ...old, fields: { ...old.fields, [name]: undefined } } : old));
	}, []);
	const run = useCallback(async work => {
		setState({ ...IDLE, busy: true });
		try {
			await work();
			setState(IDLE);
		} catch (failure) {
			setState(failure instanceof Cancelled ? IDLE : { busy: false, failure, fields: failure.fields || {} });
		}
	}, []);
	return { values, set, setValues, ...state, run };
}

/** An error to throw from `onSubmit` when the value of a field is wrong. */
export const wrongField = (name, text) => Object.assign(new Error(""), { fields: { [name]: text } });

/** `onSubmit` returns a promise; what it throws is shown in the form. `note`: a text beside the button. */
export function Form({ form, onSubmit, children, submit, note, danger, cancel, cancelText = "Cancel", ...rest }) {
	const root = useRef(null);
	const failed = form.failure || Object.values(form.fields).some(Boolean);
	useEffect(() => {
		const find = selector => root.current.querySelector(selector);
		const wrong = failed && !form.busy && (find("[aria-invalid=true]") || find("[role=alert]"));
		if (!wrong)
			return;
		wrong.focus?.();
		const note = document.getElementById(wrong.getAttribute("aria-describedby")?.split(" ").at(-1)); // the error of the field
		(note || wrong).scrollIntoView({ block: "center" }); // not behind the sticky buttons
	}, [failed, form.busy]);
	const named = Object.keys(form.fields).length > 0 && Object.keys(form.fields).every(name => root.current?.elements[name]);
	const send = event => {
		event.preventDefault();
		if (!form.busy) form.run(onSubmit);
	};
	return html`
		<form ref=${root} noValidate onSubmit=${send} ...${rest}>
			${children}
			${form.failure && !named && html`<${Problem} failure=${form.failure} />`}
			${submit && html`
				<div class="buttons">
					<button type="submit" class=${danger ? "danger" : "primary"} aria-busy=${form.busy}>${submit}</button>
					${cancel && html`<button type="button" onClick=${() => cancel()} autofocus=${danger}>${cancelText}</button>`}
					${note && html`<span class="hint">${note}</span>`}
				</div>`}
		</form>`;
}

/**
 * A dialog with a form, and `text` above it. `values`: the initial ones. `save` gets the values and the form, and returns a promise;
 * the dialog closes with what it resolves to, or with true. `children` is a function of the form.
 */
export function FormDialog({ title, wide, text, close, values, save, children, ...rest }) {
	const form = useForm(values);
	const submit = async () => close((await save(form.values, form)) ?? true);
	return html`
		<${Dialog} title=${title} wide=${wide} close=${close}>
			${text}
			<${Form} form=${form} onSubmit=${submit} cancel=${close} ...${rest}>${children(form)}<//>
		<//>`;
}

/* Control characters, which come with pasted texts. The service refuses them everywhere. */
const UNSEEN = /[^\P{Cc}\t\n\r]/gu;

/** A field of a form. `type`: number, area, check, select with `options`: [value, text], or a type of an input element. */
export function Field({ form, name, label, hint, type = "text", options, suffix, ...rest }) {
	const id = useId();
	const error = form.fields[name] && messageOf(form.fields[name], label);
	const value = form.values[name];
	const common = {
		id,
		name,
		"aria-invalid": error ? "true" : undefined,
		"aria-describedby": [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined,
		...rest,
	};
	const notes = html`
		${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
		${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}`;
	const choose = chosen => form.set(name, chosen);
	const change = event => choose(event.currentTarget.value.replace(UNSEEN, ""));
	if (type === "check")
		return html`<${Check} label=${label} checked=${Boolean(value)} choose=${choose} ...${common}>${notes}<//>`;
	const controls = {
		number: () => html`<input type="text" inputmode="numeric" value=${value} onInput=${change} ...${common} />`,
		area: () => html`<textarea value=${value} onInput=${change} ...${common} />`,
		select: () => html`<${Select} value=${value} options=${options} choose=${choose} ...${common} />`,
	};
	const control = controls[type] || (() => html`<input type=${type} value=${value} onInput=${change} ...${common} />`);
	return html`
		<div class="field">
			<label for=${id}>${label}</label>
			${control()}
			${suffix}
			${notes}
		</div>`;
}

/** Checkboxes for the members of a set. `options`: [value, text, explanation]. */
export function Choices({ form, name, label, hint, options }) {
	const id = useId();
	const chosen = new Set(form.values[name]);
	const error = form.fields[name] && messageOf(form.fields[name], label);
	const toggle = (value, on) => {
		const all = options.map(([one]) => one);
		form.set(name, all.filter(one => (one === value ? on : chosen.has(one))));
	};
	return html`
		<fieldset class="choices" aria-describedby=${error ? `${id}-error` : undefined}>
			<legend>${label}</legend>
			${hint && html`<p class="hint">${hint}</p>`}
			${options.map(([value, text, why]) => html`
				<${Check} key=${value} id=${`${id}-${value}`} name=${name} value=${value} label=${text} checked=${chosen.has(value)}
					choose=${on => toggle(value, on)} aria-describedby=${why ? `${id}-${value}-why` : undefined}>
					${why && html`<p class="hint" id=${`${id}-${value}-why`}>${why}</p>`}
				<//>`)}
			${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
		</fieldset>`;
}

/** Radio buttons with explanations. `options`: [value, title, explanation]. */
export const Cards = ({ form, name, label, hint, options }) => html`
	<fieldset class="cards">
		<legend>${label}</legend>
		${options.map(([value, title, text]) => html`
			<label key=${value} class="card-choice">
				<input type="radio" name=${name} value=${value} checked=${form.values[name] === value}
					onChange=${() => form.set(name, value)} />
				<span><strong>${title}</strong><br />${text}</span>
			</label>`)}
		${hint && html`<p class="hint">${hint}</p>`}
	</fieldset>`;

/** A password field with a button that reveals the password. */
export function Password(properties) {
	const [shown, set] = useState(false);
	const reveal = html`
		<button type="button" class="small quiet reveal" aria-pressed=${shown} onClick=${() => set(!shown)}>
			${shown ? "Hide" : "Show"}
		</button>`;
	return html`
		<${Field} ...${properties} type=${shown ? "text" : "password"} spellcheck="false" autocapitalize="off" suffix=${reveal} />`;
}

function Question({ title, text, verb, cancel, type, work, close }) {
	async function save({ typed }) {
		if (type && typed.trim() !== type)
			throw wrongField("typed", `Type “${type}” to continue.`);
		await work?.();
	}
	return html`
		<${FormDialog} title=${title} text=${html`<div class="prose">${text}</div>`} close=${close}
			values=${{ typed: "" }} save=${save} submit=${verb} danger cancelText=${cancel}>
			${form => type && html`
				<${Field} form=${form} name="typed" autocomplete="off" autofocus
					label=${html`Type <strong>${type}</strong> to confirm`} />`}
		<//>`;
}

/**
 * Asks for a confirmation. `verb`: the text of the button that confirms; `cancel`: that of the other button; `type`: a text that the
 * user must type; `work`: a function that is called before the dialog closes, so that the dialog shows its failure. Resolves to
 * whether the user has confirmed.
 */
export const confirmAction = question => openDialog(Question, question).then(Boolean);

/** A button that asks for a confirmation, as confirmAction does. */
export const ConfirmButton = ({ kind, children, ...question }) => html`
	<${Button} kind=${kind} onClick=${() => confirmAction(question)}>${children}<//>`;
