"""Ctrl-C in the middle of long work."""


class CtrlC:
    """A watcher of work that interrupts it once, as soon as some of it is done."""

    pressed = False

    def __call__(self, done: int, of: int = 0) -> None:
        if done and not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt
