from .group import seeds as seeds
from .options import case_option as case_option
from .options import slurs_option as slurs_option
