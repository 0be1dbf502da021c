"""As much of the Hugging Face Hub's HTTP interface as uploading and loading a model takes, on this machine."""

import base64
import hashlib
import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

TOKEN = "hf_of_the_stub"
Files = dict[str, bytes]


class Hub:
    """The state of a Hub: repositories with their commits, and who asked for what.

    Attributes:
        commits: by repository, its commits in order, {hash: files}.
        asked: the requests, as "METHOD path".
        claimed: sizes that are told instead of the true ones, by file.
    """

    def __init__(self) -> None:
        self.commits: dict[str, dict[str, Files]] = {}
        self.private: dict[str, bool] = {}
        self.asked: list[str] = []
        self.claimed: dict[str, int] = {}
        self.large: dict[str, bytes] = {}
        self.address = ""

    def commit(self, repository: str, changed: Files) -> str:
        """Add a commit that changes files, and return its hash."""
        commits = self.commits.setdefault(repository, {})
        before = list(commits.values())[-1] if commits else {}
        number = hashlib.sha1(f"{repository} {len(commits)}".encode()).hexdigest()
        commits[number] = {**before, **changed}
        return number

    def find(self, repository: str, revision: str) -> tuple[str, Files] | str:
        """Return a commit, or the code of the error."""
        commits = self.commits.get(repository)
        if commits is None:
            return "RepoNotFound"
        number = list(commits)[-1] if revision == "main" else revision
        return (number, commits[number]) if number in commits else "RevisionNotFound"


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""

    def _answer(self, status: int, content: bytes = b"", **headers: Any) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _json(self, found: Any, status: int = 200, **headers: Any) -> None:
        self._answer(status, json.dumps(found).encode(), **headers)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = list[bytes]()
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _serve(self) -> None:
        body, path = self._body(), self.path.partition("?")[0]
        self.hub.asked.append(f"{self.command} {path}")
        if found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file(*found.groups())
        elif self.headers.get("Authorization") != f"Bearer {TOKEN}" and not path.startswith("/large/"):
            self._json({"error": "Invalid username or password."}, 401, X_Error_Message="Invalid credentials in header")
        else:
            self._api(path, body)

    do_GET = do_HEAD = do_POST = do_PUT = _serve  # noqa: N815

    def _file(self, repository: str, revision: str, name: str) -> None:
        commit = self.hub.find(repository, revision)
        if isinstance(commit, str) or name not in commit[1]:
            self._answer(404, X_Error_Code=commit if isinstance(commit, str) else "EntryNotFound")
            return
        content = commit[1][name]
        size = str(self.hub.claimed.get(name, len(content)))
        told = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X_Repo_Commit": commit[0], "X_Linked_Size": size}
        self._answer(200, content, **told)

    def _api(self, path: str, body: bytes) -> None:
        hub = self.hub
        if path == "/api/whoami-v2":
            self._json({"name": "alice", "type": "user"})
        elif path == "/api/validate-yaml":
            self._json({"errors": [], "warnings": []})
        elif path == "/api/repos/create":
            asked = json.loads(body)
            repository = f"{asked['organization']}/{asked['name']}"
            hub.commits.setdefault(repository, {})
            hub.private.setdefault(repository, asked.get("visibility") == "private" or asked.get("private") is True)
            self._json({"url": f"{hub.address}/{repository}"})
        elif found := re.fullmatch(r"/api/models/(.+)/preupload/main", path):
            files = [(one["path"], "lfs" if one["path"].endswith((".onnx", ".npz")) else "regular")
                     for one in json.loads(body)["files"]]  # fmt: skip
            self._json({"files": [{"path": path, "uploadMode": how, "shouldIgnore": False} for path, how in files]})
        elif path.endswith(".git/info/lfs/objects/batch"):
            objects = json.loads(body)["objects"]
            self._json({"transfer": "basic", "objects": [{**one, "actions": {"upload": {
                "href": f"{hub.address}/large/{one['oid']}"}}} for one in objects]})  # fmt: skip
        elif path.startswith("/large/"):
            hub.large[path.rpartition("/")[2]] = body
            self._answer(200)
        elif found := re.fullmatch(r"/api/models/(.+)/commit/main", path):
            number = hub.commit(found[1], self._changed(body))
            self._json({"commitUrl": f"{hub.address}/{found[1]}/commit/{number}", "commitOid": number})
        else:
            self._json({"error": f"the stub does not know {path}"}, 500)

    def _changed(self, body: bytes) -> Files:
        """Return the files of a commit."""
        changed = Files()
        for line in map(json.loads, body.splitlines()):
            value = line["value"]
            if line["key"] == "file":
                changed[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                changed[value["path"]] = self.hub.large[value["oid"]]
        return changed


@contextmanager
def serving() -> Generator[Hub]:
    """Give a Hub that answers at its address."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
