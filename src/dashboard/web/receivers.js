// SPDX-License-Identifier: MIT
// Sample receivers of webhooks: they check the signature (docs/deliveries.md 2.3) and answer at once.

const node = secret => `// node receiver.js
const { createHmac, timingSafeEqual } = require("node:crypto");
const key = Buffer.from("${secret}".slice("whsec_".length), "base64");

function genuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": sent, "webhook-signature": given = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(sent)) < 300)) return false;
  const hash = createHmac("sha256", key).update(\`\${id}.\${sent}.\`).update(body).digest("base64");
  const expected = Buffer.from("v1," + hash);
  return given.split(" ").map(word => Buffer.from(word))
    .some(word => word.length === expected.length && timingSafeEqual(word, expected));
}

require("node:http").createServer((request, response) => {
  const parts = [];
  request.on("data", part => parts.push(part)).on("end", () => {
    const body = Buffer.concat(parts);
    if (!genuine(request.headers, body)) return response.writeHead(401).end();
    const lead = JSON.parse(body);
    console.log(lead.__event, lead.email); // do your work after the answer
    response.writeHead(204).end();
  });
}).listen(3000);
`;

const python = secret => `# python3 receiver.py
import base64, hashlib, hmac, http.server, json, time

KEY = base64.b64decode("${secret}".removeprefix("whsec_"))

def genuine(headers, body):
    name, sent, given = (headers.get("webhook-" + word, "") for word in ("id", "timestamp", "signature"))
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    mac = hmac.new(KEY, f"{name}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    return any(hmac.compare_digest(expected, word.encode()) for word in given.split())

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        good = genuine(self.headers, body)
        self.send_response(204 if good else 401)
        self.end_headers()
        if good:
            lead = json.loads(body)
            print(lead["__event"], lead["email"])

http.server.ThreadingHTTPServer(("", 3000), Receiver).serve_forever()
`;

const php = secret => `<?php // receiver.php
$key = base64_decode(substr("${secret}", strlen("whsec_")));
$headers = array_change_key_case(getallheaders());
$body = file_get_contents("php://input");
$id = $headers["webhook-id"] ?? "";
$sent = $headers["webhook-timestamp"] ?? "";
$expected = "v1," . base64_encode(hash_hmac("sha256", "$id.$sent.$body", $key, true));
$genuine = ctype_digit($sent) && abs(time() - (int) $sent) <= 300 &&
    array_filter(explode(" ", $headers["webhook-signature"] ?? ""), fn($given) => hash_equals($expected, $given));
if (!$genuine) {
    http_response_code(401);
    exit;
}
http_response_code(204);
$lead = json_decode($body, true);
error_log($lead["__event"] . " " . $lead["email"]);
`;

/** [language, a function of the secret]. */
export const RECEIVERS = [
	["Node", node],
	["Python", python],
	["PHP", php],
];
