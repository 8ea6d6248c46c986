"""Answers that a language model writes from retrieved chunks, and how good they are.

``generate.py`` asks any function from text to text; ``bert_score.py`` and ``question_cosine.py`` are the two
measures of Qu, Tu and Bao, "Is Semantic Chunking Worth the Computational Cost?" (2024).
"""

from chunkfilter.evaluate.answers.evaluate import AnswerReport, evaluate_answers
from chunkfilter.evaluate.answers.generate import LanguageModel, answer_prompt, generate_answers

__all__ = ["AnswerReport", "LanguageModel", "answer_prompt", "evaluate_answers", "generate_answers"]
