from .names import MAX_GROUPS as MAX_GROUPS
from .names import NameList as NameList
from .names import load_names as load_names
from .names import name_lists as name_lists
from .windows import NameWindow as NameWindow
from .windows import name_windows as name_windows
