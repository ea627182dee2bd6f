"""`discreet site FOLDER... -o DIR`: published tables as a site that any web server can serve."""

from typing import Annotated

import typer

from discreet.cli import _show, _streams


def site(
    folders: Annotated[list[str], typer.Argument(metavar="FOLDER...", help="Folders of releases.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="The folder of the site. DIR must not exist.")
    ],
) -> None:
    """Write a site of published tables and their margins, for any web server.

    The pages are those of `discreet serve`, without a server: the tables that are published, with their intervals, in
    four languages, and the page that checks folders. The folders are verified first.
    """
    from discreet.web.shared.server import require_web

    require_web("discreet site")
    from discreet.web.explorer.static_site import write_site

    with _show.progress() as progress:
        progress("verifying", 0)
        catalogue = write_site(folders, output)
    _streams.left(f"the site {output} is written")
    number = len(catalogue.releases)
    _show.console.print(
        f"{output}: {number} release{'' if number == 1 else 's'}; put the folder behind any web server", markup=False
    )
