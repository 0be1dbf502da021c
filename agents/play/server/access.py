"""Access checks before every page and socket: the host name, a password if there is one, security headers."""

import hmac
import secrets
from base64 import b64decode
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
COOKIE = "kozyr_pass"
_LOCAL = ("localhost", "testserver")


class AccessControl:
    """An application behind checks.

    Args:
        app: the application.
        hosts: names that the server may be called by, beside addresses of numbers and localhost; a page of somebody
            else that lets a name lead here (DNS rebinding) is refused. "*" allows all.
        password: that browsers are asked for, with any name; "" asks for nothing.
    """

    def __init__(self, app: Asgi, hosts: Sequence[str] = (), password: str = "") -> None:
        self._app, self._hosts, self._password = app, (*_LOCAL, *hosts), password
        self._pass = secrets.token_urlsafe(24)  # a browser's cookie once it has said the password

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        authorised = self._has_password(headers.get("authorization", ""))
        if not self._is_ours(headers.get("host", "")):
            await self._refuse(scope, receive, send, 421, "this server is not called that", {})
        elif self._password and not authorised and not self._has_pass(headers.get("cookie", "")):
            asks = {"WWW-Authenticate": 'Basic realm="kozyr", charset="UTF-8"'}
            await self._refuse(scope, receive, send, 401, "this server asks for a password", asks)
        else:
            cookie = self._pass if self._password and authorised else ""
            await self._app(scope, receive, self._with_headers(send, cookie) if scope["type"] == "http" else send)

    async def _refuse(
        self, scope: Scope, receive: Receive, send: Send, status: int, words: str, headers: dict[str, str]
    ) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403})
            return
        await PlainTextResponse(words, status, headers | HEADERS)(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        """Return True if a Host header names this server."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if "*" in self._hosts or name.lower() in self._hosts:
            return True
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True

    def _has_password(self, header: str) -> bool:
        """Return True if a header holds the password."""
        try:
            word = b64decode(header.removeprefix("Basic ").encode(), validate=True).partition(b":")[2]
        except ValueError:
            return False
        return hmac.compare_digest(word, self._password.encode())

    def _has_pass(self, cookies: str) -> bool:
        """Return True if a browser has said the password before; not all of them say it again when a socket opens."""
        cookie = cookie_parser(cookies).get(COOKIE, "")
        return hmac.compare_digest(cookie.encode(), self._pass.encode())

    def _with_headers(self, send: Send, cookie: str) -> Send:
        """Return a function that sends with our headers, and the cookie of those who have said the password."""

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if cookie:
                    headers.append("Set-Cookie", f"{COOKIE}={cookie}; Path=/; HttpOnly; SameSite=Strict")
            await send(message)

        return send_with_headers
