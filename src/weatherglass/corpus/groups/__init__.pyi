from .bins import Bins as Bins
from .bins import parse_bins as parse_bins
from .conditions import Condition as Condition
from .conditions import parse_condition as parse_condition
from .groups import GroupedCorpus as GroupedCorpus
from .groups import Grouping as Grouping
from .groups import Part as Part
from .numbers import parse_number as parse_number
