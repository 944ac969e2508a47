"""A name that several skills have: every door lists the ids to choose from."""

from pathlib import Path

import pytest
from support.servers.service_world import make_service_world
from support.servers.serving_world import serving

from hub_index.client import HubClient
from hub_index.errors import SkillAmbiguous


def test_a_name_of_several_skills_is_a_conflict_with_the_ids_to_choose_from(tmp_path: Path) -> None:
    """409 over HTTP, invalid parameters over JSON-RPC, and an error of its own in the client: each lists the ids."""
    world = make_service_world(tmp_path)
    world.add_hub("third", {"sql-explain": ("Explain SQL in other words.", "# Other\n")})
    ids = ["left:sql-explain", "third:sql-explain"]
    with world.open("left", "third") as service, serving(service=service) as running, HubClient(running.url) as hubs:
        reply = running.ask("GET", "/skills/sql-explain")
        assert (reply.status, reply.value["error"], reply.value["candidates"]) == (409, "SkillAmbiguous", ids)
        call = {"jsonrpc": "2.0", "id": 1, "method": "skills.read", "params": {"skill": "sql-explain"}}
        error = running.post("/rpc", call).value["error"]
        assert (error["code"], error["data"]["status"], error["data"]["candidates"]) == (-32602, 409, ids)
        with pytest.raises(SkillAmbiguous) as caught:
            hubs.read("sql-explain")
        assert [hubs.read(id_).hub for id_ in caught.value.candidates] == ["left", "third"]


def test_a_name_that_two_skills_of_one_hub_share_lists_them_with_their_hub(tmp_path: Path) -> None:
    """What is listed can be asked for among any number of hubs; one that knows no such name says less."""
    world = make_service_world(tmp_path)
    world.add_hub("third", {"ann/twin": ("Does one thing.", "# One\n"), "bob/twin": ("Does two.", "# Two\n")})
    with world.open("left", "third") as service, pytest.raises(SkillAmbiguous) as caught:
        service.show("twin")
    assert caught.value.candidates == ("third:ann/twin", "third:bob/twin")
