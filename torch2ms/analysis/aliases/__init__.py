"""Which names may share storage inside a function, what is seen outside of it, and where values are written in place."""

from __future__ import annotations

from torch2ms.analysis.aliases.derivation import Derivation
from torch2ms.analysis.aliases.query import Aliases, Sharing
from torch2ms.analysis.aliases.writes import How, Write
from torch2ms.analysis.project import CallEffects

__all__ = ["Aliases", "CallEffects", "Derivation", "How", "Sharing", "Write"]
