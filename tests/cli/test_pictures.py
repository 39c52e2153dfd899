"""`--plot`: a picture beside the report, whole or not at all, never in the place of an input."""

import sys
from xml.etree import ElementTree as ET

import pytest

ROWS = "y,p,s,g\n" + "1,1,.9,a\n0,1,.6,b\n1,0,.2,a\n0,0,.1,b\n" * 5
COMMANDS = {
    "evaluate": ["d.csv", "--target", "y", "--score", "s"],
    "threshold": ["d.csv", "--target", "y", "--score", "s", "--resamples", "20"],
    "audit": ["d.csv", "--target", "y", "--score", "s", "--group", "g", "--metrics", "recall"],
    "compare": ["d.csv", "--target", "y", "--score", "s", "--prediction", "p"],
}
BEGIN = {".png": b"\x89PNG\r\n", ".pdf": b"%PDF-", ".SVG": b"<svg "}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "d.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(result, *said):
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(words in err for words in said)


@pytest.mark.sweep(12, start=8)
@pytest.mark.parametrize("suffix", BEGIN)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_suffix_says_what_is_drawn(run, folder, command, suffix):
    report = run(command, *COMMANDS[command])[1]
    code, out, err = run(command, *COMMANDS[command], "--plot", f"x{suffix}")
    assert (code, out, err) == (0, report, f"baserate: x{suffix} written.\n")
    assert (folder / f"x{suffix}").read_bytes().startswith(BEGIN[suffix])
    assert sorted(p.name for p in folder.iterdir()) == ["d.csv", f"x{suffix}"]


def test_an_svg_needs_no_matplotlib(run, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("baserate.cli._output.find_spec", lambda _: None)
    assert run("evaluate", *COMMANDS["evaluate"], "--plot", "x.svg", "--picture", "roc")[0] == 0
    root = ET.parse(folder / "x.svg").getroot()  # noqa: S314 - our own
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    found = run("evaluate", *COMMANDS["evaluate"], "--plot", "x.png")
    refused(found, "matplotlib", "pip install", ".svg needs nothing")
    assert not (folder / "x.png").exists()


@pytest.mark.sweep(3, start=1)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--plot", "x.jpg"], ["--plot must end in .svg, .png, .pdf"]),
        (["--plot", "x"], ["--plot must end in .svg, .png, .pdf"]),
        (["--picture", "roc"], ["--picture has no meaning without --plot"]),
        (["--plot", "x.svg", "--picture", "rok"], ["--picture", "'rok'", "roc"]),
        (["--plot", "x.svg", "--output", "./x.svg", "--format", "html"], ["the report (--output)"]),
        (["--plot", "no/x.svg"], ["Cannot write", "pass another --plot"]),
    ],
)
def test_what_cannot_be_drawn_is_one_line_and_no_report(run, folder, options, said):
    refused(run("evaluate", *COMMANDS["evaluate"], *options), *said)
    assert [p.name for p in folder.iterdir()] == ["d.csv"]


def test_the_input_is_not_overwritten(run, folder):
    (folder / "d.svg").symlink_to(folder / "d.csv")
    found = run("evaluate", *COMMANDS["evaluate"], "--plot", "d.svg")
    refused(found, "--plot must not be a file that the report is made from")
    assert (folder / "d.csv").read_text() == ROWS


def test_a_file_that_was_there_stays_if_drawing_fails(run, folder, monkeypatch):
    (folder / "x.png").write_text("before")

    def broken(*_, **__):
        message = "no space left on device"
        raise OSError(28, message)

    monkeypatch.setattr("os.fsync", broken)
    refused(run("evaluate", *COMMANDS["evaluate"], "--plot", "x.png"), "no space left")
    assert (folder / "x.png").read_text() == "before"
