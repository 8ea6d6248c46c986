"""Similarity proposes, guards decide: what keeps two chunks apart that a rule found alike.

The rule, for a chunk that would go and the one that would stand for it (words as in ``text.words``):

1. The same words in the same order: they are copies, however wrapped, punctuated or cased. No veto.
2. The rule looked at vectors alone and the embedder sees only a part of either text: ``window``.
3. They share at least half of the distinct words of the one with fewer: they are the same statement but for
   words changed, left out, put in or moved, so they disagree. ``order`` if only the order differs,
   ``number`` if their numbers and identifiers differ, else ``words``.
4. They share fewer, and are taken as a paraphrase unless their scripts differ (``language``), a number or
   identifier of the chunk that would go is not in the other (``number``), most of either is in a script
   without spaces, whose characters are too few to tell statements apart (``words``), or they share less than
   a quarter of their words, as a text and its translation do (``language``).

No list of words is asked: what a language calls a negation is for the rule a word more. It follows that a
lexical rule, whose pairs share most words, removes little more than copies under guards; ``guards=none`` is
for those who want the rest. ``coverage@t``, which looks at no pairs, is ``coverage`` under guards. Not
seen: a paraphrase that says the opposite in other words, numbers spelled out, and languages of one script
that share a quarter to a half of the words of a text.
"""

from chunkfilter.filters.guards.guard import guard_of, looks_at_vectors_alone

__all__ = ["guard_of", "looks_at_vectors_alone"]
