"""The lexical leg: tokens, the tantivy index and its cache, matching, typos."""
