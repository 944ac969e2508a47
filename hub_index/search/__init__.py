"""Index + query → hits: the client side, small and offline."""
