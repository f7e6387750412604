from .mlflow import MlflowLog as MlflowLog
from .mlflow import parse_log as parse_log
