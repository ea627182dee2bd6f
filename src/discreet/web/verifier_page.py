"""The verifier as one page: `verify.html`, which checks a published folder in a browser, without a network.

The page is put together from the modules in `verifier/`. Every module becomes a function of its own, in the order of
their imports. A content security policy allows this script and these styles by their digests, and no connection.
"""

import base64
import hashlib
import re
from importlib import resources

_IMPORT = re.compile(r'^import (?:\* as (\w+)|(\{[^}]*\})) from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_FIRST = "page"


def verifier_page() -> str:
    """Return the page as one HTML document without references to other files.

    Examples
    --------
    >>> from discreet.web.verifier_page import verifier_page
    >>> page = verifier_page()
    >>> page.startswith("<!doctype html>"), "import " in page.partition("<script")[2]
    (True, False)
    """
    script, style = _script(), _source("page.css")
    policy = f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; form-action 'none'"
    page = _source("page.html")
    return page.replace("{policy}", policy).replace("{style}", style).replace("{script}", script)


def _source(name: str) -> str:
    return resources.files("discreet.web").joinpath("verifier", name).read_text(encoding="utf-8")


def _script() -> str:
    """Return all modules in one script, each after the modules that it imports."""
    written: list[str] = []
    done: set[str] = set()

    def write(name: str) -> None:
        if name in done:
            return
        done.add(name)
        text = _source(f"{name}.js")
        for _, _, imported in _IMPORT.findall(text):
            write(imported)
        exported = ", ".join(_EXPORT.findall(text))
        body = _EXPORT.sub("", _IMPORT.sub(_as_constant, text))
        written.append(f"const module_{name} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n")

    write(_FIRST)
    return "\n".join(written)


def _as_constant(match: re.Match[str]) -> str:
    whole, names, name = match.groups()
    return f"const {whole or names} = module_{name};\n"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
