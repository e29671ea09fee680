#!/usr/bin/env python3
"""The web page in a real browser: Debian's Chromium, driven by its own driver. Steps go forward and back by key, values
follow them, hostile text stays text, nothing is fetched, and dark differs from light.

check.py TOOL
"""

import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HOSTILE = """#include <assert.h>
int total; // </script><script>document.title = "taken"</script><img src=x onerror="document.title='taken'">
static int twice(int n) { int r = 2 * n; total += r; return r; }
int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += twice(i);
    if (argc > 1) assert(sum != 6 && "</script><script>document.title = 'taken'</script>");
    int *p = 0;
    if (argc == 1) *p = 1;
    return 0;
}
"""

KEYS = {"right": "\ue014", "left": "\ue012", "home": "\ue011", "end": "\ue010", "escape": "\ue00c", "tab": "\ue004",
        "enter": "\ue007"}


class Browser:
    """A session of the WebDriver protocol, as far as it is needed here."""

    def __init__(self, profile):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(100):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     f"--user-data-dir={profile}", "--window-size=1300,900"]
        options = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        self.base += "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def js(self, script):
        return self.call("POST", "/execute/sync", {"script": f"return {script};", "args": []})

    def press(self, *keys):
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def scheme(self, name):
        features = [{"name": "prefers-color-scheme", "value": name}]
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(30)


def check(browser, page):
    def text(element):
        return browser.js(f"document.getElementById('{element}').textContent")

    def expect(what, found, wanted):
        if found != wanted:
            sys.exit(f"html: {what}: {found!r} instead of {wanted!r}")

    def values():
        rows = browser.js("[...document.querySelectorAll('#values tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        return {(name, of): value for name, value, of in rows}

    browser.open(page.as_uri())
    count = browser.js("document.querySelectorAll('#findings button').length")
    expect("findings", count, 2)
    steps = browser.js("document.querySelectorAll('#steps button').length")
    if steps < 10:
        sys.exit(f"html: only {steps} steps")
    expect("it begins at the violation", text("position"), f"{steps} of {steps}")
    expect("the line of the violation", browser.js("document.querySelector('#code .now .number').textContent"), "8")
    expect("a sum at the end", values().get(("sum", "main")), "6")
    if ("r", "twice") in values():
        sys.exit("html: a variable outlives its function")
    if "main" in str(values().get(("total", "memory"))):
        sys.exit("html: a global belongs to a function")

    browser.press("home")
    expect("first", text("position"), f"1 of {steps}")
    browser.press("right", "j")
    expect("forward twice", text("position"), f"3 of {steps}")
    browser.press("left")
    expect("back", text("position"), f"2 of {steps}")
    browser.press("k", "k", "k")
    expect("not before the beginning", text("position"), f"1 of {steps}")
    seen = set()
    for _ in range(steps):
        seen.add((values().get(("sum", "main")), values().get(("r", "twice"))))
        browser.press("right")
    for wanted in (("0", "0"), ("0", "2"), ("2", "4")):
        if wanted not in seen:
            sys.exit(f"html: the values {wanted} of sum and r were not seen together, but {seen}")
    browser.press("end")
    expect("the end", text("position"), f"{steps} of {steps}")
    expect("the place can be linked", browser.js("location.hash"), f"#1.{steps}")

    browser.press("n")
    expect("the next finding", browser.js("document.querySelector('#title .rule').textContent"), "null-deref")
    browser.press("n", "p")
    expect("the one before", browser.js("document.querySelector('#title .rule').textContent"), "assertion")
    browser.press("?")
    expect("help", browser.js("document.getElementById('help').open"), True)
    browser.press("escape")
    expect("no help", browser.js("document.getElementById('help').open"), False)
    browser.press("/", *"null", "escape")
    expect("filtered", browser.js("document.querySelectorAll('#findings button').length"), 1)
    browser.press("home")
    expect("keys after the filter", text("position"), f"1 of {steps}")
    browser.js("document.getElementById('forward').focus()")
    browser.press("enter")
    expect("buttons by key", text("position"), f"2 of {steps}")

    ledger = browser.js("document.getElementById('by-rule').innerText")
    if "assertion" not in ledger or "violated" not in ledger:
        sys.exit(f"html: the ledger says {ledger!r}")
    if "taken" in browser.js("document.title") or browser.js("document.querySelectorAll('script').length") != 2:
        sys.exit("html: hostile text became part of the page")
    if "</script>" not in browser.js("document.getElementById('code').textContent"):
        sys.exit("html: hostile text is not shown")

    paper = "getComputedStyle(document.body).backgroundColor"
    browser.scheme("light")
    light = browser.js(paper)
    browser.scheme("dark")
    dark = browser.js(paper)
    if light == dark:
        sys.exit(f"html: dark is as light: {dark}")
    browser.open(page.as_uri() + "#2.1")
    browser.open(page.as_uri() + "?again#2.1")
    expect("a link to a step", (text("position").split()[0], browser.js("document.querySelector('#title .rule').textContent")),
           ("1", "null-deref"))

    errors = [entry["message"] for entry in browser.log("browser") if entry["level"] == "SEVERE"]
    if errors:
        sys.exit(f"html: the browser complains: {errors}")
    asked = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    asked = [event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"]
    foreign = [url for url in asked if not url.startswith(("file:", "data:", "chrome:"))]
    if foreign or not asked:
        sys.exit(f"html: requests: {foreign or 'none were seen'}")


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.c").write_text(HOSTILE)
        page = folder / "report.html"
        command = [tool, "--rules=assertion,null-deref", f"--html={page}", "--no-cache", "a.c"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 1:
            sys.exit(f"html: exit code {done.returncode}: {done.stdout}{done.stderr}")
        browser = Browser(folder / "profile")
        try:
            check(browser, page)
        finally:
            browser.close()
    print("html: steps, values, keys, links, dark and light; no request leaves the page")


if __name__ == "__main__":
    main()
