"""A player over HTTP that joins a table by an invitation link and plays random legal moves."""

import json
import random
import socket
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

socket.setdefaulttimeout(60)  # seconds; a stream is never silent for longer than 15
site, _, invite = sys.argv[1].partition("/join/")
headers = {"Content-Type": "application/json"}


def post(path, **body):
    return json.load(urlopen(Request(site + path, json.dumps(body).encode(), headers)))


headers["Authorization"] = "Bearer " + post("/api/guests", name="Random")["token"]
table = "/api/tables/" + post("/api/join/" + invite)["table"]
for line in urlopen(Request(site + table + "/stream", headers=headers)):
    state = json.loads(line)
    if state.get("my_turn"):
        try:
            post(
                table + "/moves", ply=state["ply"], move=random.choice(state["view"]["legal_moves"])
            )
        except HTTPError as error:
            if error.code != 409:  # 409: the table has moved on; the next line has it
                raise
print("over:", state["view"]["outcome"])
