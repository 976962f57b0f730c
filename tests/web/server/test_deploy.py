"""The files of deploy/: what they name exists, and proxies tell the server what it believes."""

import contextlib
import http.client
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import typer
import yaml

from redouble.commands.command_line import app
from redouble.contract.registry import GAMES
from redouble.web.limits import Proxies
from redouble.web.store.postgresql import PASSWORD_FILE
from tests.helpers.programs import installed
from tests.web.helpers.proxies import DEPLOY, caddy, nginx
from tests.web.helpers.running import ended
from tests.web.helpers.server import port_of, process, send
from tests.web.helpers.servers import counted_later

NAME = "games.example.org"


def command_line(arguments: list[str], name: str = "serve") -> Any:
    """The options of a command as the command line reads them. Raises if one is wrong."""
    assert arguments[0] == name
    commands: Any = typer.main.get_command(app)
    with commands.commands[name].make_context(name, arguments[1:]) as context:
        return context.params


def test_the_container_runs_as_nobody_and_says_how_it_is() -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    lines = dict(
        line.split(" ", 1) for line in re.sub(r"\\\n\s*", "", text).splitlines() if " " in line
    )
    params = command_line(json.loads(lines["CMD"]))
    assert (params["host"], params["port"], str(params["data"])) == ("0.0.0.0", 8765, "/data")
    assert json.loads(lines["ENTRYPOINT"]) == ["redouble"]
    assert lines["USER"] == "redouble"
    assert lines["VOLUME"] == "/data"
    check = json.loads(re.sub(r"^[^\[]*CMD ", "", lines["HEALTHCHECK"]))
    assert check[:2] == ["python", "-c"]
    for source in re.findall(r"^COPY (?!--from)(.*)", text, re.MULTILINE):
        assert all((DEPLOY.parent / name).exists() for name in source.split()[:-1]), source


def test_the_check_of_the_containers_health_asks_a_real_server(tmp_path: Path) -> None:
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
    asked = re.search(r'CMD \["python", "-c", "(.*)"\]', text)
    assert asked
    with process("--port", "0", "--data", str(tmp_path), "--allowed-host", NAME) as server:
        port = port_of(server.first_line())
        healthy = asked[1].replace("8765", f"{port}")
        assert subprocess.run([sys.executable, "-c", healthy], timeout=60).returncode == 0
    gone = subprocess.run([sys.executable, "-c", healthy], capture_output=True, timeout=60)
    assert gone.returncode != 0


def test_compose_trusts_its_own_network_alone() -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    filled = text.replace("${DOMAIN:?name the server, such as games.example.org}", NAME)
    filled = filled.replace("${OPERATOR:-}", "Ada")
    assert "$" not in filled
    compose = yaml.safe_load(filled)
    web, caddy = compose["services"]["web"], compose["services"]["caddy"]
    params = command_line(web["command"])
    (subnet,) = compose["networks"]["inside"]["ipam"]["config"]
    assert params["trusted_proxy"] == [subnet["subnet"]]
    assert "172.30.87.2" in Proxies(params["trusted_proxy"])
    assert params["allowed_host"] == [NAME]
    assert web["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"]
    assert "ports" not in web
    assert set(compose["volumes"]) == {"data", "certificates"}
    assert caddy["environment"]["UPSTREAM"] == f"web:{params['port']}"
    assert (DEPLOY / web["build"]["context"] / web["build"]["dockerfile"]).is_file()


def test_compose_with_postgresql_names_its_server_and_user() -> None:
    text = (DEPLOY / "compose.postgresql.yaml").read_text(encoding="utf-8")
    filled = text.replace("${PROCESSES:-2}", "2").replace("${WORKERS:-1}", "1")
    assert "$" not in filled
    compose = yaml.safe_load(filled)
    web, server = compose["services"]["web"], compose["services"]["postgresql"]
    address = sa.make_url(web["environment"]["REDOUBLE_DATABASE"])
    assert compose["services"][address.host] is server
    assert address.username == server["environment"]["POSTGRES_USER"]
    assert address.password is None
    (name,) = compose["secrets"]
    for service in (web, server, compose["services"]["worker"]):
        assert service["secrets"] == [name]
    assert web["environment"][PASSWORD_FILE] == f"/run/secrets/{name}"
    assert server["environment"]["POSTGRES_PASSWORD_FILE"] == f"/run/secrets/{name}"
    assert address.database == server["environment"]["POSTGRES_DB"]
    assert server["networks"] == ["inside"]
    assert set(compose["volumes"]) == {"database"}
    worker = compose["services"]["worker"]
    assert command_line(worker["command"], "work")["workers"] == 1
    assert worker["environment"].items() <= web["environment"].items()
    port = command_line(worker["command"], "work")["metrics"].rpartition(":")[2]
    assert f":{port}/health/ready" in worker["healthcheck"]["test"][-1]
    assert worker["networks"] == ["inside"]
    assert "ports" not in worker


def test_no_log_of_nginx_has_addresses_of_tables() -> None:
    text = (DEPLOY / "nginx" / "redouble.conf").read_text(encoding="utf-8")
    (written,) = re.findall(r"^log_format (\w+) '(.*)';", text, re.MULTILINE)
    assert not re.search(
        r"\$(request|request_uri|uri|document_uri|args|http_referer)\b", written[1]
    )
    servers = text.count("server {")
    assert text.count(f"\taccess_log /var/log/nginx/redouble.log {written[0]};") == servers == 2


def test_alerts_and_the_dashboard_are_whole() -> None:
    """What they name is compared with a server's figures in test_operations.py."""
    rules = yaml.safe_load((DEPLOY / "prometheus/redouble.yaml").read_text(encoding="utf-8"))
    (group,) = rules["groups"]
    assert len({rule["alert"] for rule in group["rules"]}) == len(group["rules"])
    board = json.loads((DEPLOY / "grafana/redouble.json").read_text(encoding="utf-8"))
    asked = [rule["expr"] for rule in group["rules"]]
    asked += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    for query in asked:
        for opening, closing in ("()", "[]", "{}"):
            assert query.count(opening) == query.count(closing), query
    assert all(rule["annotations"]["summary"].endswith(".") for rule in group["rules"])
    assert all(rule["labels"]["severity"] in ("page", "ticket") for rule in group["rules"])


@pytest.mark.parametrize(
    ("name", "command", "means"),
    [
        ("redouble.service", "serve", {"data": Path("/var/lib/redouble"), "database": ""}),
        ("redouble-worker.service", "work", {"workers": 1, "database": ""}),
    ],
)
def test_the_services_are_hardened_and_verified(
    tmp_path: Path, name: str, command: str, means: dict[str, Any]
) -> None:
    text = (DEPLOY / name).read_text(encoding="utf-8")
    run = re.search(r"^ExecStart=/opt/redouble/bin/redouble (.*)", text, re.MULTILINE)
    assert run
    options = command_line(run[1].split(), command)
    assert {option: options[option] for option in means} == means
    assert ("StateDirectory=redouble" in text) == ("data" in means)
    analyze, unit = installed("systemd-analyze", package="systemd"), tmp_path / name
    unit.write_text(text.replace("/opt/redouble/bin/redouble", sys.executable), encoding="utf-8")
    for checked in (["verify"], ["security", "--offline=true", "--threshold=30", "--no-pager"]):
        done = subprocess.run(
            [analyze, *checked, str(unit)], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"{name}:" not in done.stderr  # a line that isn't understood


@counted_later
@pytest.mark.parametrize("proxy", [caddy, nginx], ids=["caddy", "nginx"])
def test_a_proxy_says_who_asks_and_holds_no_event_back(tmp_path: Path, proxy: Any) -> None:
    # The server must ignore what the client says, and learn from the proxy: all come from one
    # address by HTTP. The guests of one address are limited.
    options = ("--trusted-proxy", "127.0.0.1", "--limit", "new-guests-per-address=1/6000")
    with (
        process("--port", "0", "--data", str(tmp_path), *options) as server,
        contextlib.ExitStack() as stack,
    ):
        running, port = proxy(tmp_path, port_of(server.first_line()))
        stack.enter_context(ended(running))
        guest = send(port, "POST", "/api/guests")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.closing(connection):
            forged = {"X-Forwarded-For": "192.0.2.7", "X-Forwarded-Proto": "https"}
            connection.request("POST", "/api/guests", headers=forged)
            answer = connection.getresponse()
            assert json.loads(answer.read())["status"] == 429
            assert answer.getheader("Strict-Transport-Security") is None
            name = next(one.name for one in GAMES.values() if one.min_seats <= 2 <= one.max_seats)
            body = {"game": name, "seats": [{"kind": "me"}, {"kind": "here"}]}
            table = send(port, "POST", "/api/tables", body, guest["token"])["table"]
            connection.request("GET", f"/api/tables/{table}/stream")
            stream = connection.getresponse()
            before = json.loads(stream.readline())
            send(port, "POST", f"/api/tables/{table}/pace", {"pace": "fast"}, guest["token"])
            after = json.loads(stream.readline())
            assert (before["pace"], after["pace"]) != ("fast", "slow")
            assert after["ply"] == before["ply"] + 1
