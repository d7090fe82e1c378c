"""Objects that are closed at the end of a ``with`` statement."""

from abc import ABC, abstractmethod
from typing import Self


class Closable(ABC):
    """Object that can be used in a ``with`` statement, which closes it."""

    @abstractmethod
    def close(self) -> None:
        """Release what the object holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
