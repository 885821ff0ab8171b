# SPDX-License-Identifier: MIT
"""The mail server of the quickstart, which accepts every mail and forwards none (`mailbox.py --port N --log F`)."""
import argparse
import asyncio
import datetime
import email
import email.policy
import json
import pathlib
import re

from aiosmtpd.smtp import SMTP

LINK = re.compile(r"https?://\S+")
CODE = re.compile(r"\b(\d{6})\r?$", re.MULTILINE)


def describe(recipient, content):
    """Return the data that people look for in a mail, for a line of the log."""
    message = email.message_from_bytes(content, policy=email.policy.SMTP)
    body = message.get_body(("plain",))
    text = body.get_content() if body is not None else ""
    return {"time": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"), "to": recipient,
            "subject": str(message["Subject"]), "links": LINK.findall(text), "codes": CODE.findall(text), "text": text}


class Mailbox:
    def __init__(self, log):
        self.log = log

    async def handle_RCPT(self, server, session, envelope, address, options):
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server, session, envelope):
        with open(self.log, "a", encoding="utf-8") as file:
            for recipient in envelope.rcpt_tos:
                file.write(json.dumps(describe(recipient, envelope.content)) + "\n")
        return "250 2.0.0 OK"


async def serve(port, log):
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Mailbox(log), enable_SMTPUTF8=True, loop=loop), "127.0.0.1", port)
    await server.serve_forever()


def main():
    parser = argparse.ArgumentParser(prog="mailbox")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log", type=pathlib.Path, required=True)
    options = parser.parse_args()
    asyncio.run(serve(options.port, options.log))


if __name__ == "__main__":
    main()
