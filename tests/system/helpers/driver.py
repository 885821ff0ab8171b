# SPDX-License-Identifier: MIT
"""Chromium and Firefox as a visitor uses them: a window that shows one page after another, its width, its color scheme, and keys.

Pages that no other page may embed cannot be shown by browser.py, whose scripts run in pages of the tests. Here, the browser's own
protocol drives the window: DevTools over a pipe for Chromium, Marionette for Firefox. No driver program is needed.
"""
import base64
import contextlib
import itertools
import json
import os
import signal
import socket
import subprocess
import time

from browser import JOB_SECONDS, START_SECONDS, Chromium, Firefox
from stack.process import StackError, die_with_parent, wait_until

WIDTH, HEIGHT = 900, 900
KEYS = {"Tab": ("Tab", 9, "\ue004", ""), "Enter": ("Enter", 13, "\ue006", "\r"), "Space": (" ", 32, " ", " "),
        "Escape": ("Escape", 27, "\ue00c", ""), "ArrowDown": ("ArrowDown", 40, "\ue015", "")}
# Violations of the page's policy, which the document reports to scripts that the page does not see.
VIOLATIONS = """
    window.violations = [];
    document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective + " " + event.blockedURI));
"""


class Window:
    """A browser with a new profile in the folder, whose window a test drives. A script is the body of a function."""

    def __init__(self, folder):
        self.browser = self.program(folder)
        self.process = None

    def _start(self, *words, **options):
        command = self.browser.command(self.browser.make_profile("profile"), *words)
        parent = os.getpid()
        with open(self.browser.log, "ab") as log:
            self.process = subprocess.Popen(  # pylint: disable=consider-using-with
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=lambda: self._before_exec(parent), **options)

    def _before_exec(self, parent):
        die_with_parent(parent, signal.SIGTERM)

    def stop(self):
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.browser.site.close()

    def wait(self, condition, what=None):
        """Waits until the expression is true in the page; returns its value."""
        return wait_until(lambda: self.run(f"return ({condition});"), JOB_SECONDS, what or condition)

    def press(self, *keys):
        for key in keys:
            self._press(*(KEYS[key] if key in KEYS else (key, ord(key.upper()), key, key)))

    def path(self):
        return self.run("return location.pathname + location.search;")

    def text(self, selector):
        return self.run(f"return document.querySelector({json.dumps(selector)}).textContent.trim();")


class ChromiumWindow(Window):
    program = Chromium
    can_switch_scripts = True

    def start(self):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._fds = (to_browser, from_browser)
        self._start("--remote-debugging-pipe", f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars", close_fds=False)
        for fd in self._fds:
            os.close(fd)
        self._numbers, self._received, self._session = itertools.count(1), b"", None
        target = self._send("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime"):
            self._send(f"{domain}.enable")
        self._send("Page.addScriptToEvaluateOnNewDocument", {"source": VIOLATIONS})
        self.resize(WIDTH)
        return self

    def _before_exec(self, parent):
        super()._before_exec(parent)
        copies = [os.dup(fd) for fd in self._fds]  # 3 and 4 may be one of them
        for number, copy in zip((3, 4), copies):
            os.dup2(copy, number)

    def stop(self):
        super().stop()
        for fd in (self._in, self._out):
            os.close(fd)

    def _read(self, deadline):
        while b"\0" not in self._received:
            if time.monotonic() > deadline:
                raise StackError("chromium does not answer")
            chunk = os.read(self._in, 1 << 16)
            if not chunk:
                raise StackError("chromium has ended")
            self._received += chunk
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def _write(self, number, method, params):
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")

    def _send(self, method, params=None):
        number = next(self._numbers)
        self._write(number, method, params or {})
        deadline = time.monotonic() + START_SECONDS
        while True:
            answer = self._read(deadline)
            if answer.get("method") == "Page.javascriptDialogOpening":  # for example, about unsaved changes
                self._write(next(self._numbers), "Page.handleJavaScriptDialog", {"accept": True})
            if answer.get("id") == number:
                if "error" in answer:
                    raise StackError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def open(self, url):
        self.run("window.left = true;")
        self._send("Page.navigate", {"url": url})
        self.wait("!window.left && document.readyState === 'complete'", url)

    def run(self, script):
        try:
            answer = self._send("Runtime.evaluate", {"expression": f"(async () => {{ {script} }})()", "awaitPromise": True,
                                                     "returnByValue": True})
        except StackError as error:
            if "navigated" in str(error) or "destroyed" in str(error) or "collected" in str(error):
                return None  # the page was left meanwhile
            raise
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def _press(self, key, code, _, text):
        # keys before the first frame of a page are dropped
        self._send("Page.captureScreenshot", {"clip": {"x": 0, "y": 0, "width": 1, "height": 1, "scale": 1}})
        event = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self._send("Input.dispatchKeyEvent", {"type": "keyDown", **event, **({"text": text} if text else {})})
        self._send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text):
        self._send("Input.insertText", {"text": text})

    def resize(self, width, height=HEIGHT):
        self._send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def choose_file(self, selector, path):
        """Choose a file from the disk for an input, as its dialog does."""
        found = self._send("Runtime.evaluate", {"expression": f"document.querySelector({json.dumps(selector)})"})["result"]
        self._send("DOM.setFileInputFiles", {"files": [str(path)], "objectId": found["objectId"]})

    def scheme(self, name):
        self._send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]})

    def scripts(self, enabled):
        self._send("Emulation.setScriptExecutionDisabled", {"value": not enabled})

    def violations(self):
        return self.run("return window.violations;")

    def picture(self, path):
        path.write_bytes(base64.b64decode(self._send("Page.captureScreenshot", {"format": "png"})["data"]))


class FirefoxWindow(Window):
    program = Firefox
    can_switch_scripts = False

    def start(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        make_profile = self.browser.make_profile

        def with_port(name):
            profile = make_profile(name)
            with open(profile / "user.js", "a", encoding="utf-8") as file:
                file.write(f'user_pref("marionette.port", {port});\nuser_pref("fission.bfcacheInParent", false);\n')
            return profile
        self.browser.make_profile = with_port
        self._start("--marionette", "--remote-allow-system-access")
        self._numbers, self._received, self._zoom = itertools.count(1), b"", 1
        self._socket = wait_until(lambda: self._connect(port), START_SECONDS, "Marionette")
        self._socket.settimeout(START_SECONDS)
        self._message()
        self._send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": False}}})
        self.resize(WIDTH)
        return self

    def _connect(self, port):
        assert self.process.poll() is None, "firefox has ended"
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port), 5)
        return None

    def stop(self):
        self._socket.close()
        super().stop()

    def _message(self):
        while b":" not in self._received:
            self._more()
        size, _, self._received = self._received.partition(b":")
        while len(self._received) < int(size):
            self._more()
        message, self._received = self._received[:int(size)], self._received[int(size):]
        return json.loads(message)

    def _more(self):
        chunk = self._socket.recv(1 << 16)
        if not chunk:
            raise StackError("firefox has ended")
        self._received += chunk

    def _send(self, command, params=None):
        message = json.dumps([0, next(self._numbers), command, params or {}]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self._message()
        if error is not None:
            raise StackError(f"{command}: {error['error']}: {error['message']}")
        return result

    def open(self, url):
        self._chrome("Services.console.reset();")
        self._send("WebDriver:Navigate", {"url": url})
        self._chrome(f"gBrowser.selectedBrowser.fullZoom = {self._zoom};")  # it is lost if another process shows the page

    def run(self, script):
        try:
            return self._send("WebDriver:ExecuteAsyncScript", {
                "script": "const [done] = arguments; (async () => {" + script + "})().then(done, error => done('failed: ' + error));",
                "args": []})["value"]
        except StackError as error:
            if "unload" in str(error) or "evalInSandbox" in str(error):
                return None  # the page was left meanwhile
            raise

    def _chrome(self, script):
        """Run a script of the browser itself."""
        self._send("Marionette:SetContext", {"value": "chrome"})
        try:
            return self._send("WebDriver:ExecuteScript", {"script": script, "args": []})["value"]
        finally:
            self._send("Marionette:SetContext", {"value": "content"})

    def _actions(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._send("WebDriver:PerformActions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def _press(self, _, __, key, ___):
        self._actions(key)

    def type(self, text):
        self._actions(*text)

    def resize(self, width, height=HEIGHT):
        """Resize the window. It has a minimum width, so narrow pages are shown enlarged."""
        self._zoom = 2 if width < 500 else 1
        self._chrome(f"gBrowser.selectedBrowser.fullZoom = {self._zoom};")
        self._send("WebDriver:SetWindowRect", {"width": width * self._zoom, "height": height * self._zoom})
        self.wait(f"Math.abs(innerWidth - {width}) <= 1", f"a width of {width}")

    def choose_file(self, selector, path):
        """As in Chromium."""
        found = self._send("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        self._send("WebDriver:ElementSendKeys", {"id": next(iter(found.values())), "text": str(path)})

    def scheme(self, name):
        self._chrome(f'Services.prefs.setIntPref("layout.css.prefers-color-scheme.content-override", {int(name == "light")});')
        self.wait(f'matchMedia("(prefers-color-scheme: {name})").matches', name)

    def violations(self):
        return self._chrome("""return Services.console.getMessageArray().map(one => one.message || String(one))
                                   .filter(text => text.includes("Content-Security-Policy"));""")

    def picture(self, path):
        path.write_bytes(base64.b64decode(self._send("WebDriver:TakeScreenshot", {"full": False})["value"]))


WINDOWS = {"chromium": ChromiumWindow, "firefox": FirefoxWindow}
