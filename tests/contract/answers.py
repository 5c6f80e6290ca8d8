"""The record for coverage.mjs of the replies that Python's clients see; nothing is kept where no folder is named."""
import base64
import json
import os
import urllib.request
import uuid

FOLDER = os.environ.get("ANSWERS_FOLDER")


def keep_counts(url, key, secret):
    """The server's counts: to be called before it is stopped."""
    if FOLDER:
        login = {"Authorization": "Basic " + base64.b64encode(f"{key}:{secret}".encode()).decode()}
        with urllib.request.urlopen(urllib.request.Request(f"{url}/metrics", headers=login)) as reply, open(os.path.join(FOLDER, f"{uuid.uuid4()}.metrics"), "wb") as file:
            file.write(reply.read())


def keep_replies(client):
    """Every reply to this client of ECS, as it came over the wire."""
    if FOLDER:
        path = os.path.join(FOLDER, f"{uuid.uuid4()}.replies")

        def keep(response_dict, event_name, **_):
            with open(path, "a", encoding="utf-8") as file:
                line = {"operation": event_name.split(".")[-1], "status": response_dict["status_code"], "body": response_dict["body"].decode()}
                file.write(json.dumps(line) + "\n")

        client.meta.events.register("response-received.ecs", keep)
