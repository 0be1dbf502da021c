"""Endpoints that answer, are slow, down, busy, or talk nonsense."""

import asyncio
import contextlib
import os
import pickle
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from multiprocessing import get_context
from typing import Any

import pytest

from kozyr import agents
from kozyr.agents.agent_names import LanguageModel, parse, refuse_code
from kozyr.agents.text import TextAgent, TextError, endpoint
from kozyr.agents.text.endpoint import Endpoint, EndpointError
from kozyr.envs.core import install_hint
from kozyr.envs.table.table import Table

from .stub import Reply, Stub, first, legal, said, serving

PROMPT = "## Your legal actions\n\n7C\npass\n\n"
VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_KEY", *(f"KOZYR_LLM_{one.upper()}" for one in ("temperature", "retries")))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a moment only between attempts, and take nothing from this machine's environment."""
    monkeypatch.setattr(endpoint, "_FIRST_WAIT", 0.01)
    for name in (*VARIABLES, "KOZYR_LLM_TIMEOUT", "KOZYR_LLM_PRICES"):
        monkeypatch.delenv(name, raising=False)


def in_turn(*replies: Reply | Callable[[str], Reply]) -> Callable[[str], Reply]:
    """Give one reply after the other; the last one stays."""
    left = list(replies)

    def reply(prompt: str) -> Reply:
        one = left.pop(0) if len(left) > 1 else left[0]
        return one(prompt) if callable(one) else one

    return reply


@pytest.fixture
def well() -> Iterator[Stub]:
    with serving(first) as stub:
        yield stub


def test_an_answer_with_its_tokens_and_cost(well: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ask = Endpoint(well.url, "some-model", temperature=0.5, prices=(2.0, 10.0))
    answer = ask(PROMPT)
    assert answer.text.endswith("7C")
    assert (answer.prompt_tokens, answer.completion_tokens, answer.resent) == (100, 10, 0)
    assert answer.cost == pytest.approx((100 * 2 + 10 * 10) / 1e6)
    [sent] = well.requests
    assert sent["path"] == "/v1/chat/completions"
    assert (sent["model"], sent["temperature"]) == ("some-model", 0.5)
    assert sent["messages"] == [{"role": "user", "content": PROMPT}]
    assert sent["headers"]["Authorization"] == "Bearer sk-secret"


def test_cookies_are_not_kept() -> None:
    crumb = {"Set-Cookie": "kept=\xd9\xa3; Path=/"}  # characters that no request may hold

    def reply(prompt: str) -> Reply:
        return Reply(first(prompt).body, headers=crumb)

    with serving(reply) as stub:
        ask = Endpoint(stub.url, "m")
        for _ in range(2):
            assert ask(PROMPT).text.endswith("7C")
        assert not any("Cookie" in sent["headers"] for sent in stub.requests)


def test_what_is_not_given_is_not_sent(well: Stub) -> None:
    answer = Endpoint(well.url + "/", "m")(PROMPT)
    assert answer.cost is None
    [sent] = well.requests
    assert "temperature" not in sent
    assert "Authorization" not in sent["headers"]
    assert sent["path"] == "/v1/chat/completions"


def test_no_secret_is_kept(well: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    ask = Endpoint(well.url, "m")
    assert b"sk-secret" not in pickle.dumps(ask)
    assert "sk-secret" not in repr(ask)
    assert pickle.loads(pickle.dumps(ask))(PROMPT).text.endswith("7C")
    with serving(lambda prompt: Reply(b"your key sk-secret is wrong", 401)) as stub:
        with pytest.raises(EndpointError, match="status 401: set OPENAI_API_KEY to a valid key; it says ") as told:
            Endpoint(stub.url, "m")(PROMPT)
        assert "sk-secret" not in str(told.value)
        assert len(stub.requests) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
def test_a_busy_endpoint_is_asked_again(status: int) -> None:
    with serving(in_turn(Reply({"error": "busy"}, status), Reply(b"<html>", status), first)) as stub:
        answer = Endpoint(stub.url, "m")(PROMPT)
        assert answer.text.endswith("7C")
        assert answer.resent == 2
        assert len(stub.requests) == 3


def test_retry_after_is_kept_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    due = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    never = "Fri, 31 Dec 99999999999999999999 23:59:59 GMT"
    waits = ["7", "0.25", due, "3600", "soon", "-4", "nan", never]
    for told in waits:
        with serving(in_turn(Reply({}, 429, {"Retry-After": told}), first)) as stub:
            Endpoint(stub.url, "m", timeout=600)(PROMPT)
    assert slept[:2] == [7, 0.25]
    assert 25 < slept[2] <= 30
    assert slept[3:] == [60, 0.01, 0, 0.01, 0.01]


def test_nobody_waits_beyond_the_deadline() -> None:
    with serving(lambda prompt: Reply({}, 429, {"Retry-After": "30"})) as stub:
        began = time.monotonic()
        with pytest.raises(EndpointError, match="status 429"):
            Endpoint(stub.url, "m")(PROMPT, began + 5)
        assert len(stub.requests) == 1
        assert time.monotonic() - began < 5


def test_one_that_is_down_is_given_up_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    agent = TextAgent(Endpoint(f"http://127.0.0.1:{port}/v1", "m"), "durak")
    table = Table(agent.game, agent.variant, 1)
    with pytest.raises(EndpointError, match=rf"m at http://127.0.0.1:{port}/v1 cannot be reached: .*\(5 attempts\)"):
        agent.act(table.view(table.turn), table.mask)
    assert (agent.usage.answers, agent.usage.resent) == (0, 4)


def test_one_that_is_slow_is_not_waited_for() -> None:
    def slow(prompt: str) -> Reply:
        time.sleep(1.0)
        return first(prompt)

    with serving(slow) as stub:
        with pytest.raises(EndpointError, match="has not answered in time"):
            Endpoint(stub.url, "m", timeout=0.1)(PROMPT)
        with pytest.raises(EndpointError, match="has not answered in time"):
            Endpoint(stub.url, "m")(PROMPT, time.monotonic() + 0.1)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
DRIPS = {  # what comes at once, and what comes again and again
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "one header": (b"HTTP/1.1 200 OK\r\nX: ", b"y"),
    "in between": (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
    "body": (CHUNKED, b"1\r\nx\r\n"),
    "trailers": (CHUNKED + b"0\r\n", b"X: y\r\n"),
}


@pytest.mark.parametrize("what", DRIPS)
def test_one_that_drips_has_no_more_time_than_one_that_is_silent(what: str) -> None:
    first, again = DRIPS[what]
    gone = threading.Event()

    def drip() -> None:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.recv(1 << 16)
            connection.sendall(first)
            while not gone.wait(0.02):
                connection.sendall(again)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        try:
            with pytest.raises(EndpointError, match="has not answered in time"):
                Endpoint(f"http://127.0.0.1:{server.getsockname()[1]}/v1", "m", timeout=0.3)(PROMPT)
            thread.join(30)  # the connection was closed: the next byte is refused
            assert not thread.is_alive()
        finally:
            gone.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks in processes with threads
def test_it_answers_in_a_forked_process(well: Stub) -> None:
    ask = Endpoint(well.url, "m")
    assert ask(PROMPT).text.endswith("7C")
    process = get_context("fork").Process(target=lambda: os._exit(0 if ask(PROMPT).text.endswith("7C") else 1))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert ask(PROMPT).text.endswith("7C")


def test_it_answers_where_an_event_loop_runs_already_and_in_several_threads(well: Stub) -> None:
    ask = Endpoint(well.url, "m")

    async def asked() -> str:
        return ask(PROMPT).text

    assert asyncio.run(asked()).endswith("7C")
    with ThreadPoolExecutor(8) as pool:
        assert all(one.text.endswith("7C") for one in pool.map(ask, [PROMPT] * 16))
    ask.close()
    assert ask(PROMPT).text.endswith("7C")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply({}, 400), "status 400"),
        (Reply({"error": {"message": "no such model"}}, 404), "OPENAI_BASE_URL ends as it should.*no such model"),
        (Reply(b"", 302, {"Location": "http://127.0.0.1:1/"}), "status 302"),
        (Reply(b"<html>welcome</html>"), "something that is no JSON object: '<html>welcome</html>'"),
        (Reply([1, 2]), "something that is no JSON object"),
        (Reply(b'{"a":"\xed\xa0\x80"}'), "something that is no JSON object"),
        (Reply(b'{"a":' + b"[" * 100_000), "something that is no JSON object"),
        (Reply({}), r"without choices\[0\].message"),
        (Reply({"choices": []}), r"without choices\[0\].message"),
        (Reply({"choices": [{"message": "7C"}]}), r"without choices\[0\].message"),
        (Reply(b" " * (9 << 20)), "more than 8,388,608 bytes"),
    ],
)
def test_nonsense_is_told_and_not_asked_for_again(reply: Reply, words: str) -> None:
    with serving(lambda prompt: reply) as stub:
        with pytest.raises(EndpointError, match=words):
            Endpoint(stub.url, "m")(PROMPT)
        assert len(stub.requests) == 1


@pytest.mark.parametrize("usage", [None, 7, {"prompt_tokens": -1}, {"prompt_tokens": "9"}, {"prompt_tokens": True}])
def test_tokens_that_are_not_told_are_unknown(usage: Any) -> None:
    with serving(lambda prompt: Reply({**said("7C", None), "usage": usage})) as stub:
        answer = Endpoint(stub.url, "m", prices=(1, 1))(PROMPT)
    assert answer.prompt_tokens is answer.completion_tokens is answer.cost is None


@pytest.mark.parametrize("content", [None, [{"type": "text"}], 7])
def test_an_answer_without_a_text_is_an_empty_one(content: Any) -> None:
    with serving(lambda prompt: Reply(said(content))) as stub:
        assert Endpoint(stub.url, "m")(PROMPT).text == ""


def test_a_text_in_parts_is_put_together() -> None:
    texts = [{"type": "text", "text": "I play "}, {"type": "text", "text": "7C"}]
    parts = [{"type": "reasoning", "text": "TH?"}, *texts, 7]
    with serving(lambda prompt: Reply(said(parts))) as stub:
        assert Endpoint(stub.url, "m")("?").text == "I play 7C"


def test_an_answer_that_was_cut_is_asked_for_again() -> None:
    def reply(prompt: str) -> Reply:
        message = said(legal(prompt)[0] if "not count" not in prompt else legal(prompt)[1])
        message["choices"][0]["finish_reason"] = "stop" if "was cut" in prompt else "length"
        return Reply(message)

    with serving(reply) as stub:
        agent = TextAgent(Endpoint(stub.url, "m"), "mnk", m=3, n=3, k=3)
        table = Table(agent.game, agent.variant, 1)
        agent.act(table.view(table.turn), table.mask)
    assert (agent.usage.answers, agent.usage.illegal) == (2, 1)
    assert "it was cut before its end" in stub.requests[1]["messages"][0]["content"]


def test_rambling_then_illegal_then_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = in_turn(Reply(said("Well. " * 10_000)), Reply(said("z9")), first)
    with serving(replies) as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        agent: Any = agents.load("llm:m@temperature=0.7,prices=1/2", "durak")
        table = Table(agent.game, agent.variant, 1)
        action = agent.act(table.view(table.turn), table.mask)
        asked = [one["messages"][0]["content"] for one in stub.requests]
    assert table.mask[action]
    assert "it holds no action" in asked[1]
    assert len(asked[1]) < len(asked[0]) + 1000  # the rambling is not sent back whole
    assert agent.game.text.say(agent.variant, None, action) == legal(asked[0])[0]
    assert (agent.usage.model, agent.usage.temperature) == ("m", 0.7)
    assert (agent.usage.answers, agent.usage.illegal, agent.usage.retries) == (3, 2, 2)
    assert agent.usage.cost == pytest.approx(3 * (100 + 20) / 1e6)
    agent.close()


def test_the_environment_says_what_the_name_leaves_open(well: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"agent 'llm:m': nobody says where the model is: set OPENAI_BASE_URL"):
        agents.load("llm:m", "durak")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert ask(agents.load("llm:m", "durak")).url == "https://api.openai.com/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", well.url)
    monkeypatch.setenv("KOZYR_LLM_TEMPERATURE", "0.25")
    monkeypatch.setenv("KOZYR_LLM_RETRIES", "0")
    monkeypatch.setenv("KOZYR_LLM_TIMEOUT", "9")
    monkeypatch.setenv("KOZYR_LLM_PRICES", "3/4.5")
    told, named = agents.load("llm:m", "durak"), agents.load("llm:m@temperature=1,retries=3", "durak")
    assert ask(told)._args == (well.url, "m", 0.25, 9.0, (3.0, 4.5))
    assert (ask(named).temperature, named.retries, told.retries) == (1.0, 3, 0)  # pyright: ignore
    for variable, value in (("KOZYR_LLM_PRICES", "cheap"), ("OPENAI_BASE_URL", "localhost:8000")):
        monkeypatch.setenv(variable, value)
        with pytest.raises(ValueError, match=variable):
            agents.load("llm:m", "durak")
        monkeypatch.delenv(variable)


def ask(agent: Any) -> Any:
    """Return the endpoint of an agent."""
    return agent._ask_model


def test_names() -> None:
    for text in ("llm:gpt-4o-mini", "llm:org/m-8b:free", "llm:@cf/meta/m", "llm:a+b", "llm:m@latest"):
        assert parse(text) == LanguageModel(text.removeprefix("llm:"))
        assert str(parse(text)) == text
    full = "llm:m@temperature=0.2,retries=0,timeout=1.5,prices=0.0001/999999"
    assert parse(full) == LanguageModel("m", 0.2, 0, 1.5, (0.0001, 999999.0))
    assert str(parse(full)) == full
    assert str(parse("llm:m@prices=1/2.50,temperature=0")) == "llm:m@temperature=0,prices=1/2.5"


@pytest.mark.parametrize(
    "text",
    [
        "llm:",
        "llm:two words",
        "llm:" + "m" * 300,
        "llm:m\n",
        "llm:m@temperature=3",
        "llm:m@temperature=hot",
        "llm:m@temperature=1,temperature=1",
        "llm:m@colour=red",
        "llm:m@retries=1.5",
        "llm:m@prices=1",
        "llm:m@timeout=0",
        "llm:m@timeout=٣",
        "durak:pimc+llm:m",
    ],
)
def test_names_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"llm:|language model"):
        parse(text)


def test_a_file_asks_no_model() -> None:
    refuse_code(["llm:m"], "it", ["llm:m"])
    with pytest.raises(ValueError, match="a language model elsewhere, which may cost money: what a file names is not"):
        refuse_code(["low", "llm:m"], "it")


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setitem(__import__("sys").modules, "httpx", None)
    with pytest.raises(ValueError, match=re.escape(f"needs httpx: {install_hint.command('text')}")):
        agents.load("llm:m", "durak")


def test_a_model_needs_a_game() -> None:
    with pytest.raises(ValueError, match="plays any game: say which"):
        agents.load("llm:m")


def test_a_dead_endpoint_is_given_up_after_five_games() -> None:
    with serving(lambda prompt: Reply({}, 400)) as stub:
        agent = TextAgent(Endpoint(stub.url, "m"), "durak")
        table = Table(agent.game, agent.variant, 1)
        for _ in range(8):
            with pytest.raises((EndpointError, TextError)):
                agent.act(table.view(table.turn), table.mask)
        assert len(stub.requests) == 5
