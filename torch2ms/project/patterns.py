"""Which paths are converted, copied or left out, by the rules of .gitignore."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathspec


@dataclass(frozen=True)
class Patterns:
    """Lists of .gitignore lines: `include` (empty: everything) is converted less `exclude`, `omit` is not even copied."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    omit: tuple[str, ...] = ()
    prefix: str = ""  # stands before every path that is asked about

    def converts(self, rel: str) -> bool:
        """Whether the file at this relative path is converted; exclusion wins over inclusion."""
        path = self.prefix + rel
        if self._exclude is not None and self._exclude.match_file(path):
            return False
        return self._include is None or self._include.match_file(path)

    def omits(self, rel: str, folder: bool = False) -> bool:
        """Whether the file or folder is left out of everything."""
        return self._omit is not None and self._omit.match_file(self.prefix + rel + "/" * folder)

    @cached_property
    def _include(self) -> pathspec.GitIgnoreSpec | None:
        return _compiled(self.include)

    @cached_property
    def _exclude(self) -> pathspec.GitIgnoreSpec | None:
        return _compiled(self.exclude)

    @cached_property
    def _omit(self) -> pathspec.GitIgnoreSpec | None:
        return _compiled(self.omit)


def _compiled(lines: tuple[str, ...]) -> pathspec.GitIgnoreSpec | None:
    if not lines:
        return None
    import pathspec

    return pathspec.GitIgnoreSpec.from_lines(lines)
