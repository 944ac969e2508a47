"""Prefect and Dask as real processes."""
