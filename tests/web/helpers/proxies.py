"""The proxies of deploy/ in front of a server of the tests, without HTTPS."""

import re
import subprocess
from pathlib import Path

from redouble.web.gate.security import MAX_UPLOAD
from tests.helpers.places import ROOT
from tests.helpers.programs import installed
from tests.web.helpers.running import Running, free_ports, listens

DEPLOY = ROOT / "deploy"


def caddy(folder: Path, upstream: int) -> tuple[Running, int]:
    """Caddy with the file of deploy/, and the port where it listens."""
    program, (port,) = installed("caddy"), free_ports(1)
    environment = {
        "DOMAIN": f"http://127.0.0.1:{port}",
        "UPSTREAM": f"127.0.0.1:{upstream}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    config = folder / "Caddyfile"
    text = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    config.write_text("{\n\tadmin off\n}\n" + text, encoding="utf-8")
    given = ["--config", str(config), "--adapter", "caddyfile"]
    checked = subprocess.run(
        [program, "validate", *given], env=environment, capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stderr
    formatted = [program, "fmt", str(DEPLOY / "Caddyfile")]
    assert subprocess.run(formatted, capture_output=True, text=True).stdout == text
    return Running([program, "run", *given], lambda: listens(port), environment), port


def nginx(folder: Path, upstream: int) -> tuple[Running, int]:
    """The server of deploy/ in nginx, and the port where it listens."""
    program, (port,) = installed("nginx"), free_ports(1)
    text = (DEPLOY / "nginx" / "redouble.conf").read_text(encoding="utf-8")
    size = re.search(r"client_max_body_size (\d+)m;", text)
    assert size
    assert int(size[1]) * 1024 * 1024 > MAX_UPLOAD
    text = re.sub(r"^server \{\n\tlisten 80;.*?^\}\n", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\tssl_certificate.*\n", "", text)
    text = text.replace("/var/log/nginx/", f"{folder}/")
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}").replace(
        "127.0.0.1:8765", f"127.0.0.1:{upstream}"
    )
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{paths}{text}}}\n",
        encoding="utf-8",
    )
    checked = subprocess.run(
        [program, "-t", "-q", "-c", str(config)], capture_output=True, text=True, timeout=60
    )
    assert checked.returncode == 0, checked.stderr
    return Running([program, "-c", str(config)], lambda: listens(port), {}), port
