#!/usr/bin/env python3
"""A language model for repgen: any program that reads a prompt and prints an answer.

    repgen reproduce report.md --llm "exec:python3 examples/llm/agent.py PROGRAM [ARGUMENTS]"

For instance an agent's command line in its non-interactive mode. The program
gets the whole conversation as text on its standard input, and what it prints is
the answer.

The prompt holds the words of a bug report, which may try to steer whoever reads
them. So switch off everything that the program can do but answer: its tools, its
access to files and to the network. It is started in an empty folder, which keeps
it from picking up a project by mistake and from nothing else.

Standard library only; the protocol is in docs/llm.md.
"""

import json
import subprocess
import sys
import tempfile

# Long enough for the cause of a failure, which usually stands last.
TAIL = 1000

NAMES = {"system": "Instructions", "user": "Task", "assistant": "Your answer so far"}


def answer(value):
    """Writes the one object of the protocol and ends."""
    json.dump(value, sys.stdout)
    print()
    sys.exit(0)


def fail(message):
    answer({"error": {"kind": "crashed", "message": message}})


def prompt_of(request):
    """The conversation as one text; one message stays as it is."""
    messages = request["messages"]
    if len(messages) == 1:
        text = messages[0]["content"]
    else:
        text = "\n\n".join(f"# {NAMES.get(m['role'], m['role'])}\n\n{m['content']}" for m in messages)
    if "json_schema" in request:
        text += "\n\nAnswer with one JSON object that meets this schema, and with nothing else:\n" + json.dumps(request["json_schema"])
    return text


def main():
    command = sys.argv[1:]
    if not command:
        fail("name the program: agent.py PROGRAM [ARGUMENTS]")
    request = json.load(sys.stdin)
    if request.get("schema") != 1:
        fail(f"this speaks version 1 of the protocol, not {request.get('schema')!r}")
    try:
        with tempfile.TemporaryDirectory(prefix="repgen-agent-") as folder:
            done = subprocess.run(command, input=prompt_of(request).encode(), capture_output=True, cwd=folder)
    except OSError as error:
        fail(f"{command[0]} does not start: {error}")
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0:
        fail(f"{command[0]} ended with {done.returncode}: {said[-TAIL:]}")
    if said:
        print(said[-TAIL:], file=sys.stderr)
    # Such programs do not say what they used, so repgen estimates it.
    answer({"text": done.stdout.decode("utf-8", "replace"), "model": command[0]})


if __name__ == "__main__":
    main()
