"""A private Ray cluster of two machines with one core each, as a program: see test_cluster.py.

It prints the address, then obeys lines: ``kill worker`` and ``kill node`` act on the second machine
when a task runs there, and answer with a line. At the end of the input the cluster ends.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

from ray.cluster_utils import Cluster

MEMORY = 80 * 2**20
NOTICED_SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 500,
    "health_check_failure_threshold": 4,
}
TASK = "ray::play_shards"
PATIENCE = 100
"""Seconds for a task to come to the second machine."""
SHORT = 3
"""Seconds for another one, while the first machine plays on: the work must not end before."""


def busy(node: object, patience: float) -> int | None:
    """Wait until a task runs on a machine; return the number of its process, or None."""
    raylet = node.all_processes["raylet"][0].process.pid  # type: ignore[attr-defined]
    until = time.monotonic() + patience
    while time.monotonic() < until:
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        )
        for line in listed.stdout.splitlines():
            pid, parent, title = line.split(maxsplit=2)
            if int(parent) == raylet and title.startswith(TASK):
                return int(pid)
        time.sleep(0.02)
    return None


def main() -> None:
    with tempfile.TemporaryDirectory(
        prefix="ray", dir="/tmp"
    ) as folder:  # sockets' names are short
        # There Ray notes the address, and not in the file that tells of this machine's own cluster.
        os.environ["RAY_TMPDIR"] = folder
        os.mkdir(os.path.join(folder, "ray"))
        cluster = Cluster(
            initialize_head=True,
            head_node_args={
                "num_cpus": 1,
                "include_dashboard": False,
                "object_store_memory": MEMORY,
                "_system_config": NOTICED_SOON,
                "temp_dir": folder,
            },
        )
        second = cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
        print(cluster.address, flush=True)
        for line in sys.stdin:
            if line.strip() == "kill worker":
                second = second or cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
                worker = busy(second, PATIENCE)
                if worker is None:
                    raise TimeoutError(f"no task came to the second machine within {PATIENCE} s")
                os.kill(worker, signal.SIGKILL)
            else:
                busy(second, SHORT)
                cluster.remove_node(second, allow_graceful=False)
                second = None
            print("done", flush=True)
        cluster.shutdown()


if __name__ == "__main__":
    main()
