// SPDX-License-Identifier: MIT
// A part of embed.js and page.js.

// Reads or calls the original property of a form or the document. An element on the page whose name is that of a property, such as
// "elements" or "matches", would hide it. Objects that may contain elements of the page are used only through these functions.
function native(node, name, ...values) {
	const found = Reflect.get(Object.getPrototypeOf(node), name, node);
	return typeof found === "function" ? found.apply(node, values) : found;
}
const attribute = (node, name) => native(node, "getAttribute", name);
const setAttribute = (node, name, value) => native(node, "setAttribute", name, value);
const on = (node, type, listener) => native(node, "addEventListener", type, listener);
