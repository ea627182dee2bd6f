"""`discreet serve FOLDER...`: the explorer, on this machine or behind a web server."""

from typing import Annotated

import typer

from discreet.cli import _show, _streams


def serve(
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER...", help="Folders of releases.")],
    port: Annotated[int, typer.Option(metavar="NUMBER", help="The port; 0 for any port that is free.")] = 8000,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at. The default is for this machine alone.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST",
            help="A host name under which readers reach the server; any number of times. Needed if --host is not this"
            " machine, or behind another web server.",
        ),
    ] = None,
) -> None:
    """Show published folders in a browser: any table that their measurements determine, with intervals.

    Readers put variables into rows and columns, narrow the table, compare releases, and download what they see. Pages
    and JSON API read published folders alone, which are verified when the server starts. Ctrl-C ends the server.
    """
    from discreet.web.shared.server import LOOPBACK_ADDRESS, listening, require_web
    from discreet.web.shared.server import serve as serve_pages

    require_web("discreet serve")
    from discreet.web.explorer.application import explorer
    from discreet.web.explorer.catalogue import open_catalogue
    from discreet.web.shared.security import LOOPBACK

    with listening(host, port) as listener:
        with _show.progress() as progress:
            progress("verifying", 0)
            catalogue = open_catalogue(folders)
        own = () if host in (LOOPBACK_ADDRESS, "0.0.0.0", "::") else (host if ":" not in host else f"[{host}]",)  # noqa: S104
        application = explorer(catalogue, [*LOOPBACK, *own, *(name or ())])

        def started(address: str) -> None:
            releases = len(catalogue.releases)
            _streams.left("the explorer was served")
            _show.console.print(
                f"{releases} release{'' if releases == 1 else 's'} at {address}   (Ctrl-C ends the server)",
                markup=False,
            )

        serve_pages(application, listener, started)
