#!/usr/bin/env python3
"""A language model for repgen: forwards to any OpenAI-compatible server.

    repgen reproduce report.md --llm "exec:python3 examples/llm/forward.py MODEL"

The server is OPENAI_BASE_URL (default https://api.openai.com/v1), the key
OPENAI_API_KEY, which a local server may not need. Standard library only; the
protocol is in docs/llm.md. A start for one's own: a gateway, a special header,
another field.
"""

import http.client
import json
import os
import sys
import urllib.error
import urllib.request

# The server's finish reasons in repgen's words.
FINISH = {"stop": "stop", "length": "length", "content_filter": "filter"}

# What an HTTP status means to repgen, which tries again where that can help.
KINDS = {400: "bad_request", 401: "auth", 403: "auth", 404: "not_found", 408: "timeout", 413: "context_overflow", 429: "rate_limited"}


def answer(value):
    """Writes the one object of the protocol and ends."""
    json.dump(value, sys.stdout)
    print()
    sys.exit(0)


def fail(kind, message, retry_after=None):
    error = {"kind": kind, "message": message}
    if retry_after is not None:
        error["retry_after"] = retry_after
    answer({"error": error})


def body_of(request, model):
    body = {"model": model, "messages": request["messages"], "max_tokens": request["max_tokens"]}
    if "temperature" in request:
        body["temperature"] = request["temperature"]
    if "json_schema" in request:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": request["json_schema"]}}
    return body


def seconds(text):
    """The header Retry-After where it is a number; a date is left to repgen's own waiting."""
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def refused(error):
    """An HTTP error with the server's own message."""
    text = error.read(100_000).decode("utf-8", "replace")
    try:
        text = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        pass
    kind = "overloaded" if error.code >= 500 else KINDS.get(error.code, "bad_request")
    if error.code == 400 and "context" in text.lower() and ("length" in text.lower() or "size" in text.lower()):
        kind = "context_overflow"
    fail(kind, f"HTTP {error.code}: {text[:1000]}", seconds(error.headers.get("Retry-After")))


def ask(request, model):
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    headers = {"Content-Type": "application/json"}
    key = os.environ.get("OPENAI_API_KEY")
    if key:
        headers["Authorization"] = "Bearer " + key
    data = json.dumps(body_of(request, model)).encode()
    question = urllib.request.Request(base + "/chat/completions", data=data, headers=headers)
    # repgen ends the whole command when its own time is over.
    with urllib.request.urlopen(question) as response:
        return json.load(response)


def main():
    request = json.load(sys.stdin)
    if request.get("schema") != 1:
        fail("bad_request", f"this speaks version 1 of the protocol, not {request.get('schema')!r}")
    model = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("OPENAI_MODEL", "")
    if not model:
        fail("bad_request", "name the model: forward.py MODEL, or OPENAI_MODEL")
    try:
        said = ask(request, model)
        choice = said["choices"][0]
        text = choice["message"]["content"] or ""
    except urllib.error.HTTPError as error:
        refused(error)
    except (OSError, http.client.HTTPException) as error:  # refused, cut, no such host
        fail("connection", str(error) or repr(error))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        fail("bad_response", f"the server's answer has another form: {error!r}")
    out = {"text": text, "model": said.get("model", model), "finish": FINISH.get(choice.get("finish_reason"), "other")}
    usage = said.get("usage") or {}
    if usage.get("prompt_tokens"):
        out["usage"] = {"input_tokens": usage["prompt_tokens"], "output_tokens": usage.get("completion_tokens", 0)}
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
        if cached:
            out["usage"]["cached_tokens"] = cached
    answer(out)


if __name__ == "__main__":
    main()
