from .curve import Curve as Curve
from .curve import lay_out_curve as lay_out_curve
from .forest import NARROW as NARROW
from .forest import WIDE as WIDE
from .forest import Forest as Forest
from .forest import lay_out_forest as lay_out_forest
from .scatter import Scatter as Scatter
from .scatter import lay_out_scatter as lay_out_scatter
