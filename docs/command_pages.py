"""The page of the command line: what each command's help says."""

import inspect
from typing import Any

from baserate.cli._app import COMMANDS, build

# One command each, that runs in a copy of the repository.
EXAMPLES = {
    "evaluate": "examples/affairs.csv --target affair --prediction predicted --positive yes",
    "audit": "examples/affairs.csv --target affair --prediction predicted --positive yes "
    "--group occupation",
    "compare": "examples/breast_cancer.csv --target diagnosis --positive malignant "
    "--prediction predicted --score score --cost fp=1,fn=20",
    "threshold": "examples/affairs.csv --target affair --score score --positive yes --metrics mcc",
    "count": "examples/affairs.csv --target affair --score score --positive yes "
    "--output counts.json",
    "merge": "counts.json --output week.json",
    "baseline": "--positives 30 --negatives 70",
    "sample-size": "--base-rate 0.1 --auc 0.8",
    "metrics": "--format markdown",
    "examples": "",
}
PAGE = """# Commands

`baserate COMMAND --help` prints the same. The exit code is 0 if all is fine, 1 if a check failed,
2 for bad input, which is explained in one line, 130 after Ctrl-C.

{index}

{commands}
"""


def _options(app: Any) -> str:
    rows = []
    for argument in app.assemble_argument_collection(parse_docstring=True):
        if not argument.show:
            continue
        names = ", ".join(f"`{name}`" for name in argument.names)
        need = " Must be given." if argument.required else ""
        text = " ".join((argument.parameter.help or "").split())
        rows.append(f"{names}\n: {text}{need}\n")
    return "\n".join(rows)


def _purpose(command: Any) -> str:
    text = inspect.cleandoc(command.help or "")
    return text.split("\n\nParameters\n")[0]


def command_pages() -> dict[str, str]:
    """Return the page by its path."""
    app = build()
    parts = []
    for name in COMMANDS:
        command = app[name]
        example = f"```sh\n{f'baserate {name} {EXAMPLES[name]}'.strip()}\n```"
        parts.append(f"## {name}\n\n{_purpose(command)}\n\n{example}\n\n{_options(command)}")
    index = "\n".join(f"- [`baserate {name}`](#{name})" for name in COMMANDS)
    return {"commands.md": PAGE.format(index=index, commands="\n\n".join(parts))}
