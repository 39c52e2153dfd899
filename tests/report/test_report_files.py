"""Formats by suffix, and files that appear whole or not at all."""

import json
import os
import stat
from functools import partial

import pytest

from baserate._whole_files import write_text
from baserate.errors import InvalidArgumentError, UnknownNameError
from baserate.evaluation.evaluations import Evaluation
from baserate.report import evaluation as evaluation_report
from baserate.report import sheet
from baserate.report.opening import render as rendered

render = partial(rendered, evaluation_report.sheet_of)


def write(facts, path, **how):
    Evaluation(facts).write(path, **how)


def names_in(directory):
    return [path.name for path in directory.iterdir()]


@pytest.mark.sweep(6, start=5)
@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.html", "<!DOCTYPE html>"),
        ("r.HTM", "<!DOCTYPE html>"),
        ("r.json", '{\n  "schema": 1,'),
        ("r.md", "# Evaluation of affairs.csv"),
        ("r.markdown", "# Evaluation of affairs.csv"),
        ("r.txt", "Of the 2,053 positives"),
    ],
)
def test_the_suffix_names_the_format(make, tmp_path, name, begins):
    write(make(), tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    assert names_in(tmp_path) == [name]


def test_a_named_format_needs_no_suffix(make, tmp_path):
    write(make(), str(tmp_path / "report"), format="json")
    assert json.loads((tmp_path / "report").read_text())["schema"] == 1


@pytest.mark.parametrize("name", ["report.pdf", "report"])
def test_an_unknown_suffix_is_refused_with_those_known(make, tmp_path, name):
    with pytest.raises(InvalidArgumentError, match=r"must end in \.html, .*got '.*report.*'.*pass"):
        write(make(), tmp_path / name)
    assert names_in(tmp_path) == []


def test_an_unknown_format_is_refused_with_the_nearest(make):
    with pytest.raises(UnknownNameError, match="Did you mean 'markdown'"):
        render(make(), "markdwn")


def test_nothing_is_written_when_drawing_fails(make, fact, tmp_path):
    target = tmp_path / "report.html"
    target.write_text("before")
    with pytest.raises(TypeError):
        write(make(metrics=(fact("f1", "not a number"),)), target)
    assert target.read_text() == "before"
    assert names_in(tmp_path) == ["report.html"]


def test_nothing_is_left_when_the_last_step_fails(monkeypatch, tmp_path):
    target = tmp_path / "report.md"
    target.write_text("before")

    def refuse(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_text(target, "after")
    assert target.read_text() == "before"
    assert names_in(tmp_path) == ["report.md"]


def test_a_missing_directory_is_an_error(make, tmp_path):
    with pytest.raises(FileNotFoundError):
        write(make(), tmp_path / "nowhere" / "report.md")


def test_a_link_is_followed_and_others_may_read(tmp_path):
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("before")
    link.symlink_to(real)
    mask = os.umask(0o022)
    try:
        write_text(link, "after")
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert real.read_text() == "after"
    assert stat.S_IMODE(real.stat().st_mode) == 0o644


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("form", sheet.SHEETS)
def test_every_format_draws_the_oddest_facts(odd, form):
    assert render(odd, form).endswith("\n")
