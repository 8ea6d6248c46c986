"""From chunks and a policy to a result: keep order, scope, stages, guards and warnings."""
