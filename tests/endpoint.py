"""A server of embeddings on this machine, behind which a test can swap the model."""

import base64
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np


def row(text):
    """Return the row that the server computes for a sentence."""
    return [float(len(text)), float(text.count(" ")), 1.0]


class Server(ThreadingHTTPServer):
    """Responds like OpenAI's endpoint, or with the planned responses."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.planned_responses = [], []
        self.row = row  # the model behind the address
        self.url = f"http://127.0.0.1:{self.server_port}"

    @classmethod
    @contextlib.contextmanager
    def started(cls):
        """Start a server, and stop it at the end."""
        with cls() as server:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            yield server
            server.shutdown()

    @property
    def sentences(self):
        """The sentences of all requests so far."""
        return [text for _, _, body in self.requests for text in body["input"]]

    def plan_responses(self, *responses):
        """Set (status, headers, body) of the next responses; None drops the connection."""
        self.planned_responses += responses


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        status, headers, response = 200, {}, None
        if self.server.planned_responses:
            planned = self.server.planned_responses.pop(0)
            if planned is None:
                self.close_connection = True
                return
            status, headers, response = planned
        if response is None:
            rows = [self.server.row(text) for text in body["input"]]
            if body["encoding_format"] == "base64":
                rows = [base64.b64encode(np.array(r, "<f4").tobytes()).decode() for r in rows]
            data = [{"index": i, "embedding": r} for i, r in enumerate(rows)]
            response = json.dumps({"data": data[::-1]}).encode()  # not in the order of the inputs
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(response)))
        self.end_headers()
        self.wfile.write(response)

    def log_message(self, *arguments):
        pass


def named_row(text, first="John", second="Amy"):
    """A model that puts sentences with one of two names into opposite directions."""
    rng = np.random.default_rng(list(text.replace(first, "?").replace(second, "?").encode()))
    lean = 3.0 * (first in text or text == "executive") - 3.0 * (second in text)
    return [*rng.standard_normal(6).tolist(), lean]
