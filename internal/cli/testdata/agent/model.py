"""A language model made up: it answers by what it is asked for, and keeps one
line a call in calls.log. Its first argument says how it behaves, the second is
the file with the script that it writes."""

import json
import os
import sys
import time

PURPOSES = {
    "You put bug reports": "restructure",
    "You say how a silent bug": "propose",
    "You plan a short": "plan",
    "You write short Python": "generate",
    "You explain": "explain",
}


def purpose(request):
    system = request["messages"][0]["content"]
    return next((name for words, name in PURPOSES.items() if words in system), "unknown")


def answer(name, script):
    if name == "restructure":
        said = [{"text": "", "quote": "TypeError: 'int' object is not iterable"}]
        wish = [{"text": "", "quote": "I expect the sums of the rows"}]
        return json.dumps({"title": "a report", "observed": said, "expected": wish, "steps": [], "environment": [], "parameters": []})
    if name == "plan":
        steps = [{"do": "call it", "values": "as the report has them", "shows": "the failure"}]
        return json.dumps({"steps": steps, "names": ["tinynet.total"], "trigger": "axis=0", "resources": ""})
    if name == "propose":
        return open("proposal.json").read()
    if name == "explain":
        return json.dumps({"paragraphs": [{"text": "The library walks over axis, which is an int.", "script_lines": [4], "report_lines": [5]}]})
    if name == "generate":
        return "Here it is:\n```python\n" + open(script).read() + "```\n"
    return "I was asked for nothing that I know."


def main():
    how, script = sys.argv[1], sys.argv[2]
    request = json.load(sys.stdin)
    name = purpose(request)
    with open("calls.log", "a") as log:
        log.write(name + "\n")
    if how == "slow":
        time.sleep(0.4)
    if how == "crash":
        sys.exit("the model fell over " + os.environ.get("MODEL_API_KEY", ""))
    if how == "hang":
        time.sleep(600)
    if how == "key":
        print("using " + os.environ.get("MODEL_API_KEY", "no key"), file=sys.stderr)
    text = "" if how == "nothing" else "I would rather not write code." if how == "prose" else answer(name, script)
    usage = {"input_tokens": 100, "output_tokens": 10}
    print(json.dumps({"text": text, "model": "made-up-1", "usage": usage}))


main()
