"""One page in a browser, with all that it says, asks for and pops up."""

from axe_playwright_python.sync_playwright import Axe

PHONE = 390  # CSS pixels across, of a usual phone
AXE = Axe()


class Visit:
    """An open page: `page` is Playwright's, `heard` whatever a silent, offline page has none of.

    Files in the folder `beside` may be asked for.
    """

    def __init__(self, browser, path, *, width=1200, dark=False, bypass_csp=False, beside=None):
        self.heard = []
        self.beside = None if beside is None else (f"{beside.as_uri()}/", "data:")
        self.context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            bypass_csp=bypass_csp,
        )
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.heard.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        self.page.on("crash", lambda _: self.heard.append("crash"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._asked)
        self.address = path.as_uri()
        self.page.goto(self.address)

    def close(self):
        """Leave the page."""
        self.context.close()

    @property
    def overhang(self):
        """By how many pixels the page is wider than the window, which then scrolls sideways."""
        root = "document.documentElement"
        return self.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth")

    def _dismiss(self, dialog):
        self.heard.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request):
        own = self.beside is not None and request.url.startswith(self.beside)
        if not own and request.url.partition("#")[0] != self.address:
            self.heard.append(f"request: {request.url[:200]}")


def axe_violations(page, rules=None):
    """Return what axe-core finds on a page, a line each; the page is open with `bypass_csp`."""
    options = {"resultTypes": ["violations"]}  # of other results one node each, which is faster
    if rules is not None:
        options["runOnly"] = {"type": "rule", "values": rules}
    found = AXE.run(page, options=options).response["violations"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['html'][:120]} {node.get('failureSummary', '')}"
        for rule in found
        for node in rule["nodes"]
    ]
