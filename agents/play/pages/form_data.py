"""Form data: forms and JSON of a page, read with limits, and taken from our own pages only."""

import hmac
import re
import secrets
from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

Kind = TypeVar("Kind")
MOST = 64 * 1024  # bytes
MOST_FIELDS = 500
MOST_PATH = 4096  # characters
_PATH = re.compile(
    r"/(?:[\w.~%-][\w./~%-]*)?(?:\?[\w./~%&=+*:@,-]*)?", re.ASCII
)  # neither "//" nor a backslash begins it
COOKIE, FIELD = "kozyr_form", "form"  # hold the same secret; no other site knows the first or can send it


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a form.

    Raises:
        HTTPException: 413 for a body that is too long, 400 for one that is no form.
    """
    try:
        text = (await _body(request)).decode("utf-8")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError as error:
        raise HTTPException(400, "this is no form") from error


async def document(request: Request, kind: type[Kind]) -> Kind:
    """Return a JSON document of a type that msgspec knows.

    Raises:
        HTTPException: 413 for a body that is too long, 400 for one that is no such JSON.
    """
    try:
        return msgspec.json.decode(await _body(request), type=kind)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"this is not what is asked for: {error}") from error


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST:
            raise HTTPException(413, f"more than {MOST} bytes are refused")
    return bytes(body)


def require_own_origin(request: Request) -> None:
    """Refuse a request of another site's page.

    Raises:
        HTTPException: 403.
    """
    origin = request.headers.get("origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        raise HTTPException(403, "this comes from another site, and is refused: use the page of this server")


def require_own_form(request: Request, filled: Mapping[str, str]) -> None:
    """Refuse a form that no page of ours gave out to this browser.

    Raises:
        HTTPException: 403.
    """
    require_own_origin(request)
    cookie, sent = request.cookies.get(COOKIE, ""), filled.get(FIELD, "")
    if not cookie or not hmac.compare_digest(cookie.encode(), sent.encode()):
        raise HTTPException(403, "this form is too old, or comes from another site: load the page again")


def own_path(text: str) -> str:
    """Return a path of this server as it is, and "/" for every other address.

    Example:
        >>> own_path("/games/durak?set-deck=36"), own_path("//elsewhere.example/"), own_path("https://elsewhere.example/")
        ('/games/durak?set-deck=36', '/', '/')
    """
    fine = _PATH.fullmatch(text) is not None and len(text) <= MOST_PATH
    return text if fine else "/"


def secret(request: Request) -> str:
    """Return the secret that a form of this browser holds."""
    cookie = request.cookies.get(COOKIE, "")
    return cookie if len(cookie) >= 20 and cookie.isascii() else secrets.token_urlsafe(24)


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int | None = None) -> None:
    """Set a cookie that only this site gets, and no script."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)
