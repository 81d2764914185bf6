"""Job files: what each process that they start will find in its environment."""

from lens_preflight.jobs.environment import SUBMITTER, if_nothing_is_submitted
from lens_preflight.jobs.model import JobLaunch, JobModel
from lens_preflight.jobs.reader import read_job

__all__ = ["SUBMITTER", "JobLaunch", "JobModel", "if_nothing_is_submitted", "read_job"]
