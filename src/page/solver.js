	// Solves a challenge of the service (docs/api.md 8.2): resolves to the value of the parameter `altcha`. Fails on pages without https.
	// Several hashes at a time are computed by threads of the browser, so that the page stays responsive.
	async function solveChallenge(challenge) {
		const { cost, keyPrefix, nonce, salt } = challenge.parameters;
		const bytes = (hex) => Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
		const hex = (number, digits) => number.toString(16).padStart(digits, "0");
		const attempt = async (counter) => {
			const password = await crypto.subtle.importKey("raw", bytes(nonce + hex(counter, 8)), "PBKDF2", false, ["deriveBits"]);
			const key = await crypto.subtle.deriveBits(
				{ name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations: cost }, password, 256);
			return { counter, derivedKey: [...new Uint8Array(key)].map((byte) => hex(byte, 2)).join("") };
		};
		for (let counter = 0; ; counter += 8) {
			const tried = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((more) => attempt(counter + more)));
			const solution = tried.find((one) => one.derivedKey.startsWith(keyPrefix));
			if (solution)
				return btoa(JSON.stringify({ challenge, solution }));
		}
	}
