from .assignments import GroupStatistic as GroupStatistic
from .assignments import count_assignments as count_assignments
from .assignments import smallest_group_p as smallest_group_p
from .permutation import group_permutation_p as group_permutation_p
