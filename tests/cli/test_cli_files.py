"""Which files are found. The oracle for .gitignore is git."""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from ullage.cli.files import find

ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")


def found(*paths):
    return [path.replace(os.sep, "/") for path in find(list(map(str, paths))).files]


def git_files(root):
    subprocess.run(["git", "init", "-q", root], check=True, env=ENVIRONMENT)
    command = ["git", "-C", root, "ls-files", "-z", "--others", "--exclude-standard"]
    listing = subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT).stdout
    return sorted(filter(None, listing.decode().split("\0")))


def test_negation_and_nested_files(tree):
    tree(
        {
            ".gitignore": "*.log\n!keep.log\nbuild/\n/top.txt\n# comment\n\n\\#odd\n",
            "a.log": "",
            "keep.log": "",
            "top.txt": "",
            "#odd": "",
            "sub/top.txt": "",
            "sub/.gitignore": "!*.log\nkeep.log\n",
            "sub/b.log": "",
            "sub/keep.log": "",
            "build/.gitignore": "!*\n",
            "build/x.txt": "",
            "sub/build": "a file, not a folder",
            ".git/config": "",
        }
    )
    assert found(".") == [
        ".gitignore",
        "keep.log",
        "sub/.gitignore",
        "sub/b.log",
        "sub/build",
        "sub/top.txt",
    ]
    assert find(["."]).ignored == 5


def test_carriage_returns_marks_and_lines_that_are_no_pattern(tree):
    tree({".gitignore": b"\xef\xbb\xbf*.a\r\n!\r\n[\r\n\xff\r\n*.b\r\n", "x.a": "", "x.b": "", "x.c": ""})
    assert found(".") == [".gitignore", "x.c"]


def test_levels_above_count_up_to_the_root_of_the_repository(tree):
    tree({".gitignore": "*.txt\n", "repo/.gitignore": "*.log\n", "repo/a/b/x.log": "", "repo/a/b/y.txt": ""})
    assert found("repo/a/b") == ["repo/a/b/x.log", "repo/a/b/y.txt"]
    Path("repo/.git").mkdir()
    assert found("repo/a/b") == ["repo/a/b/y.txt"]


def test_what_is_named_is_read_ignored_or_not(tree):
    tree({".git/HEAD": "", ".gitignore": "build/\n*.log\n", "build/x.txt": "", "a.log": "", "build/y.log": ""})
    assert found("a.log") == ["a.log"]
    assert found("build") == ["build/x.txt", "build/y.log"]


NAMES = ["a", "b", "c.txt", "d.log", "build", "keep"]
PATTERNS = [
    *("a", "b/", "*.txt", "*.log", "/a", "/b/", "a/b", "a/*", "**/c.txt", "a/**", "a/**/b", "b/*.log", "*", "build/"),
    *("keep", "/*", "[ab]", "?", "*/b", "**", "**/b/", "*/*/"),
    *("!a", "!b/", "!*.txt", "!c.txt", "!a/b", "!a/b/", "!a/**", "!*/", "!build/", "!keep", "!/keep", "!*/b", "!**"),
    *("!**/b/", "\\!a", "#x", "/", "//", "a/ "),
]


@needs_git
@pytest.mark.parametrize("seed", range(60))
def test_the_same_files_as_git(tmp_path, seed):
    choose = random.Random(seed)
    for _ in range(choose.randint(4, 14)):
        path = tmp_path.joinpath(*choose.choices(NAMES, k=choose.randint(1, 4)))
        if not any(parent.is_file() for parent in path.parents) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("tea")
    folders = sorted(path for path in tmp_path.rglob("*") if path.is_dir())
    for folder in [tmp_path, *choose.sample(folders, min(len(folders), 2))]:
        lines = choose.choices(PATTERNS, k=choose.randint(1, 4))
        (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    want = git_files(tmp_path)
    assert sorted(os.path.relpath(path, tmp_path) for path in find([str(tmp_path)]).files) == want


@needs_git
@pytest.mark.parametrize(
    ("files", "ignores"),
    [
        # A line that brings a folder back says nothing about what lies below it.
        (["a/build/b/c"], {".": "**/b/\n!build/"}),
        (["build/c.txt/a/c.txt"], {"build": "?\n!*.txt"}),
        # ... and the contents of a folder are not the folder.
        (["a/keep/b"], {".": "/a\n!a/**"}),
        (["a/keep/d.log/x"], {".": "?\n*.log\n!*/"}),
    ],
)
def test_lines_that_name_folders(tmp_path, files, ignores):
    for path in files:
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("tea")
    for folder, text in ignores.items():
        (tmp_path / folder / ".gitignore").write_text(text)
    want = git_files(tmp_path)
    assert sorted(os.path.relpath(path, tmp_path) for path in find([str(tmp_path)]).files) == want


@needs_links
def test_links_are_followed_when_named_and_left_out_below_folders(tree):
    root = tree({"a/x.txt": "tea"})
    (root / "a/loop").symlink_to(root / "a", target_is_directory=True)
    (root / "a/file").symlink_to(root / "a/x.txt")
    (root / "link").symlink_to(root / "a", target_is_directory=True)
    (root / "self").symlink_to(root / "self")
    assert found("a") == ["a/x.txt"]
    assert find(["a"]).special == 2
    assert found("link") == ["link/x.txt"]
    assert found("self") == ["self"]  # whoever reads it reports the loop


@needs_links
def test_sockets_and_pipes_below_folders_are_not_waited_for(tree):
    root = tree({"x.txt": "tea"})
    os.mkfifo(root / "pipe")
    assert found(".") == ["x.txt"]
    assert find(["."]).special == 1


def test_a_file_is_found_once_however_it_is_named(tree):
    root = tree({"a/x.txt": "tea", "a/b/y.txt": "tea"})
    assert found("a/b", "a", ".", root / "a" / "x.txt", "a/b/y.txt") == ["a/b/y.txt", "a/x.txt"]


def test_paths_are_shown_as_they_were_written(tree):
    root = tree({"a/x.txt": "tea"})
    assert found("a/") == ["a/x.txt"]
    assert found("./a") == ["./a/x.txt"]
    assert found(root) == [f"{root}/a/x.txt".replace(os.sep, "/")]


def test_files_come_before_the_folders_beside_them_each_in_order(tree):
    tree({"b/2": "", "b/1": "", "a/3": "", "c": ""})
    assert found(".") == ["c", "a/3", "b/1", "b/2"]
