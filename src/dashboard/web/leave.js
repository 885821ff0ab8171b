// SPDX-License-Identifier: MIT
// A question before a view with something unsaved is left: by a link, by Back and Forward, by closing the tab.
import { useLayoutEffect } from "./hooks.js";
import { confirmAction } from "./forms.js";

const UNSAVED = ["Discard the unsaved changes?", "Discard"];

const questions = []; // of what is unsaved: title, verb
let position = history.state?.position || 0; // of the place in the history of the tab
let isOpen = false; // the dialog
let passes = false; // the next change of the place was confirmed
let timer = 0;
const RESTORE_MS = 20; // several changes in a row are taken back at once

history.replaceState({ position }, "");

/** Resolves to whether what is unsaved, if anything, may be lost. */
export function mayLeave() {
	const [title, verb] = questions.at(-1) || [];
	return title ? confirmAction({ title, verb, cancel: "Stay" }) : Promise.resolve(true);
}

// This listener runs before those of views and dialogs. Until the user confirms, the old place is restored.
addEventListener("hashchange", event => {
	const target = history.state?.position ?? position + 1; // a new entry has no state
	const by = target - position;
	history.replaceState({ position: target }, "");
	if (by === 0) { // restored: the view and the question stay
		event.stopImmediatePropagation();
		return;
	}
	if (passes || questions.length === 0) {
		position = target;
		passes = false;
		return;
	}
	event.stopImmediatePropagation();
	clearTimeout(timer);
	timer = setTimeout(() => history.state.position !== position && history.go(position - history.state.position), RESTORE_MS);
	if (isOpen)
		return;
	isOpen = true;
	mayLeave().then(leaves => {
		isOpen = false;
		passes = leaves;
		if (leaves) history.go(by);
	});
});

/** While `active`, leaving the view needs a confirmation with this title; `verb` is the text of the button that leaves. */
export function useLeaveWarning(active, [title, verb] = UNSAVED) {
	useLayoutEffect(() => {
		if (!active)
			return undefined;
		const question = [title, verb];
		const warn = event => event.preventDefault();
		questions.push(question);
		addEventListener("beforeunload", warn);
		return () => {
			questions.splice(questions.indexOf(question), 1);
			removeEventListener("beforeunload", warn);
		};
	}, [active]);
}
