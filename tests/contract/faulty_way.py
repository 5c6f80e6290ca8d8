"""A way to the server on which things go wrong: the steps of proxy.mjs, for Python's clients."""
import json
import re
import socket
import threading


def request_of(connection):
    """All of one request: its head, and as much body as that says."""
    text = b""
    while b"\r\n\r\n" not in text:
        data = connection.recv(65536)
        if not data:
            return text
        text += data
    head, body = text.split(b"\r\n\r\n", 1)
    length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE).group(1))
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


class FaultyWay:
    """Each connection takes the next step of `plan`: "refuse", "lose", or (status, type); then the way is open, a request a connection."""

    def __init__(self, port):
        self.port, self.plan, self.connections = port, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self.take(connection, self.plan.pop(0) if self.plan else None)

    def take(self, connection, step):
        if step == "refuse":
            return
        request = request_of(connection)
        if isinstance(step, tuple):
            status, name = step
            body = json.dumps({"__type": name, "message": "on the way"}).encode()
            connection.sendall(b"HTTP/1.1 %d Trouble\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (status, len(body), body))
            return
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            head, body = request.split(b"\r\n\r\n", 1)
            server.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
            answer = b"".join(iter(lambda: server.recv(65536), b""))
        if step != "lose":
            connection.sendall(answer)

    def close(self):
        self.listener.close()
        self.thread.join(timeout=10)
