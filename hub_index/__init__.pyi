from hub_index.errors import HubIndexError as HubIndexError
from hub_index.index.build import build_index as build_index
from hub_index.index.change_check import check as check
from hub_index.record import Record as Record
from hub_index.search import open_index as open_index
from hub_index.search.index import Index as Index
from hub_index.search.results import Hit as Hit
from hub_index.search.results import Results as Results

GENERATOR: str
__version__: str
__all__: list[str]
