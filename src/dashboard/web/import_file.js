// SPDX-License-Identifier: MIT
// Sends a file to be imported: slices of its bytes, which the service parses.
import { pause, postPatiently } from "./api.js";

const PART_BYTES = 512 * 1024; // twice the longest record, except in UTF-16
const SKIPPED_MAX = 5000; // skipped rows that can be saved
const REMARKS = 100;
const TRIES = 5; // while the service is away

/** The bytes as Base64. */
const base64 = blob =>
	new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
		reader.onerror = () => reject(new Error("The file cannot be read. Was it moved or changed?"));
		reader.readAsDataURL(blob);
	});

/** Sends bytes, and sends them again while the service is away: leads that were already imported are not changed. */
async function send(campaign, bytes, options) {
	const body = { ...options, records: await base64(bytes), base64: true };
	for (let tries = 1; ; tries++)
		try {
			return (await postPatiently(`campaigns/${campaign}/import`, body)).value;
		} catch (failure) {
			if (!failure.isAway || tries === TRIES)
				throw failure;
			await pause((failure.retryAfter || tries) * 1000);
		}
}

/** How the service reads the beginning of the file. */
export const lookAt = (campaign, file, options) =>
	send(campaign, file.slice(0, PART_BYTES), { ...options, look: true, more: file.size > PART_BYTES, file_name: file.name });

const COUNTS = ["rows", "valid", "imported", "unchanged", "rejected", "left_out", "tagged", "opted_out", "phone_numbers_left_out",
	"rows_in_other_encoding", "rows_with_several_emails"];
/** The state of an import at its start: the offset in the file, and sums. `waiting`: rows whose referrer is not imported yet. */
export const nothingYet = look => ({
	offset: look.begin,
	line: look.begin_line,
	counts: Object.fromEntries(COUNTS.map(name => [name, 0])),
	lastNumber: null,
	reasons: {},
	waiting: [],
	tags: {},
	skipped: [],
	remarks: [],
	questions: [],
});

const addTags = (tags, more) => {
	for (const { name, rows } of more || []) tags[name] = (tags[name] || 0) + rows;
	return tags;
};

const isSame = a => b => a.about === b.about && a.column === b.column;

/** Merges the questions of two parts: each question has the values of both. */
export const joinQuestions = (questions = [], more = []) => [
	...questions.map(one => {
		const values = more.find(isSame(one))?.values || [];
		const rowsOf = value => values.find(other => other.value === value)?.rows || 0;
		const known = one.values.map(found => ({ ...found, rows: found.rows + rowsOf(found.value) }));
		return { ...one, values: [...known, ...values.filter(({ value }) => known.every(found => found.value !== value))] };
	}),
	...more.filter(one => !questions.some(isSame(one))),
];

/** The state after an answer. `place`: the offset in the file of the slice that was sent. */
function add(state, value, place) {
	const rows = (value.rejected_rows || []).map(row => ({ ...row, offset: place + row.offset }));
	const waiting = rows.filter(row => row.waits);
	const skipped = rows.filter(row => !row.waits);
	const counts = Object.fromEntries(COUNTS.map(name => [name, state.counts[name] + (value[name] || 0)]));
	counts.rejected -= waiting.length;
	const reasons = { ...state.reasons };
	for (const { reason } of skipped) reasons[reason] = (reasons[reason] || 0) + 1;
	return {
		...state,
		counts,
		reasons,
		lastNumber: Math.max(state.lastNumber || 0, value.last_number || 0) || null,
		waiting: [...state.waiting, ...waiting.map(({ offset, size, line }) => ({ offset, size, line }))],
		tags: addTags({ ...state.tags }, value.unknown_tags),
		skipped: [...state.skipped, ...skipped].slice(0, SKIPPED_MAX),
		remarks: [...state.remarks, ...(value.remarks || [])].slice(0, REMARKS),
		questions: joinQuestions(state.questions, value.questions),
	};
}

const lineEndOf = look => ({ "UTF-16LE": [10, 0], "UTF-16BE": [0, 10] })[look.encoding] || [10];

/** The pieces of a file that has the heading and these rows. */
const piecesOf = (file, look, rows) => [
	file.slice(0, look.begin),
	...rows.flatMap(row => [file.slice(row.offset, row.offset + row.size), new Uint8Array(lineEndOf(look))]),
];

/** Sends rows that wait for their referrers, until a round imports none of them. */
async function sendWaiting(campaign, file, look, options, state, stop, report) {
	for (let before = -1; state.waiting.length > 0 && state.waiting.length !== before && !stop.now; ) {
		before = state.waiting.length;
		const rows = state.waiting;
		let still = [];
		for (let at = 0; at < rows.length && !stop.now; ) {
			let size = 0;
			let end = at;
			while (end < rows.length && end - at < 500 && size < PART_BYTES / 2) size += rows[end++].size;
			const part = rows.slice(at, end);
			const value = await send(campaign, new Blob(piecesOf(file, look, part)), { ...options, first_line: state.line });
			const { imported, unchanged } = state.counts;
			const counts = { ...state.counts, imported: imported + value.imported, unchanged: unchanged + value.unchanged };
			const missed = new Set(value.rejected_rows.map(row => row.offset));
			let place = 0;
			const left = part.filter(row => {
				const isMissed = missed.has(place) || (value.next_offset !== null && place >= value.next_offset);
				place += row.size + lineEndOf(look).length;
				return isMissed;
			});
			still = [...still, ...left];
			state = { ...state, counts, waiting: [...still, ...rows.slice(end)] };
			at = end;
			report(state);
		}
	}
	const reason = "its referrer is not a lead of the campaign";
	const count = state.waiting.length;
	return count === 0 || stop.now ? state : {
		...state,
		waiting: [],
		counts: { ...state.counts, rejected: state.counts.rejected + count },
		reasons: { ...state.reasons, [reason]: (state.reasons[reason] || 0) + count },
		skipped: [...state.skipped, ...state.waiting.map(row => ({ ...row, reason }))].slice(0, SKIPPED_MAX),
	};
}

/** Sends the file from the offset of `state`. `report` gets each new state; `stop.now` ends it after the current slice. */
export async function sendFile(campaign, file, look, options, state, stop, report) {
	const heading = file.slice(0, look.begin);
	while (state.offset < file.size && !stop.now) {
		const end = Math.min(state.offset + PART_BYTES, file.size);
		const value = await send(campaign, new Blob([heading, file.slice(state.offset, end)]), {
			...options,
			more: end < file.size,
			first_line: state.line,
			...(state.lastNumber ? { last_number: state.lastNumber } : {}),
		});
		if (value.next_offset === 0)
			throw new Error(`Line ${state.line} is too long: this is not a table of leads.`);
		state = add(state, value, state.offset);
		const offset = value.next_offset === null ? file.size : state.offset + value.next_offset;
		state = { ...state, offset, line: value.next_line || state.line };
		report(state);
	}
	return options.dry_run ? state : sendWaiting(campaign, file, look, options, state, stop, report);
}

/* ---- how far an unfinished import has come, stored in this browser without data of leads ---- */

const keyOf = campaign => `import-${campaign}`;
const nameOf = file => `${file.name}/${file.size}/${file.lastModified}`;

export function keepPlace(campaign, file, look, choices, state) {
	const { skipped, remarks, tags, questions, ...rest } = state;
	try {
		const place = { file: nameOf(file), look: { ...look, columns: look.columns.map(one => ({ ...one, examples: [] })), questions: [] } };
		localStorage.setItem(keyOf(campaign), JSON.stringify({ ...place, choices, state: rest }));
	} catch (failure) {
		// the storage is full: the import cannot be continued after a reload
	}
}
export const forgetPlace = campaign => localStorage.removeItem(keyOf(campaign));
/** What was stored about this file, or null. */
export function storedPlace(campaign, file) {
	try {
		const stored = JSON.parse(localStorage.getItem(keyOf(campaign)));
		return stored?.file === nameOf(file) ? { ...stored, state: { ...nothingYet(stored.look), ...stored.state } } : null;
	} catch (failure) {
		return null;
	}
}
