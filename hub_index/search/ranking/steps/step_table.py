"""The function of each step but the fold, which every search needs: imported only where a search asks for another."""

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
