"""The command that lets a shell complete commands, options and what they may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ways.cli import commands
from recollect.ways.cli.command import GLOBAL, Argument, Command, Reply

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ways.cli.session import Session


def _completion(session: Session, args: Namespace) -> Reply:
    del session
    script = "\n".join(_SHELLS[args.shell](_every()))
    return Reply((script,), lambda: {"shell": args.shell, "script": script})


def _every() -> list[Command]:
    return [commands.command(name) for name in commands.MODULES]


def _options(one: Command) -> Iterator[Argument]:
    yield from (a for a in (*one.arguments, *GLOBAL) if a.names[0].startswith("-"))
    yield Argument(("--help",), "show how the command is called", flag=True)


def _places(one: Command) -> tuple[str, ...]:
    """What may stand without an option in front of it."""
    return tuple(
        choice
        for argument in one.arguments
        if not argument.names[0].startswith("-")
        for choice in argument.choices or ()
    )


def _bash(every: list[Command]) -> Iterator[str]:
    yield "_recollect() {"
    yield '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD - 1]}" one'
    yield "    local command="
    yield '    for one in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do'
    yield '        case "$one" in -*) ;; *) command="$one"; break ;; esac'
    yield "    done"
    yield '    case "$command $before" in'
    for one in every:
        for option in _options(one):
            if option.choices:
                choices = " ".join(option.choices)
                yield f'        "{one.name} {option.names[0]}")'
                yield f'            COMPREPLY=($(compgen -W "{choices}" -- "$word")); return ;;'
    yield "    esac"
    yield '    case "$command" in'
    names = " ".join(one.name for one in every)
    yield f'        "") COMPREPLY=($(compgen -W "{names} --help --version" -- "$word")) ;;'
    for one in every:
        words = " ".join((*(option.names[0] for option in _options(one)), *_places(one)))
        yield f'        {one.name}) COMPREPLY=($(compgen -W "{words}" -- "$word")) ;;'
    yield "    esac"
    yield "}"
    yield "complete -o default -F _recollect recollect"


def _zsh(every: list[Command]) -> Iterator[str]:
    yield "#compdef recollect"
    yield "_recollect() {"
    yield "    local -a commands=("
    for one in every:
        yield f"        {_quoted(f'{one.name}:{one.purpose}')}"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield '    case "${words[2]}" in'
    for one in every:
        yield f"        {one.name})"
        yield "            _arguments -s \\"
        for option in _options(one):
            about = option.about.replace("[", "(").replace("]", ")").replace(":", "\\:")
            value = "" if option.flag else f":{option.metavar or 'VALUE'}:{_values(option)}"
            yield f"                {_quoted(f'{option.names[0]}[{about}]{value}')} \\"
        places = _places(one)
        rest = f"({' '.join(places)})" if places else "_files"
        yield f"                {_quoted(f'*:argument:{rest}')} ;;"
    yield "    esac"
    yield "}"
    yield 'if [ "$funcstack[1]" = _recollect ]; then _recollect "$@"'
    yield "else compdef _recollect recollect; fi"


def _values(option: Argument) -> str:
    return f"({' '.join(option.choices)})" if option.choices else "_files"


def _fish(every: list[Command]) -> Iterator[str]:
    for one in every:
        yield (
            f"complete -c recollect -n __fish_use_subcommand -f -a {one.name}"
            f" -d {_quoted(one.purpose)}"
        )
    for one in every:
        when = f"-n {_quoted(f'__fish_seen_subcommand_from {one.name}')}"
        for option in _options(one):
            choices = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else ""
            takes = "" if option.flag else choices or " -r"
            name = option.names[0].removeprefix("--")
            yield f"complete -c recollect {when} -l {name}{takes} -d {_quoted(option.about)}"
        if places := _places(one):
            yield f"complete -c recollect {when} -f -a {_quoted(' '.join(places))}"


def _quoted(text: str) -> str:
    r"""A text as a shell takes it literally.

    >>> print(_quoted("it's"))
    'it'\''s'
    """
    return "'" + text.replace("'", "'\\''") + "'"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
COMMANDS = (
    Command(
        "completion",
        "let the shell complete commands and options",
        "Print what makes a shell complete the commands of recollect, their options, and what\n"
        "these can be. Put one of these where your shell reads its settings:\n\n"
        '  bash   eval "$(recollect completion bash)"           in ~/.bashrc\n'
        '  zsh    eval "$(recollect completion zsh)"            in ~/.zshrc, after compinit\n'
        "  fish   recollect completion fish | source           in ~/.config/fish/config.fish",
        ("recollect completion bash",),
        (Argument(("shell",), ", ".join(_SHELLS), choices=tuple(_SHELLS)),),
        _completion,
    ),
)
