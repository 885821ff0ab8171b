// SPDX-License-Identifier: MIT
// A part of embed.js and page.js: reads queries of copied links by the rules of src/http/link_query.h.

// The social id in a value of "kid", or "".
function linkId(value) {
	const narrow = linkDecode(value).replace(/[\uff01-\uff5e]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
	const text = narrow.replace(/[^\0-\x7f]|-/g, "").replace(/^.*kid=/is, "");
	const found = /^[^a-z\d]*([a-z\d]{4,16})(?![a-z\d:])/i.exec(text);
	return found ? found[1].replace(/^3D(?=.{10}$)/i, "") : ""; // "=3D" is "=" in a mail
}

function linkDecode(text) {
	return new URLSearchParams("=" + text).get("");
}

// The repaired parameters. If a known name is repeated, its last value counts, as on the server.
function linkQuery(query) {
	const known = /^(?:kid|utm_\w+)(?:(?: |[^\0-\x7f])*=|$)/i;
	const mended = new URLSearchParams();
	for (const raw of query.split("&")) {
		const whole = linkDecode(raw);
		const text = (whole.includes("=") ? whole : linkDecode(whole)).replace(/^(?:amp;){1,8}/i, "");
		const searched = known.test(text) || !text.includes("://");
		for (const piece of searched ? text.split(/[?&#;/, ]+(?:amp;){0,8}(?=(?:kid|utm_\w+)(?: |[^\0-\x7f])*=)|\?(?=[\w.-]+=)/i) : [text]) {
			const name = piece.split("=", 1)[0];
			const value = piece.slice(name.length + 1).trim();
			if (!known.test(piece))
				mended.append(name, value);
			else if (/^kid\W*$/i.test(name) ? linkId(value) : value)
				mended.set(name.toLowerCase().replace(/\W+$/, ""), /^kid\W*$/i.test(name) ? linkId(value) : value);
		}
	}
	return mended;
}
