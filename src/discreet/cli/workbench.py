"""`discreet workbench [DATA|SPEC]`: from a data file to a published folder, in a browser on this machine."""

import os
from typing import Annotated

import typer

from discreet.cli import _show, _streams


def workbench(
    file: Annotated[
        str | None,
        typer.Argument(metavar="DATA|SPEC", help="A data file, or a specification (YAML). By default, choose one."),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The folder that files are chosen from and written to. By default that of DATA|SPEC, or this one.",
        ),
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="NAME", help="The table of a DuckDB file.")] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="NAME", help="The sheet of a workbook. By default the first.")
    ] = None,
    port: Annotated[int, typer.Option(help="The port. By default any port that is free.")] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open the address in the browser of this system.")] = False,
) -> None:
    """Declare categories, choose tables, see the plan, release and check, in a browser on this machine.

    The workbench shows true counts, so it listens on this machine only. The printed address holds a token that works
    once, in one browser. Every step is also a command: init, preview, plan, release, verify, ledger and compare.
    """
    from discreet.web.shared import server

    server.require_web("discreet workbench")
    from discreet.web.workbench.workbench_application import workbench as make_workbench
    from discreet.web.workbench.working_folder import WorkingFolder
    from discreet.web.workbench.workspace import Workspace

    working = WorkingFolder.of(folder or (os.path.dirname(os.path.realpath(file)) if file else "."))
    workspace = Workspace(working)
    if file is not None:
        with _show.waiting("looking at the data"):
            workspace.open_file(os.path.relpath(os.path.realpath(file), working.path), table=table, sheet=sheet)
    made = make_workbench(workspace)

    def started(address: str) -> None:
        _streams.left("the session has ended")
        _show.console.print(f"open {made.address(address)}", markup=False, soft_wrap=True)
        _show.console.print(f"folder {working.path}; the address works once; end with Ctrl-C", markup=False)
        if browser:
            import webbrowser

            webbrowser.open(made.address(address))

    with server.listening(server.LOOPBACK_ADDRESS, port) as listener:
        try:
            server.serve(made.application, listener, started)
        finally:
            if workspace.job is not None and workspace.job.is_running:
                _show.console.print(f"the {workspace.job.kind} of {workspace.job.name} is finished first", markup=False)
                workspace.job.wait()
