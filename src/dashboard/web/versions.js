// SPDX-License-Identifier: MIT
// Two people who edit the same: a change goes with the version that was read (docs/manage.md 1.3). Fields that only one of them has
// changed are merged; for the others the user chooses.
import { Cancelled, Failure, get, patch } from "./api.js";
import { Dialog, html, openDialog } from "./ui.js";

const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
function shown(value) {
	if (value === null || value === undefined || value === "")
		return "(empty)";
	return Array.isArray(value) ? value.join(", ") : String(value);
}

function Conflict({ fields, mine, theirs, labels, close }) {
	return html`
		<${Dialog} title="Conflicting changes" close=${() => close()}>
			<p>Somebody else changed these fields while you were editing:</p>
			<div class="table">
				<table>
					<thead>
						<tr>
							<th scope="col">Field</th>
							<th scope="col">Yours</th>
							<th scope="col">Theirs</th>
						</tr>
					</thead>
					<tbody>
						${fields.map(name => html`
							<tr key=${name}>
								<th scope="row">${labels[name] || name}</th>
								<td data-label="Yours">${shown(mine[name])}</td>
								<td data-label="Theirs">${shown(theirs[name])}</td>
							</tr>`)}
					</tbody>
				</table>
			</div>
			<div class="buttons">
				<button type="button" class="primary" onClick=${() => close("mine")}>Save mine</button>
				<button type="button" onClick=${() => close("theirs")}>Keep theirs</button>
				<button type="button" onClick=${() => close()}>Continue editing</button>
			</div>
		<//>`;
}

/**
 * Saves `changes`, fields of the object at `path` that was read as `base` with the version `tag`. `read` gets that object again in
 * the form of `base`. Resolves to "saved" or "theirs"; throws Cancelled when the user goes on editing.
 */
export async function save({ path, changes, base, tag, labels = {}, extra = {}, read = value => value, readQuery }) {
	for (;;) {
		try {
			await patch(path, { ...changes, ...extra }, tag);
			return "saved";
		} catch (failure) {
			if (!(failure instanceof Failure) || failure.code !== "changed")
				throw failure;
		}
		const now = await get(path, readQuery);
		const theirs = read(now.value);
		tag = now.tag;
		const both = Object.keys(changes).filter(name => !same(theirs[name], base[name]) && !same(theirs[name], changes[name]));
		base = theirs;
		if (both.length === 0)
			continue;
		const choice = await openDialog(
			close => html`<${Conflict} fields=${both} mine=${changes} theirs=${theirs} labels=${labels} close=${close} />`,
		);
		if (choice === "theirs")
			return "theirs";
		if (choice !== "mine")
			throw new Cancelled();
	}
}
