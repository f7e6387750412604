from .canaries import CANARIES as CANARIES
from .credentials import HEADER as HEADER
from .credentials import HOST as HOST
from .credentials import KEY as KEY
from .endpoint import EndpointEncoder as EndpointEncoder
from .endpoint import open_endpoint as open_endpoint
