// SPDX-License-Identifier: MIT
// The parts that all views are made of. Texts of people are always text nodes: no view writes markup.
import { Fragment, h } from "./preact.js";
import { useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from "./hooks.js";
import htm from "./htm.js";
import { Cancelled, Failure } from "./api.js";
import { ago, count, full, short } from "./format.js";
import { store, useStore } from "./store.js";
import { refresh } from "./live.js";

export const html = htm.bind(h);
export { Fragment };

/* ---- words and numbers ---- */

/** A time as "3 minutes ago", with the exact one as its title; `none` where there is none. */
export function Time({ at, none = "–" }) {
	return at ? html`<time datetime=${at} title=${full(at)}>${ago(at)}</time>` : html`<span class="muted">${none}</span>`;
}

export const Number_ = ({ value }) => html`<span class="number" title=${count(value)}>${short(value)}</span>`;

/** When the oldest delivery was due, or its next attempt. */
export const Waiting = ({ at }) => !at ? html`<span class="muted">none</span>` : html`${Date.parse(at) > Date.now() ? "retry " : ""}<${Time} at=${at} />`;

/** A state in a word and a color: good, bad, wait or plain. */
export const Chip = ({ tone = "plain", children }) => html`<span class=${`chip ${tone}`}>${children}</span>`;

/** A text with a button that copies it. */
export function Copy({ text, label = "Copy", what }) {
	const [done, set] = useState(false);
	async function copy() {
		try {
			await navigator.clipboard.writeText(text);
		} catch (error) {
			// without https there is no clipboard
			const field = document.createElement("textarea");
			field.value = text;
			field.className = "offscreen";
			document.body.append(field);
			field.select();
			document.execCommand("copy");
			field.remove();
		}
		set(true);
		setTimeout(() => set(false), 2000);
		say(`${what || "Text"} copied`);
	}
	return html`<button type="button" class="small quiet" onClick=${copy} aria-label=${what ? `${label} ${what}` : undefined}>${done ? "Copied" : label}</button>`;
}

/** Code to copy: a secret, markup, a line for a shell. */
export const Code = ({ text, what }) => html`
	<div class="code"><pre tabindex="0">${text}</pre><${Copy} text=${text} what=${what} /></div>`;

/* ---- messages ---- */

const toasts = store([]);
let toastNumber = 0;

/** A success. `undo`, a function, adds a button. */
export function toast(text, undo) {
	const id = ++toastNumber;
	toasts.set(list => [...list, { id, text, undo }]);
	setTimeout(() => toasts.set(list => list.filter(one => one.id !== id)), 8000);
}

const spoken = store("");
/** For screen readers alone. */
export const say = text => {
	spoken.set("");
	setTimeout(() => spoken.set(text), 50);
};

export function Toasts() {
	const list = useStore(toasts),
		text = useStore(spoken);
	return html`
		<div class="toasts" role="status">
			${list.map(
				one => html`<div class="toast" key=${one.id}>${one.text}
				${
					one.undo &&
					html`<${Button} kind="small" onClick=${async () => {
						toasts.set(rest => rest.filter(other => other.id !== one.id));
						await one.undo();
					}}>Undo<//>`
				}</div>`,
			)}
		</div>
		<div class="offscreen" role="status">${text}</div>`;
}

/** A message of the API as a sentence: "no such lead" becomes "No such lead." */
export const sentence = text => text && `${text[0].toUpperCase()}${text.slice(1)}${/[.?!…]$/.test(text) ? "" : "."}`;

/** What to do about a failure, in a sentence. */
export function adviceOf(failure) {
	if (failure.code === "unreachable")
		return "Check your connection. Your input is not lost.";
	if (failure.code === "rate_limited")
		return `Too many requests. Try again in ${failure.retryAfter || 60} seconds.`;
	if (failure.code === "changed")
		return "Somebody else changed this after you opened it.";
	if (failure.code === "unknown_outcome")
		return "The response was lost, so the change may have been made. Check before you repeat it.";
	if (failure.code === "not_configured")
		return "Ask the operator of this installation to set this up.";
	if (failure.isAway)
		return "The service or its database is unavailable. Your input is not lost.";
	return null;
}

/** A failure where something was to be shown or done. */
export function Problem({ failure, onRetry }) {
	if (!failure)
		return null;
	const advice = failure instanceof Failure ? adviceOf(failure) : null;
	return html`<div class="notice bad" role="alert">
		<p><strong>${sentence(failure.message)}</strong>${advice && html`${" "}${advice}`}</p>
		${failure.requestId && failure.isAway && html`<p class="muted">Request ID <code>${failure.requestId}</code> <${Copy} text=${failure.requestId} what="the request ID" /></p>`}
		${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
	</div>`;
}

export const Notice = ({ tone = "plain", children }) => html`<div class=${`notice ${tone}`}>${children}</div>`;

/** An empty list: how to get the first entry. */
export const Empty = ({ title, children }) => html`<div class="empty"><p class="empty-title">${title}</p>${children}</div>`;

/* ---- buttons and forms ---- */

/** A button that is busy while its promise lasts. What it throws goes to `onFailure`, else into a dialog. */
export function Button({ onClick, kind = "", disabled, onFailure, children, ...rest }) {
	const [busy, set] = useState(false);
	const alive = useRef(true);
	useEffect(
		() => () => {
			alive.current = false;
		},
		[],
	);
	async function click(event) {
		if (busy)
			return;
		const done = onClick(event);
		if (!(done instanceof Promise))
			return;
		set(true);
		try {
			await done;
		} catch (failure) {
			if (!(failure instanceof Cancelled)) (onFailure || showFailure)(failure);
		} finally {
			if (alive.current) set(false);
		}
	}
	return html`<button type="button" class=${kind} disabled=${disabled} aria-busy=${busy} onClick=${click} ...${rest}>${children}</button>`;
}

/** The values of a form, its errors by field, and what sends it. */
export function useForm(initial) {
	const [values, setValues] = useState(initial);
	const [state, setState] = useState({ busy: false, failure: null, fields: {} });
	const set = useCallback((name, value) => {
		setValues(old => ({ ...old, [name]: value }));
		setState(old => (old.fields[name] ? { ...old, fields: { ...old.fields, [name]: undefined } } : old));
	}, []);
	const run = useCallback(async work => {
		setState({ busy: true, failure: null, fields: {} });
		try {
			await work();
			setState({ busy: false, failure: null, fields: {} });
			return true;
		} catch (failure) {
			if (failure instanceof Cancelled) setState({ busy: false, failure: null, fields: {} });
			else setState({ busy: false, failure, fields: failure.fields || {} });
			return false;
		}
	}, []);
	const refuse = useCallback(fields => setState({ busy: false, failure: null, fields }), []);
	return { values, set, setValues, ...state, run, refuse };
}

/** A form whose submit calls `onSubmit`, a function that returns a promise. */
export function Form({ form, onSubmit, children, submit, danger, cancel, ...rest }) {
	const root = useRef(null);
	const failed = form.failure || Object.values(form.fields).some(Boolean);
	useEffect(() => {
		if (failed && !form.busy)
			(root.current.querySelector("[aria-invalid=true]") || root.current.querySelector("[role=alert]"))?.focus?.();
	}, [failed, form.busy]);
	const named = Object.keys(form.fields).length > 0 && Object.keys(form.fields).every(name => root.current?.elements[name]);
	return html`<form ref=${root} noValidate onSubmit=${event => {
		event.preventDefault();
		if (!form.busy) form.run(onSubmit);
	}} ...${rest}>
		${children}
		${form.failure && !named && html`<${Problem} failure=${form.failure} />`}
		${
			submit &&
			html`<div class="buttons">
			<button type="submit" class=${danger ? "danger" : "primary"} aria-busy=${form.busy}>${submit}</button>
			${cancel && html`<button type="button" onClick=${cancel}>Cancel</button>`}
		</div>`
		}
	</form>`;
}

/** One field of a form. `type`: text, email, password, number, date, area, check, select (with `options`: [value, text]). */
export function Field({ form, name, label, hint, type = "text", options, suffix, ...rest }) {
	const id = useId(),
		error = form.fields[name],
		value = form.values[name];
	const common = {
		id,
		name,
		"aria-invalid": error ? "true" : undefined,
		"aria-describedby": [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined,
		...rest,
	};
	const notes = html`${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}`;
	const change = event => form.set(name, event.currentTarget.value);
	if (type === "check")
		return html`<div class="field check">
			<input type="checkbox" checked=${Boolean(value)} onChange=${event => form.set(name, event.currentTarget.checked)} ...${common} />
			<label for=${id}>${label}</label>${notes}</div>`;
	const control =
		type === "area"
			? html`<textarea value=${value} onInput=${change} ...${common} />`
			: type === "select"
				? html`<select value=${value} onChange=${change} ...${common}>
			${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}</select>`
				: html`<input type=${type} value=${value} onInput=${change} ...${common} />`;
	return html`<div class="field"><label for=${id}>${label}</label>${control}${suffix}${notes}</div>`;
}

/** Checkboxes for the members of a set; `options`: [value, text, explanation]. */
export function Choices({ form, name, label, hint, options }) {
	const id = useId(),
		chosen = new Set(form.values[name]),
		error = form.fields[name];
	const toggle = (value, on) =>
		form.set(
			name,
			options.map(([one]) => one).filter(one => (one === value ? on : chosen.has(one))),
		);
	return html`<fieldset class="choices" aria-describedby=${error ? `${id}-error` : undefined}><legend>${label}</legend>
		${hint && html`<p class="hint">${hint}</p>`}
		${options.map(
			([value, text, why]) => html`<div class="field check" key=${value}>
			<input type="checkbox" id=${`${id}-${value}`} name=${name} value=${value} checked=${chosen.has(value)}
				onChange=${event => toggle(value, event.currentTarget.checked)} aria-describedby=${why ? `${id}-${value}-why` : undefined} />
			<label for=${`${id}-${value}`}>${text}</label>
			${why && html`<p class="hint" id=${`${id}-${value}-why`}>${why}</p>`}</div>`,
		)}
		${error && html`<p class="error" id=${`${id}-error`}>${error}</p>`}
	</fieldset>`;
}

/** A password field with a button that shows what is typed. */
export function Password(properties) {
	const [shown, set] = useState(false);
	return html`<${Field} ...${properties} type=${shown ? "text" : "password"} spellcheck="false" autocapitalize="off" suffix=${html`
		<button type="button" class="small quiet reveal" aria-pressed=${shown} onClick=${() => set(!shown)}>${shown ? "Hide" : "Show"}</button>`} />`;
}

/* ---- dialogs ---- */

const dialogs = store([]);
let dialogNumber = 0;

/** Shows a dialog: `content` is a function of `close`, which ends it with a value. Resolves to that value; undefined: closed. */
export function openDialog(content) {
	return new Promise(done => {
		const id = ++dialogNumber;
		const close = value => {
			dialogs.set(list => list.filter(one => one.id !== id));
			done(value);
		};
		dialogs.set(list => [...list, { id, content, close }]);
	});
}

export function Dialog({ title, close, children, wide }) {
	const element = useRef(null),
		id = useId();
	useLayoutEffect(() => {
		const before = document.activeElement,
			dialog = element.current;
		dialog.showModal();
		return () => {
			dialog.close(); // what is outside an open dialog cannot have the focus
			if (before?.isConnected) before.focus();
		};
	}, []);
	return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-labelledby=${id} onCancel=${event => {
		event.preventDefault();
		close();
	}}>
		<h2 id=${id}>${title}</h2>${children}</dialog>`;
}

export function Dialogs() {
	return useStore(dialogs).map(one => html`<${Fragment} key=${one.id}>${one.content(one.close)}<//>`);
}

/**
 * Asks before what cannot be undone. `verb` is the text of the button; `type`: a text that has to be typed; `work`: what is done
 * while the dialog is busy, so that a failure is shown in it. Resolves to whether it was done.
 */
export function ask({ title, text, verb, type, work, danger = true }) {
	function Question({ close }) {
		const form = useForm({ typed: "" });
		async function submit() {
			if (type && form.values.typed.trim() !== type)
				throw Object.assign(new Error(), { message: "", fields: { typed: `Type “${type}” to continue.` } });
			if (work) await work();
			close(true);
		}
		return html`<${Dialog} title=${title} close=${close}>
			<div class="prose">${text}</div>
			<${Form} form=${form} onSubmit=${submit} submit=${verb} danger=${danger} cancel=${() => close(false)}>
				${type && html`<${Field} form=${form} name="typed" label=${html`Type <strong>${type}</strong> to confirm`} autocomplete="off" />`}
			<//>
		<//>`;
	}
	return openDialog(close => html`<${Question} close=${close} />`).then(Boolean);
}

export function showFailure(failure) {
	return openDialog(
		close => html`<${Dialog} title="Request failed" close=${close}>
		<${Problem} failure=${failure} />
		<div class="buttons"><button type="button" class="primary" onClick=${() => close()}>Close</button></div><//>`,
	);
}

/* ---- frame of a view ---- */

/** The heading of a view; it gets the focus when the view is shown. */
export function Page({ title, above, actions, children }) {
	const heading = useRef(null);
	useEffect(() => {
		document.title = `${title} – Leadhook`;
	}, [title]);
	useEffect(() => {
		heading.current.focus({ preventScroll: true });
		scrollTo(0, 0);
	}, []);
	return html`<header class="page-header">
			${above && html`<p class="crumbs">${above}</p>`}
			<h1 tabindex="-1" ref=${heading}>${title}</h1>
			${actions && html`<div class="buttons">${actions}</div>`}
		</header>${children}`;
}

/** Content that a call provides: a skeleton before the first answer, old content while it is read again, and why it is not new. */
export function Loaded({ live, children, lines = 4 }) {
	const { value, failure, retryAt } = live;
	if (value === undefined && failure)
		return html`<${Problem} failure=${failure} onRetry=${live.reload} />`;
	if (value === undefined)
		return html`<div class="skeleton" role="status" aria-label="Loading">${Array.from({ length: lines }, (_, key) => html`<span key=${key} />`)}</div>`;
	return html`${failure && html`<${Stale} failure=${failure} at=${live.at} retryAt=${retryAt} onRetry=${live.reload} />`}${children(value, live)}`;
}

function Stale({ failure, at, retryAt, onRetry }) {
	const [now, set] = useState(Date.now());
	useEffect(() => {
		const timer = setInterval(() => set(Date.now()), 1000);
		return () => clearInterval(timer);
	}, []);
	return html`<div class="notice bad" role="alert"><p><strong>${at ? `Not updated since ${full(at)}.` : "Not updated."}</strong> ${failure.message}
		${retryAt && retryAt > now ? html` Retrying in ${Math.ceil((retryAt - now) / 1000)} s.` : ""}</p>
		<button type="button" onClick=${onRetry}>Retry now</button></div>`;
}

/** "Updated 14:03:20", and the button that reads again. */
export function Updated({ live }) {
	return html`<span class="updated muted">${live.at && html`Updated <time datetime=${new Date(live.at).toISOString()}>${new Date(live.at).toLocaleTimeString("en-GB")}</time>`}
		<button type="button" class="small quiet" onClick=${refresh} title="Refresh (r)">Refresh</button></span>`;
}

/**
 * A table, which is a list of cards on a phone. `columns`: { title, cell(row), kind (number, tick, long: a text without blanks), sort(row), head (in place of the
 * title), hidden (the title) }. `name` tells what the rows are.
 */
export function Table({ name, columns, rows, id = row => row.id, row: attributes, sorted }) {
	const [order, setOrder] = useState(sorted || null);
	const column = order && columns.find(one => one.title === order.title);
	const list = column
		? [...rows].sort((a, b) => {
				const [x, y] = [column.sort(a), column.sort(b)];
				return (x < y ? -1 : x > y ? 1 : 0) * (order.down ? -1 : 1);
			})
		: rows;
	const sortBy = one =>
		setOrder(old => ({ title: one.title, down: old?.title === one.title ? !old.down : one.kind === "number" }));
	return html`<div class="table"><table aria-label=${name}>
		<thead><tr>${columns.map(
			one => html`<th key=${one.title} scope="col" class=${one.kind}
			aria-sort=${order?.title === one.title ? (order.down ? "descending" : "ascending") : undefined}>
			${
				one.head
					? one.head
					: one.sort
						? html`<button type="button" class="sort" onClick=${() => sortBy(one)}>${one.title}</button>`
						: one.hidden
							? html`<span class="offscreen">${one.title}</span>`
							: one.title
			}</th>`,
		)}</tr></thead>
		<tbody>${list.map(
			row => html`<tr key=${id(row)} ...${attributes ? attributes(row) : {}}>
			${columns.map(one => html`<td key=${one.title} class=${one.kind} data-label=${one.hidden ? "" : one.title}>${one.cell(row)}</td>`)}</tr>`,
		)}</tbody>
	</table></div>`;
}

/** Pairs of a name and a value. */
export const Facts = ({ rows }) =>
	html`<dl class="facts">${rows.filter(Boolean).map(
		([name, value]) => html`
	<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`,
	)}</dl>`;

/** A number with what it means. */
export function Tile({ label, value, note, href, tone = "" }) {
	const inner = html`<span class="tile-label">${label}</span><span class="tile-value">${value}</span>${note && html`<span class="tile-note">${note}</span>`}`;
	return href ? html`<a class=${`tile ${tone}`} href=${href}>${inner}</a>` : html`<div class=${`tile ${tone}`}>${inner}</div>`;
}

/** The last days as a line; the numbers are in `label`. */
export function Spark({ values, label }) {
	const top = Math.max(1, ...values),
		width = 84,
		height = 24;
	const points = values.map(
		(value, at) =>
			`${((at * width) / Math.max(1, values.length - 1)).toFixed(1)},${(height - 2 - (value * (height - 4)) / top).toFixed(1)}`,
	);
	return html`<svg class="spark" viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}><polyline points=${points.join(" ")} /></svg>`;
}
