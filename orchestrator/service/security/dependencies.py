"""Dependencies shared by all endpoints: the caller with the role that an endpoint requires, and ids in paths."""

from typing import Annotated

from fastapi import Depends, Path, Query

from orchestrator.service.security.callers import Caller
from orchestrator.service.security.guard import requires
from orchestrator.shared.values.parameters import ID_PATTERN, WholeNumber

ViewerDep = Annotated[Caller, Depends(requires("viewer"))]
SubmitterDep = Annotated[Caller, Depends(requires("submitter"))]
AdminDep = Annotated[Caller, Depends(requires("admin"))]
AdminOrAgentDep = Annotated[Caller, Depends(requires("admin", "agent"))]
AgentDep = Annotated[Caller, Depends(requires("agent"))]
JoinDep = Annotated[Caller, Depends(requires("join"))]
ViewerOrAgentDep = Annotated[Caller, Depends(requires("viewer", "agent"))]
SubmitterOrAgentDep = Annotated[Caller, Depends(requires("submitter", "agent"))]
InstallerDep = Annotated[Caller, Depends(requires("viewer", "agent", "join"))]
"""A device downloads what it installs before, while and after it enrolls."""

RunId = Annotated[str, Path(pattern=ID_PATTERN, examples=["k3v9x0q2m7ab"])]
RunIdQuery = Annotated[str, Query(pattern=ID_PATTERN, description="Id of a run.", examples=["k3v9x0q2m7ab"])]
AgentId = Annotated[str, Path(pattern=ID_PATTERN, examples=["p8w2n5t1c6zd"])]
TokenId = Annotated[str, Path(pattern=ID_PATTERN, examples=["h4r7y9b3s0mf"])]
RowId = Annotated[WholeNumber, Path(ge=1, lt=2**63)]
"""Id of a row that the database numbers: a case, job, execution, build or build request."""
Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="64 hexadecimal digits in lower case.")]

AgentIdQuery = Annotated[str | None, Query(pattern=ID_PATTERN, description="Only items of this agent.")]
RowIdQuery = Annotated[WholeNumber | None, Query(ge=1, lt=2**63)]
