from .compare_groups import compare_groups as compare_groups
from .formula import Term as Term
from .formula import parse_formula as parse_formula
from .group_difference import GroupDifference as GroupDifference
from .group_difference import GroupSize as GroupSize
