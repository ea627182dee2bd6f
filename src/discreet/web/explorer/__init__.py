"""The explorer: any table that a published folder determines, as pages and as a JSON API.

    catalogue -> view (the query string) -> document, chart, downloads -> routes -> pages

The server holds published folders alone. It has no microdata and no secret.
"""
