"""The command as a process: exit codes, pipes, signals, terminals, and an installation without the extra."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

posix = pytest.mark.skipif(os.name == "nt", reason="needs named pipes, signals and terminals of POSIX")


def finish(process, stdin=None):
    out, err = process.communicate(stdin)
    return process.returncode, out.decode(), err.decode()


def test_stdin(count):
    code, out, err = finish(count.process("count", "-", "--json", stdin=subprocess.PIPE), "Привет, мир".encode())
    assert (code, err) == (0, "")
    assert json.loads(out)["total"]["tokens"] == 5


@posix
def test_stdin_that_is_closed(count, tree):
    tree({"a.txt": "tea"})
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *count.PYTHON, "count", "-", "a.txt"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (1, "ullage: -: standard input is closed\n")
    assert "a.txt" in run.stdout


@posix
def test_a_result_that_cannot_be_written(count, tree):
    tree({"a.txt": "tea"})
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *count.PYTHON, "count", "a.txt"]
    run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert (run.returncode, run.stderr) == (1, "ullage: standard output is closed\n")
    if Path("/dev/full").exists():
        for options in ([], ["--json"]):
            command = ["sh", "-c", 'exec "$@" >/dev/full', "sh", *count.PYTHON, "count", "a.txt", *options]
            run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
            sentence = "ullage: the result could not be written: No space left on device\n"
            assert (run.returncode, run.stderr) == (1, sentence)


def test_exit_codes(count, tree):
    tree({"a.txt": "tea"})
    assert finish(count.process("count", "a.txt"))[0] == 0
    assert finish(count.process("count", "a.txt", "b.txt"))[0] == 1
    assert finish(count.process("count", "--by", "colour", "a.txt"))[0] == 2
    assert finish(count.process("nothing"))[0] == 2
    assert finish(count.process("--version"))[:1] == (0,)


@posix
def test_a_loop_of_links_is_reported(count, tree):
    (tree({"a.txt": "tea"}) / "self").symlink_to("self")
    code, out, err = finish(count.process("count", "self", "a.txt"))
    assert (code, err) == (1, "ullage: self: Too many levels of symbolic links\n")
    assert "a.txt" in out


@posix
def test_a_name_that_is_not_text(count, tree):
    root = tree({})
    (root / os.fsdecode(b"caf\xe9.txt")).write_text("tea")
    code, out, err = finish(count.process("count", "."))
    assert (code, err) == (0, "")
    assert r"caf\udce9.txt" in out
    (row,) = json.loads(finish(count.process("count", ".", "--json"))[1])["rows"]
    assert os.fsencode(row["path"]) == b"caf\xe9.txt"


def test_output_that_cannot_hold_every_character(count, tree):
    tree({"茶.txt": "tea " * 9, "b.txt": "tea"})
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    code, out, err = finish(count.process("count", ".", env=environment))
    assert (code, err) == (0, "")
    assert r"\u8336.txt" in out
    assert "###" in out


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["table", "json"])
@pytest.mark.parametrize("files", [3, 2_000])
def test_a_reader_that_leaves_is_no_error(count, tree, options, files):
    tree({f"{i:04}.txt": "tea" for i in range(files)})
    process = count.process("count", ".", *options)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() in (0, 1)


@posix
def test_interrupt(count, tree):
    root = tree({})
    os.mkfifo(root / "pipe")
    process = count.process("count", "pipe")
    with (root / "pipe").open("wb"):  # opens once the command has begun to read
        process.send_signal(signal.SIGINT)
        code, out, err = finish(process)
    assert (code, out, err) == (130, "", "")


@posix
@pytest.mark.parametrize(("options", "shown"), [([], True), (["--json"], False)], ids=["table", "json"])
def test_progress_is_shown_on_a_terminal_after_a_while(count, tree, options, shown):
    root = tree({"z.txt": "tea"})
    os.mkfifo(root / "pipe")
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = count.process("count", "pipe", "z.txt", *options, stderr=theirs, env=environment)
    os.close(theirs)
    with (root / "pipe").open("wb") as pipe:
        time.sleep(0.6)  # the command must find more than half a second gone
        pipe.write(b"tea")
    process.communicate()
    seen = b""
    try:
        while block := os.read(ours, 4096):
            seen += block
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(ours)
    assert process.returncode == 0
    assert (b"Counting" in seen) is shown


@posix
def test_no_progress_without_a_terminal(count, tree):
    root = tree({"z.txt": "tea"})
    os.mkfifo(root / "pipe")
    process = count.process("count", "pipe", "z.txt")
    with (root / "pipe").open("wb") as pipe:
        time.sleep(0.6)
        pipe.write(b"tea")
    code, _, err = finish(process)
    assert (code, err) == (0, "")


@pytest.mark.parametrize("missing", ["typer", "rich", "pathspec"])
def test_without_the_extra_one_sentence(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from ullage.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code, "count", "."], capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr == 'The ullage command needs the extra: pip install "ullage[cli]"\n'


def test_importing_the_package_does_not_import_the_command_line():
    code = "import sys, ullage; print({'typer', 'rich', 'pathspec', 'ullage.cli'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
