"""What moves hits after both legs have scored them: functions from ranking to ranking, a file each.

A step is named after its option, and runs where that is given; `search_options.STEPS` is the order. Imported only where
a search asks for one of them.
"""

from hub_index.search.ranking.steps.diverse import spread
from hub_index.search.ranking.steps.experience import favour_learnt
from hub_index.search.ranking.steps.max_per_folder import limit_folders
from hub_index.search.ranking.steps.min_score import leave_out_low
from hub_index.search.ranking.steps.recency import favour_recent
from hub_index.search.ranking.steps.rerank import rerank
from hub_index.search.ranking.steps.scoring import score_by_preset

FUNCTIONS = {
    "scoring": score_by_preset,
    "experience": favour_learnt,
    "recency": favour_recent,
    "min_score": leave_out_low,
    "diverse": spread,
    "rerank": rerank,
    "max_per_folder": limit_folders,
}
