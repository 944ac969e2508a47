"""The Prefect flow: order, retries and schedule over the steps of hub_index."""
