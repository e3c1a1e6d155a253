"""A client of Switchyard, written from its OpenAPI document. It needs Python 3.9 and nothing else.

    client = Client("https://switchyard.example", username="ops", password=password)
    for account in client.authorization.list_accounts(limit=25)["results"]:
        print(account["username"])

In a program of asyncio, every operation is a coroutine:

    client = await AsyncClient.connect("https://switchyard.example", username="ops", password=password)
    version, me = await asyncio.gather(client.health.get_version(), client.session.who_am_i())
"""

import asyncio
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Coroutine, Dict, List, Optional, Tuple

# {release}


class SwitchyardError(Exception):
    """An error that the service answered: status, code, issues and the id of the request."""

    def __init__(self, status: int, body: Any) -> None:
        known = body if isinstance(body, dict) else {}
        self.status = status
        self.code = str(known.get("code", "UNKNOWN"))
        self.issues: List[Any] = known.get("issues") or []
        self.data = known.get("data")
        self.request_id = known.get("requestId")
        message = known.get("message") or f"the service answered {status}"
        super().__init__(f"{self.code}: {message}")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The service never redirects: what does would receive the token, of another host too."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


class _Area:
    def __init__(self, client: "Client") -> None:
        self._client = client


# {areas}


class Client:
    """Calls the service. Every area is an attribute, every operation a method of it.

    Path parameters and the body are arguments; options of the query are keyword arguments, objects and lists among them.
    """

    def __init__(
        self,
        url: str,
        token: Optional[str] = None,
        username: Optional[str] = None,
        password: Optional[str] = None,
        timeout: float = 60.0,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects(), urllib.request.HTTPSHandler(context=context))
        # {members}
        if token is None and username is not None:
            self._token = self.request("POST", "/login", {}, {}, {"username": username, "password": password})

    def request(
        self, method: str, path: str, values: Dict[str, str], query: Dict[str, Any], body: Any = None
    ) -> Any:
        """Sends one request and returns its JSON, or its text. Raises SwitchyardError."""
        for name, value in values.items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        text = urllib.parse.urlencode([pair for name in query for pair in _pairs(name, query[name])])
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if self._token is not None:
            headers["Authorization"] = "Bearer " + self._token
        address = self._url + path + ("?" + text if text else "")
        sent = urllib.request.Request(address, data=data, headers=headers, method=method)
        try:
            with self._opener.open(sent, timeout=self._timeout) as answer:
                return _read(answer.read(), answer.headers.get("Content-Type", ""))
        except urllib.error.HTTPError as error:
            with error:
                content = _read(error.read(), error.headers.get("Content-Type", ""))
            raise SwitchyardError(error.code, content) from None


class AsyncClient:
    """The same client for asyncio: operations are those of Client, as coroutines. Each waits in a thread of the loop's executor.

    A call that is cancelled is not awaited any longer, but the service still completes it.
    """

    def __init__(self, client: Client) -> None:
        self._client = client

    @classmethod
    async def connect(cls, url: str, **options: Any) -> "AsyncClient":
        """Returns a client with the options of Client, signed in if they name a user."""
        return cls(await asyncio.to_thread(Client, url, **options))

    async def request(self, *arguments: Any, **named: Any) -> Any:
        """Sends one request, as Client.request does."""
        return await asyncio.to_thread(self._client.request, *arguments, **named)

    def __getattr__(self, area: str) -> "_AsyncArea":
        return _AsyncArea(getattr(self._client, area))


class _AsyncArea:
    def __init__(self, area: _Area) -> None:
        self._area = area

    def __getattr__(self, operation: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        call = getattr(self._area, operation)

        async def run(*arguments: Any, **named: Any) -> Any:
            return await asyncio.to_thread(call, *arguments, **named)

        return run


def _pairs(name: str, value: Any) -> List[Tuple[str, str]]:
    if value is None:
        return []
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    if isinstance(value, dict):
        return [(name, json.dumps(value))]
    if isinstance(value, (list, tuple)):
        return [(name, item if isinstance(item, str) else json.dumps(item)) for item in value]
    return [(name, str(value))]


def _read(content: bytes, kind: str) -> Any:
    text = content.decode("utf-8", "replace")
    if "json" not in kind or text == "":
        return text
    return json.loads(text)
