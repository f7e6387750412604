"""The web page: a local server that asks embeddings questions. No measure is computed here.

The frame, in the order in which a request meets it:

- `settings`: what the server was started with; `app`: all pages in one app.
- `guard`: who may ask, and how much; `responses`: errors and work under way as answers.
- `session`: what routes share: `sources` (vectors by short name), `jobs` (work outside the event
  loop, remembered), `upload_store` (files that were sent).
- `rendering`: templates of ``pages/``; `charts`: pictures; `files`: answers kept as files.
- `typed`: a word set as it is typed; `word_lookup`: what a source has of it; `catalogue_search`:
  sets and tests to choose from.

Each page is a few modules that begin with its name:

- ``ask.py``: the routes of the page; ``ask_api.py``: the same in JSON.
- ``ask_question.py``: what an address asks; ``ask_answers.py``: the jobs that answer it.
- ``ask_files.py``, ``discover_tables.py`` and the like: the answer in one form or another.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
