// SPDX-License-Identifier: MIT
// Editing objects that others may edit at the same time: a change includes the version that it is based on (docs/manage.md 1.3).
// Changes of different fields are merged; if both users have changed a field, this user chooses the value.
import { useEffect, useState } from "./hooks.js";
import { Cancelled, Failure, get, patch } from "./api.js";
import { useForm } from "./forms.js";
import { useLeaveWarning } from "./leave.js";
import { Dialog, Table, html, openDialog, toast } from "./ui.js";

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
function shown(value) {
	if (value === null || value === undefined || value === "")
		return "(empty)";
	return Array.isArray(value) ? value.join(", ") : String(value);
}

function Conflict({ fields, mine, theirs, labels, close }) {
	const columns = [
		["Field", name => labels[name] || name, "row"],
		["Yours", name => shown(mine[name])],
		["Theirs", name => shown(theirs[name])],
	];
	return html`
		<${Dialog} title="Conflicting changes" close=${close}>
			<p>Another user changed these fields while you were editing:</p>
			<${Table} name="Conflicting changes" rows=${fields} id=${name => name} columns=${columns} />
			<div class="buttons">
				<button type="button" class="primary" onClick=${() => close("mine")}>Save mine</button>
				<button type="button" onClick=${() => close("theirs")}>Keep theirs</button>
				<button type="button" onClick=${() => close()}>Continue editing</button>
			</div>
		<//>`;
}

const pick = (values, names) => Object.fromEntries(names.map(name => [name, values[name]]));

/**
 * Saves `changes` to the object at `path`, based on `base`, which was read with the version `tag`. `read` turns the object into the
 * form of `base`. Resolves to "saved" or "theirs"; throws Cancelled when the user continues editing.
 */
async function save({ path, query, changes, base, tag, labels, extra, read }) {
	for (;;) {
		try {
			await patch(path, { ...changes, ...extra }, tag);
			return "saved";
		} catch (failure) {
			if (!(failure instanceof Failure) || failure.code !== "changed")
				throw failure;
		}
		const now = await get(path, query);
		const theirs = read(now.value);
		tag = now.tag;
		const both = Object.keys(changes).filter(name => !same(theirs[name], base[name]) && !same(theirs[name], changes[name]));
		base = theirs;
		if (both.length === 0)
			continue;
		const choice = await openDialog(Conflict, { fields: both, mine: changes, theirs, labels });
		if (choice === "theirs") changes = pick(changes, Object.keys(changes).filter(name => !both.includes(name)));
		else if (choice !== "mine")
			throw new Cancelled();
		if (Object.keys(changes).length === 0)
			return "theirs";
	}
}

/**
 * A form for the object `loaded`, read from `path` with `query` as the version `tag`. `read` turns the object into values of the form,
 * `send` values into a body, to which `extra` is added. `saved`: the message after saving; `reload`: reads the object again. Returns
 * the form, the stored values, the names of the changed ones, and `submit`, which saves them.
 */
export function useEditor({ path, query, loaded, tag, read, send = values => values, extra = {}, labels, saved, reload }) {
	const start = read(loaded);
	const form = useForm(start);
	const [base, setBase] = useState({ values: start, tag });
	const changed = Object.keys(start).filter(name => !same(form.values[name], base.values[name]));
	useLeaveWarning(changed.length > 0);
	useEffect(() => {
		// changes by others are shown only while this form has no unsaved changes
		if (changed.length > 0 || tag === base.tag)
			return;
		setBase({ values: start, tag });
		form.setValues(start);
	}, [tag]);
	async function submit() {
		const sent = form.values;
		const done = await save({
			path,
			query,
			tag: base.tag,
			base: send(base.values),
			changes: pick(send(sent), changed),
			read: value => send(read(value)),
			labels,
			extra,
		});
		const now = await get(path, query);
		const values = read(now.value);
		setBase({ values, tag: now.tag });
		// text that was typed in the meantime stays
		form.setValues(typed => ({ ...values, ...pick(typed, Object.keys(typed).filter(name => !same(typed[name], sent[name]))) }));
		toast(done === "saved" ? saved : "Their changes were kept");
		reload();
	}
	return { form, stored: base.values, changed, submit };
}
