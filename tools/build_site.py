"""Build the documentation site from docs/ and fail on any warning: a broken link, a missing heading, a missing name.

    uv run python -m tools.build_site [FOLDER]      (default: build/site)

Three things are made before Zensical builds the pages: the options of every command are written into
docs/reference/cli.md, notebooks become pages, and the words after the language of a fenced block, which are
for tests/test_documentation.py, are removed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from discreet.cli._commands import COMMANDS
from tools import notebook_page

ROOT = Path(__file__).parents[1]
COMMANDS_MARK = "<!-- the commands -->"


def main() -> None:
    """Build the site into the folder that the command line names."""
    build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site"))


def build(target: Path) -> None:
    """Build the site into `target`, which is replaced. Raise CalledProcessError if the build has a warning."""
    with tempfile.TemporaryDirectory() as workshop:
        write_pages(Path(workshop, "docs"))
        shutil.copy(ROOT / "zensical.toml", workshop)
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        subprocess.run(command, cwd=workshop, check=True, env={**os.environ, "NO_COLOR": "1"})  # noqa: S603
        for page in Path(workshop, "site").rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace("<th></th>", "<td></td>"), encoding="utf-8")  # no cell is headed by nothing
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(workshop, "site"), target)


def write_pages(docs: Path) -> None:
    """Write all pages of the site as Markdown."""
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    for notebook in docs.rglob("*.ipynb"):
        notebook_page.write(notebook)
        notebook.unlink()
    for page in docs.rglob("*.md"):
        text = page.read_text(encoding="utf-8").replace(COMMANDS_MARK, "\n".join(command_lines()))
        page.write_text(plain_fences(text).replace(".ipynb)", ".md)"), encoding="utf-8")


def plain_fences(text: str) -> str:
    """Return a page whose fenced blocks name a language and, if they are files, a title."""
    text = re.sub(r"^```yaml ([\w.-]+\.yaml)$", r'```yaml title="\1"', text, flags=re.MULTILINE)
    return re.sub(r"^```(\w+) (not-run|other-noise)$", r"```\1", text, flags=re.MULTILINE)


def command_lines() -> Iterator[str]:
    """Yield the description of every command, as lines of Markdown."""
    for name in COMMANDS:
        module = import_module(f"discreet.cli.{name}")
        if hasattr(module, "app"):
            group = typer.main.get_command(module.app)
        else:
            single = typer.Typer(add_completion=False)
            single.command(name)(getattr(module, name))
            group = typer.main.get_command(single)
        yield from ("", f"## {name}", "")
        yield from _paragraphs(group, COMMANDS[name])
        commands = getattr(group, "commands", None)
        if commands is None:
            yield from _parameters(f"discreet {name}", group)
            continue
        for sub_name, command in commands.items():
            yield from ("", f"### {name} {sub_name}", "")
            yield from _paragraphs(command, "")
            yield from _parameters(f"discreet {name} {sub_name}", command)


def _paragraphs(command: Any, otherwise: str) -> Iterator[str]:
    """Yield the help of a command, one line for each paragraph."""
    for paragraph in (command.help or otherwise).split("\n\n"):
        yield from (_escaped(" ".join(paragraph.split())), "")


def _parameters(usage: str, command: Any) -> Iterator[str]:
    """Yield the usage line of a command and the table of its arguments and options."""
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    words = [usage, *(["[OPTIONS]"] if options else [])]
    words.extend(_metavar(argument) if argument.required else f"[{_metavar(argument)}]" for argument in arguments)
    yield from ("```text", " ".join(words), "```", "")
    described = [*arguments, *(option for option in options if option.name != "help")]
    if described:
        yield from ("| option | meaning |", "| --- | --- |")
    for parameter in described:
        names = ", ".join(f"`{name}`" for name in parameter.opts)
        takes_value = parameter.param_type_name == "option" and not getattr(parameter, "is_flag", False)
        shown = f"{names} `{_metavar(parameter)}`" if takes_value else names
        if parameter.param_type_name == "argument":
            shown = f"`{_metavar(parameter)}`"
        yield f"| {shown} | {_escaped(' '.join((parameter.help or '').split()))} |"
    yield ""


def _metavar(parameter: Any) -> str:
    """Return the word that stands for the value of a parameter."""
    return str(parameter.metavar or parameter.name.upper())


def _escaped(text: str) -> str:
    """Return a text as Markdown in which no character is markup."""
    return re.sub(r"([\\|*_<>\[\]])", r"\\\1", text)


if __name__ == "__main__":
    main()
