"""Rule ``coverage``, from the sentences of a chunk to the few kept ones that contain it."""
