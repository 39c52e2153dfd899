"""The page of the command line: what each command's help says."""

import inspect
from typing import Any

from baserate.cli._app import COMMANDS, EXAMPLES, build

PAGE = """# Commands

`baserate COMMAND --help` prints the first sentence of each option. The exit code is 0 if all
is fine, 1 if a check failed, 2 for bad input, which is explained in one line, 130 after Ctrl-C.

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
    app = build(in_full=True)
    parts = []
    for name in COMMANDS:
        command = app[name]
        example = f"```sh\n{f'baserate {name} {EXAMPLES[name]}'.strip()}\n```"
        parts.append(f"## {name}\n\n{_purpose(command)}\n\n{example}\n\n{_options(command)}")
    index = "\n".join(f"- [`baserate {name}`](#{name})" for name in COMMANDS)
    return {"commands.md": PAGE.format(index=index, commands="\n\n".join(parts))}
