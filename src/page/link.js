// SPDX-License-Identifier: MIT
// A part of embed.js and page.js: queries of links that people have copied, with the rules of src/http/link_query.h.

// The social id in the value of "kid", as it was typed, or "".
function linkId(value) {
	const text = linkDecode(value).replace(/[^\0-\x7f]|-/g, "").replace(/^.*kid=/is, "");
	const found = /^[^a-z\d]*([a-z\d]{4,16})(?![a-z\d:])/i.exec(text);
	return found ? found[1] : "";
}

function linkDecode(text) {
	return new URLSearchParams("=" + text).get("");
}

// The parameters as they were meant: of known ones the last is used, as by the server.
function linkQuery(query) {
	const known = /^(?:kid|utm_\w+)(?:=|$)/i;
	const mended = new URLSearchParams();
	for (const raw of query.split("&")) {
		const whole = linkDecode(raw);
		const text = (whole.includes("=") ? whole : linkDecode(whole)).replace(/^(?:amp;){1,8}/i, "");
		const searched = known.test(text) || !text.includes("://");
		for (const piece of searched ? text.split(/[?&#;/, ]+(?:amp;){0,8}(?=(?:kid|utm_\w+)=)|\?(?=[\w.-]+=)/i) : [text]) {
			const name = piece.split("=", 1)[0];
			const value = piece.slice(name.length + 1).trim();
			if (!known.test(piece))
				mended.append(name, value);
			else if (/^kid$/i.test(name) ? linkId(value) : value)
				mended.set(name.toLowerCase(), /^kid$/i.test(name) ? linkId(value) : value);
		}
	}
	return mended;
}
