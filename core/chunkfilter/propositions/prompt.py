"""What a language model that knows no propositions is asked."""

#: ``{passage}`` stands for the passage; nothing else is replaced.
#: It holds no list itself: a model that repeats it has not answered.
PROMPT = """\
Rewrite the passage below as facts. Each fact is one sentence that can be understood alone: write out the
names that pronouns and words such as "the company" stand for, and split sentences that state several facts.
Keep numbers, dates, names and negations as they are. Add nothing that the passage does not say. Answer with a
JSON array of strings and nothing else.

Passage:
{passage}
"""


def filled(template: str, passage: str) -> str:
    """The template with the passage in it; braces in the passage are plain characters."""
    return template.replace("{passage}", passage)
