"""One run followed from request to answer, with the real parts, some of them killed on the way."""
