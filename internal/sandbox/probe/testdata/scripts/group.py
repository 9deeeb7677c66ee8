import sys

if sys.version_info < (3, 11):
    raise SystemExit(0)


def fail(e):
    raise e


def caught(e):
    try:
        fail(e)
    except Exception as caught:
        return caught


group = ExceptionGroup("several", [caught(ValueError("one")), caught(TypeError("two"))])
group.add_note("a note")
raise group
