"""The web page: a local server that answers questions about embeddings. It does no maths.

A request passes through these modules, in this order:

- `server`: accepts connections, and closes those of slow senders.
- `app`: creates the app from its `settings`.
- `guard`: rejects requests from other sites, and requests that are too large.
- ``ask/``, ``explore/``, ``discover/``, ``seeds/``, ``audits/``, ``upload/``: one folder per page.
  ``routes.py`` has the routes; the other modules have the question that an address asks, and the
  jobs that answer it.
- `session`: what all routes share: `sources` (vectors by short name), `jobs` (work outside the
  event loop, in threads or in processes that can be killed, with remembered answers) and the
  uploaded files. `preload` has what these processes import.
- `word_sets`: word sets as a person types them.
- `rendering`: templates of ``pages/``, static files, charts, downloads.
- `responses`: errors and unfinished jobs, as JSON or as a page.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
