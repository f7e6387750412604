from .browse import FilterQuery as FilterQuery
from .browse import SeedFilter as SeedFilter
from .browse import find_flags as find_flags
from .browse import first_words as first_words
from .browse import nearest_sets as nearest_sets
from .browse import seed_title as seed_title
from .routes import router as router
