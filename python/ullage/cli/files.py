"""Which files a command reads: the paths it was given, and what lies below folders.

Below a folder the rules are git's: ``.gitignore`` at every level, the deepest file and its last matching line decide,
and what lies in an ignored folder cannot be brought back. Levels above the folder count up to the root of its
repository. A path named by the user is always read, ignored or not.
"""

import contextlib
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from ullage.cli import output

STDIN = "-"


@dataclass(slots=True)
class Found:
    """What a search gave: files in the order found, how many entries it left out, and what it could not read."""

    files: list[str] = field(default_factory=list)
    ignored: int = 0  # files and folders that a .gitignore names; what lies in such a folder is not looked at
    special: int = 0  # symbolic links, sockets, pipes and devices
    unreadable: list[tuple[str, str]] = field(default_factory=list)  # (path, reason)


@dataclass(frozen=True, slots=True)
class _Line:
    """One pattern of a .gitignore, without the slash at its end that makes it one for folders only."""

    pattern: GitIgnoreSpecPattern
    folders_only: bool

    def names(self, path: str, is_folder: bool) -> bool:
        """Say whether the line names the path itself.

        pathspec also matches what lies below a named folder, as it must when it is given whole paths. Here folders are
        judged before what is in them, so such a match says nothing: it is told by the slash that it has captured.
        """
        if self.folders_only and not is_folder:
            return False
        result = self.pattern.match_file(path)
        return result is not None and result.match.lastindex is None


@dataclass(frozen=True, slots=True)
class _Level:
    """One .gitignore: its lines, the last one first, and its folder as an absolute path that ends in a separator."""

    folder: str
    lines: tuple[_Line, ...]

    def verdict(self, path: str, is_folder: bool) -> bool | None:
        """Say whether the last line that names the path ignores it; None if no line names it."""
        below = path[len(self.folder) :].replace(os.sep, "/")
        return next((line.pattern.include for line in self.lines if line.names(below, is_folder)), None)


def find(paths: list[str]) -> Found:
    """Return the files that the paths name, each once, however often it is named.

    Symbolic links are followed when named, and left out below a folder: no loop, nothing counted twice.
    """
    found = Found()
    seen: set[str] = set()
    for path in paths:
        if path == STDIN:
            if STDIN not in seen:
                found.files.append(STDIN)
                seen.add(STDIN)
            continue
        real = os.path.realpath(path)
        if Path(real).is_dir():
            _walk(path, real, found, seen)
        elif real not in seen:  # what does not exist is reported by whoever reads it
            found.files.append(path)
            seen.add(real)
    return found


def _walk(root: str, real_root: str, found: Found, seen: set[str]) -> None:
    """Add the files below ``root``. Paths are shown as the user wrote the root, and told apart by ``real_root``."""
    pending = [("" if root == os.curdir else _slashed(root), _slashed(real_root), _above(real_root))]
    while pending:
        shown, real, levels = pending.pop()
        try:
            with os.scandir(real) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            found.unreadable.append((shown or os.curdir, output.reason(error)))
            continue
        if any(entry.name == ".gitignore" for entry in entries):
            levels = [*levels, *_level(real)]
        folders = []
        for entry in entries:
            name = entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if name == ".git":
                continue
            if levels and _is_ignored(real + name, is_folder, levels):
                found.ignored += 1
            elif is_folder:
                folders.append((_slashed(shown + name), _slashed(real + name), levels))
            elif not entry.is_file(follow_symlinks=False):
                found.special += 1
            elif real + name not in seen:
                found.files.append(shown + name)
                seen.add(real + name)
        pending.extend(reversed(folders))


def _above(real_root: str) -> list[_Level]:
    """Return the levels above a folder, outermost first: none outside a repository, none if they ignore the folder."""
    parents: list[Path] = []
    for folder in (Path(real_root), *Path(real_root).parents):
        parents.insert(0, folder)
        if (folder / ".git").exists():
            break
    else:
        return []
    levels: list[_Level] = []
    for parent, child in itertools.pairwise(parents):
        levels.extend(_level(_slashed(str(parent))))
        if _is_ignored(str(child), True, levels):
            return []
    return levels


def _level(folder: str) -> Iterator[_Level]:
    """Yield the level of a folder if its .gitignore can be read. Git, too, passes over one that cannot."""
    try:
        text = Path(folder, ".gitignore").read_bytes().decode("utf-8-sig", errors="surrogateescape")
    except OSError:
        return
    lines = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        trimmed = line.rstrip(" ")
        folders_only = trimmed.endswith("/")
        with contextlib.suppress(ValueError):  # a line that is no pattern means nothing to git either
            pattern = GitIgnoreSpecPattern(trimmed[:-1] if folders_only else line)
            if pattern.include is not None:  # neither blank nor a comment
                lines.append(_Line(pattern, folders_only))
    yield _Level(folder, tuple(reversed(lines)))


def _is_ignored(path: str, is_folder: bool, levels: list[_Level]) -> bool:
    """Say whether the deepest level that has a word on the path ignores it."""
    verdicts = (level.verdict(path, is_folder) for level in reversed(levels))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _slashed(folder: str) -> str:
    """Return a folder with a separator at its end. A str: a Path for each of many files costs more than reading it."""
    return folder if folder.endswith(("/", os.sep)) else folder + os.sep
