"""What all pages share: security, languages, the style sheet, templates and the server.

FastAPI, uvicorn and Jinja are in the extra `web`, and are imported by modules in `web` only.
"""
