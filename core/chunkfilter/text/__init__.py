"""What a text is made of: normalised words, sentences, shingles. The only place with end-exclusive maths."""
