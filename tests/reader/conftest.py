"""The conformance cases as folders, laid out once for all tests that read them."""

import pytest
from support.builds.conformance_cases import Laid, lay_all


@pytest.fixture(scope="session")
def laid(tmp_path_factory: pytest.TempPathFactory) -> list[Laid]:
    """Every case in a folder of its own; tests do not change them."""
    return lay_all(tmp_path_factory.mktemp("conformance"))
