// SPDX-License-Identifier: MIT
// A part of embed.js and page.js.

// What a form or the document has by itself. An element of the page can have the name of any of its properties, such as "elements"
// and "matches", and stands in for it then: what pages fill with elements of their own is read and called by these alone.
function native(node, name, ...values) {
	const found = Reflect.get(Object.getPrototypeOf(node), name, node);
	return typeof found === "function" ? found.apply(node, values) : found;
}
const attribute = (node, name) => native(node, "getAttribute", name);
const setAttribute = (node, name, value) => native(node, "setAttribute", name, value);
const on = (node, type, listener) => native(node, "addEventListener", type, listener);
