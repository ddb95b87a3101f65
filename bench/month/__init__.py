"""How much of what is worth keeping is kept of a month of transcripts, and how much else."""
