"""`-v` and `-vv`, on every command: what the packages log, on stderr."""

import logging

import click

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class _Handler(logging.Handler):
    """Prints to the console that live displays stand on, so that lines appear above them."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        from sweepbot.cli.output import talk  # noqa: PLC0415  (late: help is there at once)

        talk.print(f"{record.name}: {record.getMessage()}", style="dim", markup=False)


def add_verbosity(command: click.Command) -> None:
    """Add the option to a command that does not have it."""
    if all(param.name != "verbose" for param in command.params):
        command.params.append(
            click.Option(
                ["-v", "--verbose"],
                count=True,
                expose_value=False,
                callback=_set_level,
                help="Say what is going on; -vv also says what is read and decided.",
            )
        )


def _set_level(_: click.Context, __: click.Parameter, times: int) -> None:
    logger = logging.getLogger("sweepbot")
    for handler in [handler for handler in logger.handlers if isinstance(handler, _Handler)]:
        logger.removeHandler(handler)
    level = _LEVELS[min(times, len(_LEVELS) - 1)]
    logger.setLevel(level)
    if times:
        handler = _Handler()
        handler.setLevel(level)
        logger.addHandler(handler)
