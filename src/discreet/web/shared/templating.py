"""Jinja templates: everything that is filled in is escaped, and a name that is not given is an error."""

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from discreet.web.shared.language import NAMES, PageTexts


def environment(package: str) -> Environment:
    """Return the templates of an application, and those of all pages.

    Parameters
    ----------
    package
        The package whose folder `templates` has the files, such as "discreet.web.explorer".
    """
    loaders = [PackageLoader(name, encoding="utf-8") for name in dict.fromkeys((package, __package__ or ""))]
    templates = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.globals["language_names"] = NAMES
    return templates


def rendered(templates: Environment, template: str, texts: PageTexts, **values: object) -> str:
    """Return a page. In the template `t` are the texts."""
    return templates.get_template(template).render(t=texts, **values)
