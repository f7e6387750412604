from .evidence import GRADING_KINDS as GRADING_KINDS
from .evidence import Evidence as Evidence
from .finding import GRADES as GRADES
from .finding import Finding as Finding
from .finding import Grade as Grade
from .finding import finding as finding
