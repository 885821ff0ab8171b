# SPDX-License-Identifier: MIT
"""leadhook(1), completion bash: bash completes exactly what the tables of commands, options and settings contain."""
import re
import subprocess

import pytest
from stack.installation import find_program
from stack.process import run
from tree import BUILD

# Bash sets these for a completion function; a word is split at COMP_WORDBREAKS.
COMPLETE = r"""
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_leadhook
printf '%s\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def leadhook():
    program = find_program(BUILD, "leadhook")
    return lambda *words: run("leadhook", [program, *words])


@pytest.fixture(scope="module")
def complete(leadhook, make_folder):
    """Returns what is offered for the last of the words after `leadhook`, in order; file names come from the folder."""
    folder = make_folder()
    script = folder / "completion"
    script.write_text(leadhook("completion", "bash"))
    (folder / "leads.csv").touch()
    (folder / "two words.csv").touch()

    def offered(*words):
        done = subprocess.run(["bash", "-u", "-c", COMPLETE, "bash", script, "leadhook", *words], cwd=folder, timeout=20,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        return sorted(line for line in done.stdout.splitlines() if line)
    return offered


@pytest.fixture(scope="module")
def commands(leadhook):
    """The words of all commands, according to the help."""
    lines = re.findall(r"^  ([a-z]+(?: [a-z]+)?) ", leadhook("--help").partition("\nOptions")[0], re.MULTILINE)
    assert len(lines) > 60
    return lines


def options_of(leadhook, command):
    return set(re.findall(r"^  (--[a-z0-9-]+)", leadhook("help", *command.split()), re.MULTILINE))


def test_every_command_is_completed(complete, commands):
    groups = {command.split()[0] for command in commands}
    assert complete("") == sorted({*groups, "help"})
    assert complete("help", "") == sorted({*groups, "help"})
    for group in groups:
        seconds = sorted({command.split()[1] for command in commands if command.startswith(f"{group} ")})
        if seconds:
            assert complete(group, "") == seconds


def test_every_option_is_completed(complete, commands, leadhook):
    """the options of the command and those of all commands, and no others"""
    for command in commands:
        assert complete(*command.split(), "--") == sorted(options_of(leadhook, command)), command


def test_settings_are_completed(complete, leadhook):
    names = re.findall(r"^  ([a-z_]+) ", leadhook("help", "campaign", "set").partition("Settings:")[2], re.MULTILINE)
    assert len(names) > 20
    assert complete("campaign", "set", "1", "") == ["--queue", *sorted(f"{name}=" for name in names)]
    assert complete("campaign", "set", "1", "points_direct", "=", "5", "points_i") == ["points_indirect="]


def test_words_begin_as_typed(complete):
    assert complete("camp") == ["campaign"]
    assert complete("campaign", "e") == ["embed", "end"]
    assert complete("lead", "list", "1", "--ver") == ["--verified", "--version"]
    assert complete("nothing-like-it") == []


def test_values_of_options_are_completed(complete):
    """the possible values of an option, even if bash has split --option=value"""
    assert complete("lead", "list", "1", "--verified", "") == ["no", "yes"]
    assert complete("lead", "list", "1", "--verified", "n") == ["no"]
    assert complete("lead", "list", "1", "--verified", "=") == ["no", "yes"]
    assert complete("lead", "list", "1", "--verified", "=", "n") == ["no"]
    assert complete("setup", "--web-server", "n") == ["nginx", "none"]
    assert complete("lead", "list", "1", "--limit", "") == []
    assert complete("campaign", "set", "1", "name", "=") == []
    assert complete("campaign", "set", "1", "name", "=", "") == []


def test_files_are_completed(complete):
    assert complete("lead", "import", "1", "le") == ["leads.csv"]
    assert complete("lead", "import", "1", "tw") == ["two words.csv"]
    assert complete("--config", "lea") == ["leads.csv"]


def test_values_are_not_taken_for_commands(complete):
    assert complete("--config", "campaign", "") == complete("")
    assert complete("--json", "campaign", "") == complete("campaign", "")
    assert complete("account", "add", "status", "--") == complete("account", "add", "--")


def test_it_needs_neither_configuration_nor_database(leadhook):
    assert "complete -F _leadhook leadhook" in leadhook("--config", "/nonexistent/leadhook.conf", "completion", "bash")
