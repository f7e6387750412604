from .entry import CONTROL as CONTROL
from .entry import DIMENSIONS as DIMENSIONS
from .entry import FactualTest as FactualTest
from .entry import Test as Test
from .entry import dimension_position as dimension_position
from .several_groups import AnyTest as AnyTest
from .several_groups import GroupsTest as GroupsTest
