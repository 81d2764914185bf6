"""The files of this host: what is there, within bounds, and without ever waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lens_preflight.otel.files import LIMIT, HostFiles, Kind


def test_what_is_found_under_a_path(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----")
    (tmp_path / "other").write_bytes(b"\xff")
    files = HostFiles()
    found = {name: files.kind(str(tmp_path / name)) for name in ("ca.pem", "other", ".", "none", "other/x")}
    assert found == {
        "ca.pem": Kind.PEM,
        "other": Kind.OTHER,
        ".": Kind.DIRECTORY,
        "none": Kind.MISSING,
        "other/x": Kind.MISSING,
    }
    assert files.kind("a\0b") is Kind.MISSING
    assert files.text(str(tmp_path / "ca.pem")) == "-----BEGIN CERTIFICATE-----"
    assert [files.text(str(tmp_path / name)) for name in ("other", ".", "none")] == [None, None, None]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert HostFiles().kind(str(tmp_path / "pipe")) is Kind.OTHER
    assert HostFiles().text(str(tmp_path / "pipe")) == ""
    writer = os.open(tmp_path / "pipe", os.O_RDWR)  # somebody holds it open and says nothing
    try:
        assert HostFiles().kind(str(tmp_path / "pipe")) is Kind.OTHER
    finally:
        os.close(writer)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full"])
def test_an_endless_file_is_read_to_the_limit(name: str) -> None:
    assert HostFiles().kind(name) is Kind.OTHER
    assert len(HostFiles().text(name) or "") == LIMIT
